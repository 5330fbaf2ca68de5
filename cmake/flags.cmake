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
  # alignment is checked where bytes of files become numbers.
  target_compile_options(supple_flags INTERFACE -fsanitize=address,undefined
    -fno-sanitize=null,object-size,pointer-overflow,vptr,alignment -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(supple_flags INTERFACE -fsanitize=address,undefined)
endif()
if(SUPPLE_FUZZ)
  # Numbers of files that no integer can hold count too. Stack frames are not kept after their end: with exceptions that
  # halves the speed. Code that nothing uses would only be counted and carried.
  target_compile_options(supple_flags INTERFACE -fsanitize=fuzzer-no-link,float-cast-overflow
    -fsanitize-address-use-after-return=never -ffunction-sections)
  target_link_options(supple_flags INTERFACE -Wl,--gc-sections)
endif()
