# embedscale_compiled(<target> <standard|fmt|tests|optimised_tests>)
# A target of our own: with warnings, and with the headers that most sources include, parsed once for
# each way of compiling. A source still includes what it uses, or has it by the header that its room
# shares: the presets dev and sanitize precompile nothing.
set(EMBEDSCALE_STANDARD_HEADERS
    <algorithm> <array> <cmath> <complex> <cstdint> <filesystem> <fstream> <functional> <limits>
    <map> <memory> <numbers> <numeric> <optional> <ranges> <set> <span> <sstream> <stdexcept>
    <string> <string_view> <utility> <variant> <vector>)

function(embedscale_compiled target with)
  embedscale_warnings(${target})
  embedscale_precompiled(${with})
  set(owner embedscale_precompiled_${with})
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(
    ${target}
    PRIVATE # GCC 12 takes its own std::string, precompiled, for ours, and sees copies beyond its end.
            "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>"
            # Collecting garbage before 1 GB is used is a twentieth of a compilation.
            "$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>")
endfunction()

# The target whose headers are precompiled, in the directory that asks for it first: each object's
# command names that directory.
function(embedscale_precompiled with)
  set(owner embedscale_precompiled_${with})
  if(TARGET ${owner})
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/${owner}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")  # CMake wants one
  add_library(${owner} OBJECT "${source}")
  embedscale_warnings(${owner})
  target_compile_features(${owner} PRIVATE cxx_std_20)
  target_compile_options(${owner} PRIVATE ${EMBEDSCALE_FLOATING_POINT_OPTIONS})
  set(headers ${EMBEDSCALE_STANDARD_HEADERS})
  if(with STREQUAL "fmt")
    list(APPEND headers <fmt/format.h>)
    target_link_libraries(${owner} PRIVATE fmt::fmt)
  elseif(with MATCHES "tests")
    list(APPEND headers <gtest/gtest.h>)
    target_link_libraries(${owner} PRIVATE GTest::gtest)
  endif()
  if(with STREQUAL "tests")
    embedscale_unoptimised(${owner})
  endif()
  target_precompile_headers(${owner} PRIVATE ${headers})
endfunction()

# Compiling a test takes longer than running it; it rounds as the rest does.
function(embedscale_unoptimised target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# A room is one unit: its sources stay files of one thing, compiling joins them, since what each of
# them includes takes longer than the rest of it. OFF where an edit has to be cheap.
option(EMBEDSCALE_ONE_UNIT "Compile each room as one unit" ON)

function(embedscale_one_unit target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${EMBEDSCALE_ONE_UNIT}
                                             UNITY_BUILD_BATCH_SIZE 0)
endfunction()
