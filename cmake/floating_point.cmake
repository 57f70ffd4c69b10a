# One rounding for each operation that is written down. GCC and Clang otherwise fuse a·b + c into one
# operation where the processor can, and every statement about rounding is then about another program.
# The option is part of the library's interface: its guarantees are void without it. The test
# arithmetic_rounds_as_written fails where a build contracts, flushes subnormals or rounds otherwise.
set(EMBEDSCALE_FLOATING_POINT_OPTIONS
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-ffp-contract=off>")
