find_package(fmt REQUIRED)
target_link_libraries(supple_report PRIVATE $<BUILD_INTERFACE:fmt::fmt>)
