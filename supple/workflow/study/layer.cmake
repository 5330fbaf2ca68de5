find_package(fmt REQUIRED)
target_link_libraries(supple_study PRIVATE $<BUILD_INTERFACE:fmt::fmt>)
