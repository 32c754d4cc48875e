// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/json_variant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens::json {
namespace {

struct Circle {
  double radius = 1;
  bool operator==(const Circle&) const = default;
};
BOOST_DESCRIBE_STRUCT(Circle, (), (radius))

struct Place {
  bool operator==(const Place&) const = default;
};
BOOST_DESCRIBE_STRUCT(Place, (), ())

}  // namespace

template <>
inline constexpr std::string_view kVariantName<Circle>{"circle"};
template <>
inline constexpr std::string_view kVariantName<Place>{"point"};

namespace {

using Form = std::variant<std::monostate, Circle, Place>;

struct Drawing {
  std::vector<Form> forms;
};
BOOST_DESCRIBE_STRUCT(Drawing, (), (forms))

TEST(JsonVariant, SaysWhichStructItIs) {
  const Drawing drawing{.forms = {Circle{.radius = 2}, Place(), Form()}};
  const Value value = encode(drawing);
  EXPECT_EQ(value.at("forms").at(0), (Value{{"is", "circle"}, {"radius", 2.0}}));
  EXPECT_EQ(value.at("forms").at(1), (Value{{"is", "point"}}));
  EXPECT_TRUE(value.at("forms").at(2).is_null());
  EXPECT_EQ(decode<Drawing>(value, "it").forms, drawing.forms);
}

TEST(JsonVariant, IsNothingWhereItsStructIsNotKnown) {
  const Value value{{"forms", {{{"is", "square"}, {"side", 2.0}}}}};
  EXPECT_EQ(decode<Drawing>(value, "it").forms, std::vector<Form>(1));
}

TEST(JsonVariant, RefusesAnObjectThatDoesNotSayWhatItIs) {
  const Value value{{"forms", {{{"radius", 2.0}, {"x", 1.0}}}}};
  try {
    decode<Drawing>(value, "it");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("it: forms[0]: expected a member 'is'"));
  }
}

}  // namespace
}  // namespace quantlens::json
