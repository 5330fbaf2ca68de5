# Headers, libraries and a package config, so that `find_package(supple)` gives supple::runtime and a target per layer.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/supple)
set(exported supple_runtime)
foreach(layer IN LISTS SUPPLE_LAYERS)
  list(APPEND exported supple_${layer})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${SUPPLE_PATH_OF_${layer}}/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${SUPPLE_PATH_OF_${layer}} FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS ${exported} EXPORT supple_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT supple_targets NAMESPACE supple:: DESTINATION ${package_dir})
if(TARGET supple_cli)
  install(TARGETS supple_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/studio/ DESTINATION ${CMAKE_INSTALL_DATADIR}/supple/studio OPTIONAL)  # script/studio made it
endif()
set(SUPPLE_DEPENDENCIES Threads)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/supple-config.cmake.in ${PROJECT_BINARY_DIR}/supple-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/supple-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/supple-config.cmake ${PROJECT_BINARY_DIR}/supple-config-version.cmake
  DESTINATION ${package_dir})
