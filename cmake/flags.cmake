# Compiler flags that every target of the project shares.
add_library(supple_flags INTERFACE)
target_compile_features(supple_flags INTERFACE cxx_std_20)
target_compile_options(supple_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
  # of files that are compiled as one, a local name may be a helper's in another: only other locals count
  $<$<NOT:$<BOOL:${SUPPLE_UNITY}>>:-Wshadow>
  $<$<AND:$<BOOL:${SUPPLE_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wshadow=local>
  # g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651)
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # a*b+c must round the same way on every architecture: what is written to a file may not depend on who wrote it
  -ffp-contract=off
  $<$<BOOL:${SUPPLE_WERROR}>:-Werror>)
# g++ looks for memory that it could use again before it has taken half a gigabyte; a tenth of its time is that. Where every core
# has two gigabytes it need not: the largest compilation takes 1.1 GB instead of 0.85.
cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR megabytes_per_core "${megabytes} / ${cores}")
if(PROJECT_IS_TOP_LEVEL AND megabytes_per_core GREATER 1900)
  target_compile_options(supple_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
endif()
if(SUPPLE_SANITIZE)
  # AddressSanitizer sees nearly all that checks of every single pointer would see, and without them building takes half the time;
  # alignment is checked where bytes of files become numbers (the property SUPPLE_READS_BYTES of a target).
  target_compile_options(supple_flags INTERFACE -fsanitize=address,undefined
    -fno-sanitize=null,object-size,pointer-overflow,vptr$<$<NOT:$<BOOL:$<TARGET_PROPERTY:SUPPLE_READS_BYTES>>>:,alignment>
    -fno-sanitize-recover=all -fno-omit-frame-pointer
    # stack frames are not kept after their end, which with exceptions would halve the speed
    $<$<CXX_COMPILER_ID:Clang>:-fsanitize-address-use-after-return=never>)
  target_link_options(supple_flags INTERFACE -fsanitize=address,undefined)
endif()

# For readers and tests: accesses that a call checks compile faster, and they make few. What computes has its checks in line.
add_library(supple_checked_by_calls INTERFACE)
target_compile_options(supple_checked_by_calls INTERFACE
  $<$<AND:$<BOOL:${SUPPLE_SANITIZE}>,$<CXX_COMPILER_ID:GNU>>:--param=asan-instrumentation-with-call-threshold=0>
  "$<$<AND:$<BOOL:${SUPPLE_SANITIZE}>,$<CXX_COMPILER_ID:Clang>>:SHELL:-mllvm -asan-instrumentation-with-call-threshold=0>")

# For the layers that readers call: fuzzers follow which branches were taken, and numbers of files that no integer can hold
# count too. Code that nothing uses would only be counted and carried.
add_library(supple_fuzz_flags INTERFACE)
if(SUPPLE_FUZZ)
  target_compile_options(supple_fuzz_flags INTERFACE -fsanitize=fuzzer-no-link,float-cast-overflow -ffunction-sections)
endif()
