# One library per layer of src/layers.txt, linked to the layers it may include.
set(SUPPLE_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${SUPPLE_INCLUDE_DIR})
# Headers are included as "supple/<layer>/<file>.h" in the build tree and after installation alike.
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src ${SUPPLE_INCLUDE_DIR}/supple SYMBOLIC)

set(layer_table ${PROJECT_SOURCE_DIR}/src/layers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${layer_table})
file(STRINGS ${layer_table} rows REGEX "^[a-z_]+:")
find_package(Threads REQUIRED)

# Files that are compiled as one, in the order of their paths; kernels have flags of their own and stay apart.
function(supple_unite target)
  if(NOT SUPPLE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(batch 0)
  set(bytes 0)
  foreach(source IN LISTS ARGN)
    file(SIZE ${source} size)
    math(EXPR bytes "${bytes} + ${size}")
    if(bytes GREATER SUPPLE_UNITY_BYTES)
      math(EXPR batch "${batch} + 1")
      set(bytes ${size})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${batch})
  endforeach()
endfunction()

# Where the time goes, for whoever waits: solvers and searches are optimised as far as it goes, glue hardly (-Og compiles
# faster than -O0, since it inlines), the rest a little; loops over vertices are kernels with flags of their own. That
# changes how long they compile, not what they compute: a*b+c is rounded twice at every level.
set(SUPPLE_HOT_LAYERS geometry measure learn make simulate scan)
set(SUPPLE_GLUE_LAYERS farm serve gpu exchange render)
set(SUPPLE_LAYERS "")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^([a-z_]+):([^|]*)[|](.*)$" _ "${row}")
  set(layer ${CMAKE_MATCH_1})
  string(STRIP "${CMAKE_MATCH_3}" third_party)  # before the next match overwrites it
  string(REGEX MATCHALL "[a-z_]+" depends "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "\\[[^]]*\\]" "" third_party "${third_party}")  # optional packages do not count
  if((SUPPLE_CORE_ONLY AND NOT third_party STREQUAL "") OR (layer MATCHES "^(scan|imaging|phantom)$" AND NOT SUPPLE_SCAN))
    continue()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cpp)
  if(NOT sources)
    continue()
  endif()
  add_library(supple_${layer} STATIC ${sources})
  add_library(supple::${layer} ALIAS supple_${layer})
  set_target_properties(supple_${layer} PROPERTIES EXPORT_NAME ${layer})
  target_include_directories(supple_${layer} PUBLIC
    $<BUILD_INTERFACE:${SUPPLE_INCLUDE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(supple_${layer} PUBLIC cxx_std_20)
  target_link_libraries(supple_${layer} PRIVATE $<BUILD_INTERFACE:supple_flags>)
  foreach(below IN LISTS depends)
    target_link_libraries(supple_${layer} PUBLIC supple_${below})
  endforeach()
  supple_unite(supple_${layer} ${sources})
  if(SUPPLE_SANITIZE)
    target_compile_options(supple_${layer} PRIVATE $<IF:$<IN_LIST:${layer},${SUPPLE_GLUE_LAYERS}>,-O0,-O1>
      $<$<IN_LIST:${layer},base;exchange;imaging>:-fsanitize=alignment>)
  elseif(layer IN_LIST SUPPLE_GLUE_LAYERS)
    target_compile_options(supple_${layer} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Og>)
  elseif(NOT layer IN_LIST SUPPLE_HOT_LAYERS)
    target_compile_options(supple_${layer} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O1>)
  endif()
  list(APPEND SUPPLE_LAYERS ${layer})
  include(${PROJECT_SOURCE_DIR}/src/${layer}/layer.cmake OPTIONAL)
endforeach()
target_link_libraries(supple_base PUBLIC Threads::Threads)

# What an engine links to play characters.
add_library(supple_runtime INTERFACE)
add_library(supple::runtime ALIAS supple_runtime)
set_target_properties(supple_runtime PROPERTIES EXPORT_NAME runtime)
target_link_libraries(supple_runtime INTERFACE supple_deform)
