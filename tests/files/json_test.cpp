// Our JSON value: what is written is what was read, numbers keep their kind and digits, faults are told with their
// place.
#include "supple/files/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace supple {
namespace {

TEST(JsonValue, TextsSurviveARoundTrip) {
  for (const char* text :
       {"null", "true", "false", "0", "-1", "18446744073709551615", "-9223372036854775808", "0.1", "1e+300", "\"\"",
        R"("a\"b\\c\nd\u0001")", "[]", "{}", "[1,[2,[3]],{}]", R"({"b":1,"a":{"z":null,"y":[true]}})"})
    EXPECT_EQ(Json::parse(text).dump(), text);
  EXPECT_EQ(Json::parse("{\"b\": 1, \"a\": [2]}").dump(2), "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}");
}

TEST(JsonValue, NumbersKeepTheirKind) {
  EXPECT_TRUE(Json::parse("3").is_number_unsigned());
  EXPECT_TRUE(Json::parse("-3").is_number_integer());
  EXPECT_FALSE(Json::parse("-3").is_number_unsigned());
  EXPECT_TRUE(Json::parse("3.0").is_number_float());
  EXPECT_EQ(Json::parse("3.0"), 3);  // the same number
  EXPECT_EQ(Json(-1), -1.0);
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));  // whose bits are the same
  EXPECT_LT(Json(2), 2.5);
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(Json(0.1f).get<float>(), 0.1f);
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
}

TEST(JsonValue, BracesMakeObjectsOfPairsAndArraysOfTheRest) {
  const Json object{{"name", "hand"}, {"sizes", {1, 2, 3}}, {"inner", {{"deep", nullptr}}}};
  EXPECT_EQ(object.dump(), R"({"name":"hand","sizes":[1,2,3],"inner":{"deep":null}})");
  EXPECT_EQ(Json({1, "two", 3.5}).dump(), R"([1,"two",3.5])");
  EXPECT_EQ(Json::array({{"a", 1}, {"b", 2}}).dump(), R"([["a",1],["b",2]])");
  EXPECT_EQ(Json(std::vector<std::string>{"x", "y"}).dump(), R"(["x","y"])");
  EXPECT_EQ(Json(std::map<std::string, int>{{"k", 1}}).dump(), R"({"k":1})");
}

TEST(JsonValue, MembersComeAndGoInOrder) {
  Json json;
  json["z"] = 1;
  json["a"]["list"].push_back("one");
  json["a"]["list"][2] = 3;
  EXPECT_EQ(json.dump(), R"({"z":1,"a":{"list":["one",null,3]}})");
  EXPECT_EQ(json.find("none"), nullptr);
  EXPECT_EQ(json.value("none", 7), 7);
  json.update({{"z", 2}, {"new", true}});
  json["a"]["list"].erase(1);
  EXPECT_EQ(json.dump(), R"({"z":2,"a":{"list":["one",3]},"new":true})");
  json.erase("a");
  EXPECT_EQ(json, Json::parse(R"({"new": true, "z": 2})"));  // order does not count
  double sum = 0;
  for (const Json& value : Json::parse(R"({"x": 1, "y": 2})")) sum += value.get<double>();
  EXPECT_EQ(sum, 3);
}

TEST(JsonValue, WhatIsWrongIsThrown) {
  const Json json = Json::parse(R"({"list": [1]})");
  EXPECT_THROW(json["none"], JsonError);
  EXPECT_THROW(json["list"][1], JsonError);
  EXPECT_THROW(json["list"].get<std::string>(), JsonError);
  EXPECT_THROW(Json("text").get<double>(), JsonError);
  EXPECT_THROW(Json(1).members(), JsonError);
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "nul", "\"\\ud800\"", "1 2", "\"\xff\""})
    EXPECT_THROW(Json::parse(text), JsonError) << text;
  try {
    Json::parse("[1,\n2,\n}");
    FAIL();
  } catch (const JsonError& error) {
    EXPECT_EQ(error.byte, 8u);
  }
  std::string deep(100000, '[');
  EXPECT_THROW(Json::parse(deep), JsonError);  // and does not overflow the stack
  EXPECT_NO_THROW(Json::parse(std::string(128, '[') + std::string(128, ']')));
}

TEST(JsonValue, TellsWhereObjectsBegin) {
  std::vector<std::pair<int, std::size_t>> begins;
  Json::parse_with_comments("{\n\"a\": [ // a list\n{}, {\"b\":\n{}}]}",
                            [&](int depth, std::size_t line) { begins.emplace_back(depth, line); });
  EXPECT_EQ(begins, (std::vector<std::pair<int, std::size_t>>{{0, 1}, {2, 3}, {2, 3}, {3, 4}}));
}

TEST(JsonValue, CopiesAreApartAndMovesLeaveNull) {
  Json one{{"a", {1, 2}}};
  Json two = one;
  two["a"][0] = 9;
  EXPECT_EQ(one.dump(), R"({"a":[1,2]})");
  const Json three = std::move(one);
  EXPECT_TRUE(one.is_null());  // NOLINT: what a moved-from value holds is promised
  EXPECT_EQ(three["a"][1], 2);
  two["a"] = two["a"][0];  // a part of itself
  EXPECT_EQ(two.dump(), R"({"a":9})");
  std::ostringstream out;
  out << three;
  EXPECT_EQ(out.str(), three.dump());
}

}  // namespace
}  // namespace supple
