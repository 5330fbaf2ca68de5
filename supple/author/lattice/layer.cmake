# Wider vectors, the same bits: no fused multiply-add here (supple_flags turn contraction off).
set(lattice ${PROJECT_SOURCE_DIR}/supple/author/lattice)
set(kernel_flags -fno-math-errno)
if(NOT SUPPLE_SANITIZE)
  list(APPEND kernel_flags -O3)
endif()
set_source_files_properties(${lattice}/projective_kernel_baseline.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set_source_files_properties(${lattice}/projective_kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx2")
  set_source_files_properties(${lattice}/projective_kernel_avx512.cpp PROPERTIES COMPILE_OPTIONS
    "${kernel_flags};-mavx512f;-mprefer-vector-width=512")
endif()
