# libtorch as Debian has it: headers and libraries in the system's places. Its own configuration file
# asks for CUDA's.
find_path(Libtorch_INCLUDE_DIR torch/torch.h PATH_SUFFIXES torch/csrc/api/include)
find_library(Libtorch_LIBRARY torch)
find_library(Libtorch_CPU_LIBRARY torch_cpu)
find_library(Libtorch_C10_LIBRARY c10)
mark_as_advanced(Libtorch_INCLUDE_DIR Libtorch_LIBRARY Libtorch_CPU_LIBRARY Libtorch_C10_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libtorch REQUIRED_VARS Libtorch_LIBRARY Libtorch_CPU_LIBRARY
                                                         Libtorch_C10_LIBRARY Libtorch_INCLUDE_DIR)
if(Libtorch_FOUND AND NOT TARGET Libtorch::Libtorch)
  add_library(Libtorch::Libtorch INTERFACE IMPORTED)
  target_include_directories(Libtorch::Libtorch SYSTEM INTERFACE "${Libtorch_INCLUDE_DIR}")
  target_link_libraries(
    Libtorch::Libtorch INTERFACE "${Libtorch_LIBRARY}" "${Libtorch_CPU_LIBRARY}"
                                 "${Libtorch_C10_LIBRARY}")
endif()
