// The form of each column's cells: which texts a cell may be. Pure.
#pragma once

#include "model/axis_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nestbed
{

enum class Form : std::uint8_t {
    text,     // anything
    name,     // anything but nothing
    axis,     // a value of the axis of this name, or nothing
    status,   // one of kStatuses
    backend,  // cuda or cpu
    schedule, // of the executor, or nothing
    submit,   // held, open or nothing
    index,    // a whole number
    whole,    // a whole number or nothing
    integer,  // the same, which may be negative
    decimal,  // a number from 0, without an exponent, or nothing
    number,   // a finite number or nothing
    wholes,   // whole numbers, separated by blanks, or nothing
    decimals, // the same of numbers
    utc,      // "2026-11-21T06:40:12Z"
};

struct ColumnForm {
    std::string_view column;
    Form form;
};

// The columns with a form. The axes that no rule names have theirs by the axis table.
inline constexpr std::array kColumnForms = std::to_array<ColumnForm>({
    {"experiment", Form::name},
    {"run_id", Form::name},
    {"key", Form::name},
    {"strategy", Form::name},
    {"workload", Form::name},
    {"backend", Form::backend},
    {"mechanism", Form::axis},
    {"type", Form::axis},
    {"elements", Form::axis},
    {"grid", Form::axis},
    {"submit_asked", Form::axis},
    {"pending_limit_asked", Form::axis},
    {"pending_limit", Form::whole},
    {"limit_bytes", Form::integer},
    {"wave", Form::whole},
    {"waves", Form::whole},
    {"streams", Form::whole},
    {"schedule", Form::schedule},
    {"repetition", Form::index},
    {"gpu_us", Form::decimal},
    {"wall_us", Form::decimal},
    {"submit", Form::submit},
    {"sm_clock_mhz", Form::whole},
    {"memory_clock_mhz", Form::whole},
    {"temperature_c", Form::whole},
    {"power_w", Form::decimal},
    {"throttle", Form::text},
    {"bytes", Form::whole},
    {"bandwidth_gb_s", Form::decimal},
    {"peak_gb_s", Form::decimal},
    {"peak_share", Form::decimal},
    {"measured_gb_s", Form::decimal},
    {"measured_share", Form::decimal},
    {"l2_bytes", Form::whole},
    {"floor_us", Form::decimal},
    {"latency_us", Form::decimal},
    {"latency_min_us", Form::decimal},
    {"latency_max_us", Form::decimal},
    {"latency_us_by_depth", Form::decimals},
    {"timer_step_ns", Form::whole},
    {"host_launches", Form::whole},
    {"launches_expected", Form::whole},
    {"launches_attempted", Form::whole},
    {"launches_failed", Form::whole},
    {"launches_by_depth", Form::wholes},
    {"max_depth", Form::whole},
    {"items_offered", Form::whole},
    {"launched", Form::whole},
    {"replaced", Form::whole},
    {"drains", Form::whole},
    {"child_blocks", Form::whole},
    {"arena_bytes", Form::whole},
    {"work", Form::whole},
    {"pixels_off", Form::whole},
    {"answer", Form::text},
    {"reference", Form::text},
    {"relative_error", Form::number},
    {"status", Form::status},
    {"detail", Form::text},
    {"machine", Form::text},
    {"gpu", Form::text},
    {"driver", Form::text},
    {"cuda", Form::text},
    {"git", Form::text},
    {"utc", Form::utc},
});

// The place of a column in kColumnForms, found while compiling: "gpu_us"_column.
consteval std::size_t operator""_column(const char* name, std::size_t size)
{
    for (std::size_t place = 0; place < kColumnForms.size(); ++place)
        if (kColumnForms.at(place).column == std::string_view(name, size))
            return place;
    throw std::invalid_argument("no column has this name");
}

// Whether a cell has the form; `axis` is that of the column, if it has one. Writes the number in it, if it is one:
// NaN for nothing.
bool has_form(Form form, const Axis* axis, std::string_view cell, double& number);

// What is allowed, in words: "a whole number or nothing".
std::string form_text(Form form, const Axis* axis);

} // namespace nestbed
