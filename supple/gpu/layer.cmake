# The shader is a file of its own, for the browser to read too; here it becomes a string.
set(skin_glsl ${PROJECT_SOURCE_DIR}/supple/gpu/skin.glsl)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${skin_glsl})
file(READ ${skin_glsl} SUPPLE_SKIN_GLSL)
configure_file(${PROJECT_SOURCE_DIR}/supple/gpu/shader.cpp.in ${PROJECT_BINARY_DIR}/gpu/shader.cpp @ONLY)
target_sources(supple_gpu PRIVATE ${PROJECT_BINARY_DIR}/gpu/shader.cpp)

# What calls OpenGL needs its headers; packing the tables does not.
if(SUPPLE_CORE_ONLY OR EMSCRIPTEN)
  get_target_property(gpu_sources supple_gpu SOURCES)
  list(FILTER gpu_sources EXCLUDE REGEX "/gpu/gl/")
  set_target_properties(supple_gpu PROPERTIES SOURCES "${gpu_sources}")
else()
  include(${PROJECT_SOURCE_DIR}/cmake/gles.cmake)
  target_include_directories(supple_gpu SYSTEM PUBLIC $<BUILD_INTERFACE:${SUPPLE_GLES_INCLUDE}>)
  target_link_libraries(supple_gpu PUBLIC $<BUILD_INTERFACE:${SUPPLE_GLES_LIBRARY}> $<INSTALL_INTERFACE:GLESv2>)
endif()

# Batches on NVIDIA GPUs, where that is asked for; otherwise cuda/absent.cpp says that there are none.
if(SUPPLE_CUDA)
  include(${PROJECT_SOURCE_DIR}/cmake/cuda.cmake)
  supple_add_cuda(supple_gpu ${PROJECT_SOURCE_DIR}/supple/gpu/cuda/batch.cu)
  target_compile_definitions(supple_gpu PRIVATE SUPPLE_CUDA)
endif()
