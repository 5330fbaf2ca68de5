# OpenGL ES 3, as headers and a library; a software driver is enough to run it.
find_library(SUPPLE_GLES_LIBRARY GLESv2)
find_path(SUPPLE_GLES_INCLUDE GLES3/gl3.h)
foreach(needed IN ITEMS SUPPLE_GLES_LIBRARY SUPPLE_GLES_INCLUDE)
  if(NOT ${needed})
    message(FATAL_ERROR "${needed} was not found "
      "(apt install libgles-dev libegl-dev libgl1-mesa-dri, or configure with -DSUPPLE_CORE_ONLY=ON)")
  endif()
endforeach()
