# ccache, where there is one.
find_program(EMBEDSCALE_CCACHE ccache)
mark_as_advanced(EMBEDSCALE_CCACHE)
if(EMBEDSCALE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${EMBEDSCALE_CCACHE}")
endif()
