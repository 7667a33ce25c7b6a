// The log: one CSV row per sample. A row is complete in the file when append() returns. A background thread syncs it
// to the disk.
#pragma once

#include "log/disk_sync.hpp"
#include "log/log_place.hpp"
#include "log/parsed_log.hpp"

#include <cstddef>
#include <memory>
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

// Moves an existing file and its manifest to free names: FILE.old-1, ... and FILE.old-1.json. A link is moved, not what
// it leads to. A manifest with the old name is copied instead, because other logs may share it. Returns the new name of
// the file; empty if the file does not exist. From then on the place follows no links. Throws UsageError if another run
// is writing the file, RunError if it cannot be moved.
std::string back_up(LogPlace& place);

// A log that only this process has open for appending. The object keeps a copy of the text. If something else
// deletes, moves, truncates or writes the file, begin(), append() and finish() write the complete text to a new file,
// FILE.rescued-1, with its manifest, and throw a RunError that reports this.
class CsvLog
{
  public:
    // Writes nothing before begin(), so that the caller can look at existing rows first. "-" is standard output.
    // Throws UsageError if the file is not a log of this version, if another run is writing it, or if there can be no
    // file of this name; RunError if the system cannot open or read it, or a link has taken its name.
    explicit CsvLog(const LogPlace& place);
    CsvLog(const CsvLog&) = delete;
    CsvLog& operator=(const CsvLog&) = delete;
    // Removes a file that this object created if begin() was not called.
    ~CsvLog();

    // The existing rows, without a partial row. They refer to the copy of the text: use them before begin(). Throws
    // RunError as parse_log() does.
    ParsedLog rows() const;
    bool has_rows() const;
    bool has_header() const { return whole_ != 0; }
    // Bytes of a partial last row, which a killed run or a machine crash leaves.
    std::size_t torn_bytes() const { return text_.size() - whole_; }

    // Removes a partial row, and writes the header if there is none. `manifest` is the text of the log's manifest.
    // Throws RunError.
    void begin(std::string manifest = "");
    // Throws RunError if the row could not be written completely; then no part of it is in the file.
    void append(const std::vector<std::string>& cells);
    // Waits until all rows are on the disk, and checks that the file contains them. Throws RunError.
    void finish();
    // Only the check of finish(), for a run that ends early: the rows written are still in the file. Throws RunError,
    // once.
    void check();
    const std::string& path() const { return place_.path; }

  private:
    void open();
    void read();
    void write(std::string_view text);
    std::string change() const;
    void rescue_if_changed(std::string_view line = "");
    [[noreturn]] void rescue(const std::string& what);
    [[noreturn]] void fail(const std::string& what, int error) const;

    LogPlace place_;
    int descriptor_ = -1;
    bool file_ = false; // a regular file: not standard output, a pipe or a device
    bool made_ = false; // created by this object, and begin() was not called
    bool rescued_ = false;
    std::string text_; // the content of the file
    std::size_t whole_ = 0;
    std::string manifest_;
    std::unique_ptr<DiskSync> sync_;
};

} // namespace nestbed
