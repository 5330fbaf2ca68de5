find_package(nlohmann_json 3.10 REQUIRED)
target_link_libraries(supple_files PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)  # json.cpp alone
