# Kernels may fuse multiply and add: their results are shown, and compared with the reference within a tolerance.
set(kernels ${PROJECT_SOURCE_DIR}/src/deform/skinning)
# Sanitizers multiply the kernels' many specialisations: optimising those as well would take minutes.
set(kernel_flags $<IF:$<BOOL:${SUPPLE_SANITIZE}>,-O1,-O3> -ffp-contract=fast -fno-math-errno -fno-trapping-math)
set_source_files_properties(${kernels}/kernel_baseline.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set_source_files_properties(${kernels}/kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx2;-mfma")
  set_source_files_properties(${kernels}/kernel_avx512.cpp PROPERTIES COMPILE_OPTIONS
    "${kernel_flags};-mavx2;-mfma;-mavx512f;-mavx512vl;-mavx512dq;-mprefer-vector-width=512")
endif()
