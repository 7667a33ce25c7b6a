// The log: one CSV row a sample, appended and flushed at once.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace nestbed
{

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

} // namespace nestbed
