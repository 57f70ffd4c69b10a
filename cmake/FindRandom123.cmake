# Random123 is headers only and ships no CMake package. Defines Random123::Random123.
find_path(Random123_INCLUDE_DIR Random123/philox.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Random123 REQUIRED_VARS Random123_INCLUDE_DIR)
if(Random123_FOUND AND NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  target_include_directories(Random123::Random123 SYSTEM INTERFACE "${Random123_INCLUDE_DIR}")
  # Philox needs no intrinsics; their headers are half of what it costs to include it.
  target_compile_definitions(Random123::Random123 INTERFACE R123_USE_SSE=0 R123_USE_X86INTRIN_H=0)
endif()
mark_as_advanced(Random123_INCLUDE_DIR)
