// The log: one CSV row a sample, appended and flushed at once, and a manifest beside it.
#pragma once

#include "case.hpp"
#include "facts.hpp"
#include "plan.hpp"
#include "sample.hpp"
#include "session.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// What all rows of one backend in one run have in common.
struct RunFacts {
    std::string experiment;
    std::string run_id; // UTC time and process number: 20261121T064012Z-4711
    std::string schedule;
    double floor_us = 0;         // the null kernel of this run
    unsigned timer_step_ns = 0;  // of the timer in the kernels, in this run
    MeasuredBandwidth bandwidth; // of the memory, in this run
    DeviceFacts device;
};

// One cell a column, in the order of columns().
std::vector<std::string> row_of(const RunFacts& run, const Case& point, unsigned repetition, const Sample& sample);
const std::vector<std::string>& columns();

// RFC 4180, one line with its CR LF. libcsv quotes.
std::string csv_line(const std::vector<std::string>& cells);
// The rows of a CSV text. libcsv parses, strictly; throws RunError with the byte at which it gave up.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

class CsvLog
{
  public:
    // Opens for appending and writes the header if the file is new; "-" is standard output. Throws UsageError
    // when it cannot be written or has other columns; then nothing is left behind.
    explicit CsvLog(const std::string& path);
    // Throws RunError when the row could not be written whole.
    void append(const std::vector<std::string>& cells);
    const std::string& path() const { return path_; }

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept;
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

// False for standard output and for devices, which have no place beside them.
bool has_manifest(const std::string& csv_path);
std::string manifest_path(const std::string& csv_path);
// Throws UsageError when a file that is no manifest lies where the manifest of this CSV belongs.
void check_manifest(const std::string& csv_path);
// Adds a run to the manifest beside a CSV (its name with .json): the whole environment, once a run. Written
// to a temporary file and renamed. Throws RunError.
void write_manifest(const std::string& csv_path, const Plan& plan, const std::map<BackendKind, RunFacts>& runs,
                    const std::map<BackendKind, DepthProbe>& probes, const std::vector<std::string>& command);

// "20261121T064012Z-4711", new for every call in another second or process.
std::string new_run_id();
std::string utc_now(); // "2026-11-21T06:40:12Z"

} // namespace nestbed
