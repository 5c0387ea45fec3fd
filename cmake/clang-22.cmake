# A toolchain file that chooses Clang 22, where it is installed and no other compiler is asked for with CXX or CMAKE_CXX_COMPILER.
find_program(PICKET_CLANG clang++-22 HINTS /usr/lib/llvm-22/bin)
if(PICKET_CLANG AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  set(CMAKE_CXX_COMPILER ${PICKET_CLANG})
endif()
