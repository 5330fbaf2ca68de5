find_package(fmt REQUIRED)
target_link_libraries(supple_jobs PRIVATE $<BUILD_INTERFACE:fmt::fmt>)
