find_package(nlohmann_json 3.10 REQUIRED)
target_link_libraries(supple_exchange PUBLIC nlohmann_json::nlohmann_json)
target_precompile_headers(supple_exchange PRIVATE <nlohmann/json.hpp>)
