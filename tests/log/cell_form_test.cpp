// The form of each cell: what it may be, what it may not be, and the number in it.
#include "log/cell_form.hpp"

#include "support/matchers.hpp"

#include <cmath>
#include <initializer_list>

namespace nestbed
{
namespace
{

bool has(Form form, std::string_view cell, const Axis* axis = nullptr)
{
    double number = 0;
    return has_form(form, axis, cell, number);
}

void expect_forms(Form form, std::initializer_list<std::string_view> good,
                  std::initializer_list<std::string_view> bad, const Axis* axis = nullptr)
{
    for (const std::string_view cell : good)
        EXPECT_TRUE(has(form, cell, axis)) << "'" << cell << "': " << form_text(form, axis);
    for (const std::string_view cell : bad)
        EXPECT_FALSE(has(form, cell, axis)) << "'" << cell << "': " << form_text(form, axis);
}

void expect_axis(std::string_view name, std::initializer_list<std::string_view> good,
                 std::initializer_list<std::string_view> bad)
{
    expect_forms(Form::axis, good, bad, &axis_named(name));
}

TEST(CellForm, OfNumbers)
{
    expect_forms(Form::index, {"0", "7", "10", "18446744073709551615"},
                 {"", "00", "07", "-1", "+1", "1.0", "1 ", "x"});
    expect_forms(Form::whole, {"", "0", "10"}, {"00", "07", "-1", "1.0", "1e3", "x", ":", "/"});
    expect_forms(Form::integer, {"", "0", "-5", "12"}, {"--5", "-", "-05", "5-", "1.0"});
    expect_forms(Form::decimal, {"", "0", "0.5", "12.500", "7"},
                 {".5", "1.", "1.5.2", "-1.5", "01.5", "1e3", "inf", "nan"});
    expect_forms(Form::number, {"", "0", "-0.5", "1e-06"}, {"1 ", " 1", "x", "1x", "inf", "nan", "1e999"});
    expect_forms(Form::wholes, {"", "4", "4 0 12"}, {"4  0", " 4", "4 ", "4 x", "4,0", "04 1"});
    expect_forms(Form::decimals, {"", "4", "4.5 0 12.25"}, {"4.5  0", " 4.5", "4.5 ", "4. 5", "-4 5"});
}

TEST(CellForm, OfNames)
{
    expect_forms(Form::text, {"", "any", "<b>"}, {});
    expect_forms(Form::name, {"any"}, {""});
    expect_forms(Form::status, {"ok", "wrong", "launch_failed", "unsupported", "timeout", "crashed"},
                 {"", "fine", "OK"});
    expect_forms(Form::backend, {"cuda", "cpu"}, {"", "gpu", "auto"});
    expect_forms(Form::schedule, {"", "fifo", "eager", "random:0", "random:17"},
                 {"random:", "random:x", "random", "slow"});
    expect_forms(Form::submit, {"", "held", "open"}, {"auto"});
}

TEST(CellForm, OfTimes)
{
    expect_forms(Form::utc,
                 {"2026-11-21T06:40:12Z", "2024-02-29T00:00:00Z", "2026-12-31T23:59:60Z", "2026-01-01T23:59:59Z"},
                 {"", "2026-02-29T06:40:12Z", "2026-13-01T06:40:12Z", "2026-00-01T06:40:12Z", "2026-01-00T06:40:12Z",
                  "2026-11-21T24:00:00Z", "2026-11-21T06:60:12Z", "2026-11-21T06:40:61Z", "2026-11-21 06:40:12Z",
                  "2026-11-21T06:40:12", "2026-11-21T06:40:12Zx", "2026-1-21T06:40:12Z", "x026-11-21T06:40:12Z"});
}

TEST(CellForm, OfAxes)
{
    expect_axis("grid", {"", "1", "2147483647"}, {"0", "2147483648", "x", "1x1", "99999999999999999999"});
    expect_axis("depth", {"", "0", "full", "7"}, {"auto", "-1"});
    expect_axis("type", {"", "int32", "float32"}, {"int64", "0"});
    expect_axis("block-shape", {"", "16x16", "1024x1"}, {"16", "16x", "x16", "0x16", "16x16x1", "2048x1"});
    expect_axis("mechanism", {"none", "tail", "null_stream", "null"}, {"", "push"});
    expect_axis("seed", {"", "0", "18446744073709551615"}, {"-1", "one"});
    expect_axis("graph-file", {"", "any text"}, {});
}

TEST(CellForm, GivesTheNumberInTheCell)
{
    const auto number_in = [](Form form, std::string_view cell, const Axis* axis = nullptr) {
        double number = 77;
        static_cast<void>(has_form(form, axis, cell, number));
        return number;
    };
    EXPECT_EQ(number_in(Form::whole, "12"), 12);
    EXPECT_EQ(number_in(Form::integer, "-12"), -12);
    EXPECT_EQ(number_in(Form::decimal, "12.5"), 12.5);
    EXPECT_EQ(number_in(Form::number, "1e-06"), 1e-06);
    EXPECT_EQ(number_in(Form::axis, "64", &axis_named("grid")), 64);
    for (const Form form : {Form::whole, Form::decimal, Form::text})
        EXPECT_TRUE(std::isnan(number_in(form, "")));
    EXPECT_TRUE(std::isnan(number_in(Form::text, "12")));
}

TEST(CellForm, IsSaidInWords)
{
    EXPECT_EQ(form_text(Form::text, nullptr), "any text");
    EXPECT_EQ(form_text(Form::index, nullptr), "a whole number from 0");
    EXPECT_EQ(form_text(Form::status, nullptr).substr(0, 11), "ok, wrong, ");
    EXPECT_EQ(form_text(Form::axis, &axis_named("grid")), "a whole number from 1 to 2147483647, or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("depth")).substr(0, 22), "a whole number from 0 ");
    EXPECT_EQ(form_text(Form::axis, &axis_named("seed")), "a whole number from 0, or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("block-shape")),
              "two whole numbers from 1 to 1024, such as 8x32, or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("type")), "int32, float32 or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("mechanism")).substr(0, 18), "none, null_stream,");
}

} // namespace
} // namespace nestbed
