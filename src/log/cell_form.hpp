// The form of each column's cells: which texts a cell may be. Pure.
#pragma once

#include "model/axis_table.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nestbed
{

enum class Form : std::uint8_t {
    text,    // anything
    name,    // anything but nothing
    axis,    // a value of the axis of this name, or nothing
    status,  // one of kStatuses
    backend, // cuda or cpu
    whole,   // a whole number or nothing
    number,  // a finite number or nothing
    time,    // a finite number above 0 or nothing
    numbers, // finite numbers, separated by blanks, or nothing
};

struct ColumnForm {
    std::string_view column;
    Form form;
    std::string_view what = {}; // it holds; empty: the help of the axis
};

// The columns with a form, and what they hold. The axes that no rule names have theirs by the axis table.
inline constexpr std::array kColumnForms = std::to_array<ColumnForm>({
    {"experiment", Form::name, "stem of the experiment file, or adhoc"},
    {"run_id", Form::name, "UTC time and process of the run, and a random number"},
    {"key", Form::name, "hash of all that decides what is measured"},
    {"strategy", Form::name, "what runs"},
    {"workload", Form::name, "what the strategy computes"},
    {"backend", Form::backend, "cuda, or cpu: the executor"},
    {"mechanism", Form::axis},
    {"type", Form::axis},
    {"elements", Form::axis},
    {"grid", Form::axis},
    {"submit_asked", Form::axis},
    {"pending_limit_asked", Form::axis},
    {"pending_limit", Form::whole, "limit of pending launches that was set"},
    {"limit_bytes", Form::number, "device memory that the limit takes beyond the default"},
    {"wave", Form::whole, "root blocks per wave"},
    {"waves", Form::whole, "waves of root blocks"},
    {"streams", Form::whole, "host streams that launch the waves"},
    {"schedule", Form::text, "order of grids on the executor"},
    {"repetition", Form::whole, "round, from 0"},
    {"gpu_us", Form::time, "time on the GPU, us"},
    {"wall_us", Form::time, "time on the host's clock, us"},
    {"wall_p99_us", Form::number, "99 % quantile of wall_us over the runs of the sample, us"},
    {"wall_p999_us", Form::number, "99.9 % quantile of it, us"},
    {"wall_worst_us", Form::number, "largest of it, us"},
    {"span_us", Form::number, "from the begin of the first level to the end of the last on the GPU's timer, us"},
    {"span_p99_us", Form::number, "99 % quantile of it over the runs, us"},
    {"span_p999_us", Form::number, "99.9 % quantile of it, us"},
    {"span_worst_us", Form::number, "largest of it, us"},
    {"next_us", Form::number, "from the begin of the first level to that of the kernel after the work, us"},
    {"next_p99_us", Form::number, "99 % quantile of it over the runs, us"},
    {"next_p999_us", Form::number, "99.9 % quantile of it, us"},
    {"next_worst_us", Form::number, "largest of it, us"},
    {"host_us", Form::number, "processor time of the submitting thread until all is submitted, us"},
    {"prepare_us", Form::number, "host time to prepare the run before it was timed, us"},
    {"submit", Form::text, "how gpu_us was taken: held or open"},
    {"sm_clock_mhz", Form::whole, "clock of the multiprocessors, MHz"},
    {"memory_clock_mhz", Form::whole, "clock of the memory, MHz"},
    {"temperature_c", Form::whole, "temperature of the GPU, Celsius"},
    {"power_w", Form::number, "power of the GPU, W"},
    {"throttle", Form::text, "why the clocks are lower than they could be, or no"},
    {"bytes", Form::whole, "least bytes that the workload reads and writes"},
    {"bandwidth_gb_s", Form::number, "bytes over the time, GB/s"},
    {"peak_gb_s", Form::number, "the device's peak bandwidth, GB/s"},
    {"peak_share", Form::number, "bandwidth over the peak"},
    {"measured_gb_s", Form::number, "bandwidth that this run measured first, GB/s"},
    {"measured_share", Form::number, "bandwidth over the measured one"},
    {"l2_bytes", Form::whole, "size of the device's L2 cache"},
    {"empty_kernel_us", Form::number, "time of an empty kernel in this run, us"},
    {"latency_us", Form::number, "median launch latency, us"},
    {"latency_min_us", Form::number, "smallest launch latency, us"},
    {"latency_max_us", Form::number, "largest launch latency, us"},
    {"latency_us_by_depth", Form::numbers, "launch latencies by depth from 1, us"},
    {"timer_step_ns", Form::whole, "step of the kernels' timer, ns"},
    {"host_launches", Form::whole, "kernels and graphs that the host launched"},
    {"launches_expected", Form::whole, "device launches that the case must make"},
    {"launches_attempted", Form::whole, "device launches attempted"},
    {"launches_failed", Form::whole, "device launches refused"},
    {"launches_by_depth", Form::numbers, "attempts by depth from 1"},
    {"max_depth", Form::whole, "deepest level reached"},
    {"items_requested", Form::whole, "items for which threads requested launches"},
    {"launched", Form::whole, "launches that the device accepted"},
    {"replaced", Form::whole, "refused launches that were done in another way"},
    {"drains", Form::whole, "tail launches that did refused ones"},
    {"child_blocks", Form::whole, "blocks of the child grids"},
    {"arena_bytes", Form::whole, "device memory for the items"},
    {"work", Form::whole, "units of work of an irregular workload"},
    {"pixels_off", Form::whole, "pixels that differ from the exhaustive image"},
    {"answer", Form::text, "the answer"},
    {"reference", Form::text, "what the answer must be"},
    {"relative_error", Form::number, "relative error of a sum"},
    {"status", Form::status, "the outcome"},
    {"detail", Form::text, "why the status is not ok"},
    {"machine", Form::text, "hash of the host's name and the number of the GPU"},
    {"gpu", Form::text, "the device"},
    {"driver", Form::text, "version of the driver"},
    {"cuda", Form::text, "version of the CUDA runtime"},
    {"git", Form::text, "nestbed's commit"},
    {"utc", Form::text, "when the sample ended"},
});

// Whether a cell has the form; `axis` is that of the column, if it has one.
bool has_form(Form form, const Axis* axis, std::string_view cell);

// The value of an axis in a cell, a setting of a case or a manifest: the inverse of text_of(). Returns false if the axis
// has no such value.
bool parse_value(const Axis& axis, std::string_view text, std::optional<std::uint64_t>& value);

// "whole": the name of a form in exports.
std::string_view name_of(Form form);
// Whether a cell of this form is one number.
bool is_number(Form form, const Axis* axis);
// That of a column of the log; of an unknown column, that of a text.
ColumnForm form_of(std::string_view column);

// What is allowed, in words: "a whole number from 0, or nothing".
std::string form_text(Form form, const Axis* axis);

} // namespace nestbed
