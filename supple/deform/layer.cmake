# Kernels may fuse multiply and add: their results are shown, and compared with the reference within a tolerance.
set(kernel_flags -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(SUPPLE_SANITIZE)
  # Sanitizers multiply the many specialisations: without these checks of every pointer (AddressSanitizer sees the bad
  # ones) and without optimising, they build in a third of the time.
  list(APPEND kernel_flags -O0 -fno-sanitize=null,object-size,pointer-overflow)
else()
  list(APPEND kernel_flags -O3)
endif()
# Drivers are evaluated for every pose; unlike kernels, to the same bits everywhere.
if(NOT SUPPLE_SANITIZE)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/supple/deform/driver_layer.cpp
    ${PROJECT_SOURCE_DIR}/supple/deform/joint_drivers.cpp PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math")
endif()
foreach(deformer skinning field vortex pose_space)
  set(kernels ${PROJECT_SOURCE_DIR}/supple/deform/${deformer})
  set_source_files_properties(${kernels}/kernel_baseline.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set_source_files_properties(${kernels}/kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx2;-mfma")
    set_source_files_properties(${kernels}/kernel_avx512.cpp PROPERTIES COMPILE_OPTIONS
      # g++ 12's own AVX-512 header reads variables that it left undefined on purpose (GCC bug 105593)
      "${kernel_flags};$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>;-mavx2;-mfma;-mavx512f;-mavx512vl;-mavx512dq;-mprefer-vector-width=512")
  endif()
endforeach()
