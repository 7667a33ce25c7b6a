// The times of a log, beside those of the same cases in a table: what another device took. Pure.
#pragma once

#include "log/logged_cases.hpp"
#include "run/flat_times.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

namespace nestbed
{

class ReferenceTimes
{
  public:
    // `path` of the log is named above the table.
    ReferenceTimes(const std::string& path, LoggedCases log);

    // "H200": the log's device; of several, the first.
    const std::string& device() const { return device_; }
    // "H200: times from results/h200/book.csv"
    const std::string& note() const { return note_; }

    struct Cells {
        std::string median;
        std::string ratio; // to the fastest flat form of that log
    };
    // Of the same case, on whichever backend; empty if the log does not have it.
    Cells of(const Case& point) const;

  private:
    std::string device_;
    std::string note_;
    LoggedCases log_;
    FlatTimes flat_;
    std::unordered_map<std::string, std::size_t> cases_; // of log_, by their settings on each backend
};

} // namespace nestbed
