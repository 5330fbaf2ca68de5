# One library per layer of src/layers.txt, linked to the layers it may include.
set(SUPPLE_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${SUPPLE_INCLUDE_DIR})
# Headers are included as "supple/<layer>/<file>.h" in the build tree and after installation alike.
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src ${SUPPLE_INCLUDE_DIR}/supple SYMBOLIC)

set(layer_table ${PROJECT_SOURCE_DIR}/src/layers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${layer_table})
file(STRINGS ${layer_table} rows REGEX "^[a-z_]+:")
find_package(Threads REQUIRED)

set(SUPPLE_LAYERS "")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^([a-z_]+):([^|]*)[|](.*)$" _ "${row}")
  set(layer ${CMAKE_MATCH_1})
  string(STRIP "${CMAKE_MATCH_3}" third_party)  # before the next match overwrites it
  string(REGEX MATCHALL "[a-z_]+" depends "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "\\[[^]]*\\]" "" third_party "${third_party}")  # optional packages do not count
  if(SUPPLE_CORE_ONLY AND NOT third_party STREQUAL "")
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
  list(APPEND SUPPLE_LAYERS ${layer})
  include(${PROJECT_SOURCE_DIR}/src/${layer}/layer.cmake OPTIONAL)
endforeach()
target_link_libraries(supple_base PUBLIC Threads::Threads)

# What an engine links to play characters.
add_library(supple_runtime INTERFACE)
add_library(supple::runtime ALIAS supple_runtime)
set_target_properties(supple_runtime PROPERTIES EXPORT_NAME runtime)
target_link_libraries(supple_runtime INTERFACE supple_deform)
