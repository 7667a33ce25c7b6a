// The log: one CSV row a sample, whole in the file when append() returns, and on the disk as soon as the disk has it.
#pragma once

#include "log/disk_sync.hpp"
#include "log/parsed_log.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// How much of a CSV text is whole rows: up to behind the last line break that is not within quotes.
std::size_t bytes_of_whole_rows(std::string_view text);

// FILE.WORD-1, or the first number of which there is neither a log nor its manifest.
std::string free_name(const std::string& path, std::string_view word);

// Moves a file that is there, and its manifest, to names that are free: FILE.old-1, ... and FILE.old-1.json. A manifest of the old name,
// which other logs may share, is copied. Returns the new name of the file; empty if there is none. Throws UsageError when another run is writing it, RunError when it cannot be moved.
std::string put_aside(const std::string& path);

// A log that is open for appending, by this process alone. Its text is kept: when something else deletes, moves, cuts or writes to the
// file meanwhile, begin(), append() and finish() write all that was in the log to a new file, FILE.rescued-1, with its manifest, and throw
// RunError that says so.
class CsvLog
{
  public:
    // Nothing is written until begin(): what is there can be looked at first. "-" is standard output. Throws UsageError for what is
    // no log of this version, for one that another run is writing, and where there can be none; RunError where the machine does not let it be.
    explicit CsvLog(const std::string& path);
    CsvLog(const CsvLog&) = delete;
    CsvLog& operator=(const CsvLog&) = delete;
    // Removes the file that it has made if begin() was not called.
    ~CsvLog();

    // What is there already, without a row that is not whole. Throws RunError as parse_log() does.
    ParsedLog rows() const;
    bool has_rows() const;
    bool has_header() const { return whole_ != 0; }
    // Bytes of a last row that is not whole: of a run that was ended while it wrote, or a machine that went down.
    std::size_t torn_bytes() const { return text_.size() - whole_; }

    // Cuts off what is torn, and writes the header where there is none. `manifest` is the text of the log's manifest. Throws RunError.
    void begin(std::string manifest = "");
    // Throws RunError when the row could not be written whole; then nothing of it is in the file.
    void append(const std::vector<std::string>& cells);
    // Waits until all rows are on the disk, and checks that the file has them. Throws RunError.
    void finish();
    // The last part of it alone: what a run that ends early has written is still there. Throws RunError, once.
    void check();
    const std::string& path() const { return path_; }

  private:
    void open();
    void read();
    void write(std::string_view text);
    std::string change() const;
    void rescue_if_changed(std::string_view line = "");
    [[noreturn]] void rescue(const std::string& what);
    [[noreturn]] void fail(const std::string& what, int error) const;

    std::string path_;
    int descriptor_ = -1;
    bool file_ = false; // not standard output, no pipe and no device
    bool made_ = false; // by this object, and not begun
    bool rescued_ = false;
    std::string text_; // what is in the file
    std::size_t whole_ = 0;
    std::string manifest_;
    std::unique_ptr<DiskSync> sync_;
};

} // namespace nestbed
