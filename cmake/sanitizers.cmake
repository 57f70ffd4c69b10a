# EMBEDSCALE_SANITIZERS=address,undefined instruments everything that this project builds.
set(EMBEDSCALE_SANITIZERS "" CACHE STRING "Sanitizers, separated by commas")
if(EMBEDSCALE_SANITIZERS)
  add_compile_options(-fsanitize=${EMBEDSCALE_SANITIZERS} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${EMBEDSCALE_SANITIZERS})
endif()
