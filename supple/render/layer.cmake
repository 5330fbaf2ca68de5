# Pictures need EGL and OpenGL ES 3 (a software driver is enough) and the stb headers.
find_library(SUPPLE_EGL_LIBRARY EGL)
find_path(SUPPLE_STB_INCLUDE stb_image_write.h PATH_SUFFIXES stb)
include(${PROJECT_SOURCE_DIR}/cmake/gles.cmake)
foreach(needed IN ITEMS SUPPLE_EGL_LIBRARY SUPPLE_STB_INCLUDE)
  if(NOT ${needed})
    message(FATAL_ERROR "supple/render: ${needed} was not found "
      "(apt install libegl-dev libgles-dev libgl1-mesa-dri libstb-dev, or configure with -DSUPPLE_CORE_ONLY=ON)")
  endif()
endforeach()
target_include_directories(supple_render SYSTEM PRIVATE ${SUPPLE_GLES_INCLUDE} ${SUPPLE_STB_INCLUDE})
target_link_libraries(supple_render PRIVATE
  $<BUILD_INTERFACE:${SUPPLE_GLES_LIBRARY}> $<BUILD_INTERFACE:${SUPPLE_EGL_LIBRARY}>
  $<INSTALL_INTERFACE:GLESv2> $<INSTALL_INTERFACE:EGL>)
