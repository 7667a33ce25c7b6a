// Settings: what an experiment file and the command line say, as text, each with the place where it was said.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

struct Setting {
    std::string key;
    std::string value;
    std::string file; // empty: from the command line
    unsigned line = 0;
    std::string section; // of the file; empty: before the first one, or from the command line

    // "experiments/book.cfg:4: grid = 12a" or "--grid 12a": how messages begin.
    std::string place() const;
};

// One key that an experiment file or the command line may have.
struct Key {
    std::string_view name;
    std::string_view value; // what stands for the value in the help: "AXIS", "LIST"
    std::string_view one;   // the same for a command that takes one value: "N", "NAME"
    std::string_view help;
    std::string_view otherwise; // the value where none is given; empty: there is none
    bool axis = true;           // of the cases; else of the whole run, and not for a section
};
// In the order of the help. Keys are spelled with '-'; files may spell them with '_' too.
std::span<const Key> all_keys();

// A key as it is spelled in all_keys(): every '_' becomes '-'.
std::string canonical_key(std::string_view name);

class Settings
{
  public:
    // Reads an experiment file, or of FILE:SECTION that section alone, with what is said before the first one. `key = value` lines, '#' begins a comment, a repeated key adds to its list. A line
    // [name] begins a section: a part of the experiment with axes of its own. Throws UsageError with file and line.
    void read_file(const std::string& path);
    // All sections of a text; `path` is what messages call it.
    void read_text(std::string_view text, const std::string& path);
    // From the command line: replaces all that a file says of this key, in every section.
    void set(const std::string& key, const std::vector<std::string>& values);

    // In the order in which they were said; empty if nothing was.
    std::vector<Setting> of(std::string_view key) const;
    // The only one. Throws UsageError when there are several.
    std::optional<Setting> one(std::string_view key) const;
    // The parts of the experiment: for each section what it says, and what is said before the first one of keys that
    // it does not have. The settings themselves, if there are no sections.
    std::vector<Settings> parts() const;
    // " in section [name]" for a part that is one, for messages; else empty.
    std::string section_text() const { return section_.empty() ? "" : " in section [" + section_ + "]"; }
    // What the file says, unless the command line changes what it says of the cases: then the experiment's name and what was changed.
    // Empty where there is none. Throws UsageError for two.
    std::string title() const;
    // The name that was given, or the stem of the file that was read last, "adhoc" without one.
    const std::string& experiment() const { return experiment_; }
    void name_experiment(const std::string& name) { experiment_ = name; }

  private:
    void keep_section(const std::string& path, const std::string& name);

    std::vector<Setting> settings_;
    std::vector<std::string> sections_;
    std::string section_;              // of a part
    std::vector<std::string> changed_; // axes that the command line has other values of than the file
    std::string experiment_ = "adhoc";
};

} // namespace nestbed
