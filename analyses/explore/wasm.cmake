# The toolchain: clang 19 for WebAssembly, without threads and files. Emscripten has what unwinds
# exceptions; nothing else of it is used.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
# Nothing is archived, so there is no archiver, which CMake's trial would need.
set(CMAKE_CXX_COMPILER_WORKS TRUE)
