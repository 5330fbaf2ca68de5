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

# For the layers that readers call: fuzzers follow which branches were taken, and numbers of files that no integer can hold
# count too. Code that nothing uses would only be counted and carried.
add_library(supple_fuzz_flags INTERFACE)
if(SUPPLE_FUZZ)
  target_compile_options(supple_fuzz_flags INTERFACE -fsanitize=fuzzer-no-link,float-cast-overflow -ffunction-sections)
endif()
