// Line marks of the preprocessor, and which files are the system's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nestbed::program
{

// `# LINE "FILE" FLAGS`, or `#line LINE "FILE"`.
struct LineMark {
    std::size_t line = 0;
    std::string_view file;  // without the quotes; escaped like a string literal
    bool enters = false;    // flag 1
    bool is_system = false; // flag 3
};

// Empty if the line is another directive. `line` begins with # and may end with \r.
std::optional<LineMark> parse_line_mark(std::string_view line);

// Knows from the marks so far which files are the system's: see Source.
class SystemFiles
{
  public:
    // Whether the text after this mark is the system's. Marks must come in their order.
    bool is_system(const LineMark& mark);

  private:
    bool is_in_system_folder(std::string_view file) const;
    void learn_folders(std::string_view file);

    std::unordered_map<std::string_view, bool> files_;
    std::string_view main_file_;
    std::vector<std::string> folders_ = {"/usr/", "<"};
};

} // namespace nestbed::program
