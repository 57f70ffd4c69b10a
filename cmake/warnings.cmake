# Warnings for our own sources; consumers of the headers keep theirs.
option(EMBEDSCALE_WARNINGS_AS_ERRORS "Treat warnings in embedscale's own sources as errors" OFF)

function(embedscale_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            # Designated initialisers leave the rest to its defaults on purpose.
            -Wno-missing-field-initializers
            # GCC 12 sees overlapping copies in its own std::string (GCC bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<BOOL:${EMBEDSCALE_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
