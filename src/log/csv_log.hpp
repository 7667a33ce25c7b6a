// The log: one CSV row per sample. A row is complete in the file when append() returns.
#pragma once

#include "log/parsed_log.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The length of the complete rows at the start of a CSV text: up to the last line break that is not inside quotes.
std::size_t bytes_of_whole_rows(const TextSource& text);
inline std::size_t bytes_of_whole_rows(std::string_view text)
{
    return bytes_of_whole_rows(TextSource(text));
}

// Throws UsageError if the header of a log of this version ends with LF instead of CR LF, as some editors and git leave
// it. `path` names the log in the message, after `option` if there is one.
void check_line_ends(const std::string& path, std::string_view text, std::string_view option = "");

// A log is written as plain text only. Throws UsageError if this log is compressed: by its name, or because only its
// compressed file is there.
void check_is_not_compressed(const std::string& csv_path);

// FILE.old-N, with the first number N for which neither a log nor its manifest exists.
std::string free_name_for_copy(const std::string& path);

// Moves an existing file and its manifest to a free name, FILE.old-1, ... and FILE.old-1.json. A link is moved, not what
// it leads to. Returns the new name of the file; empty if the file does not exist. Throws UsageError if another run is
// writing the file, RunError if it cannot be moved.
std::string back_up(const std::string& path);

// A log that only this process has open for appending: it holds a lock that the system releases when the process ends,
// however it ends.
class CsvLog
{
  public:
    // Writes nothing before begin(), so that the caller can look at existing rows first. "-" is standard output.
    // Throws UsageError if the file is not a log of this version, if another run is writing it, if it is a symbolic link,
    // or if there can be no file of this name; RunError if the system cannot open or read it.
    explicit CsvLog(const std::string& path);
    CsvLog(const CsvLog&) = delete;
    CsvLog& operator=(const CsvLog&) = delete;
    // Removes a file that this object created if begin() was not called.
    ~CsvLog();

    // The existing rows, without a partial row; only before begin(). Throws RunError as parse_log() does.
    ParsedLog rows() const;
    bool has_rows() const;
    bool has_header() const { return whole_ != 0; }
    // Bytes of a partial last row, which a killed run or a machine crash leaves.
    std::size_t torn_bytes() const { return torn_; }

    // Removes a partial row, and writes the header if there is none. Throws RunError.
    void begin();
    // Throws RunError if the row could not be written completely; then no part of it is in the file. Also if the file no
    // longer has its name, so that its rows would be lost or in another log.
    void append(const std::vector<std::string>& cells);
    // Waits until all rows are on the disk. Throws RunError.
    void finish();
    const std::string& path() const { return path_; }

  private:
    void open();
    void read();
    void write(std::string_view text);
    void sync();
    void check_is_there() const;
    [[noreturn]] void fail(const std::string& what, int error) const;

    std::string path_;
    int descriptor_ = -1;
    bool file_ = false; // a regular file: not standard output, a pipe or a device
    bool made_ = false; // created by this object, and begin() was not called
    std::string text_;  // of the existing rows, before begin()
    std::size_t whole_ = 0;
    std::size_t torn_ = 0;
    std::chrono::steady_clock::time_point synced_;
    std::chrono::steady_clock::duration sync_took_{};
};

} // namespace nestbed
