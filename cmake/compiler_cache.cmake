# ccache, where there is one. It keeps what precompiled headers went into only if it is told to.
find_program(EMBEDSCALE_CCACHE ccache)
mark_as_advanced(EMBEDSCALE_CCACHE)
if(EMBEDSCALE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
                                  CCACHE_SLOPPINESS=pch_defines,time_macros "${EMBEDSCALE_CCACHE}")
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
