// Settings: the values in an experiment file and on the command line, as text, each with the place where it was
// given.
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
    std::string section; // in the file; empty: before the first section, or from the command line

    // "experiments/book.cfg:4: grid = 12a" or "--grid 12a": the beginning of a message.
    std::string place() const;
};

// A key that is allowed in an experiment file and on the command line.
struct Key {
    std::string_view name;
    std::string_view value; // placeholder for the value in the help: "AXIS", "LIST"
    std::string_view one;   // the same for a command that takes a single value: "N", "NAME"
    std::string_view help;
    std::string_view default_text; // the default; empty: there is none
    bool axis = true;              // a property of cases; false: of the whole run, and not allowed in a section
    bool own = false;              // a workload's own parameter: Axis::own
    std::string_view hint = {};    // Axis::hint
};
// In the order of the help. Keys are spelled with '-'; files may also use '_'.
std::span<const Key> all_keys();

// A key in the spelling of all_keys(): every '_' becomes '-'.
std::string canonical_key(std::string_view name);

class Settings
{
  public:
    // Reads an experiment file. For FILE:SECTION, reads only that section and the settings before the first section.
    // The file contains lines `key = value`; '#' begins a comment; a repeated key adds to its list. A line [name]
    // begins a section: a part of the experiment with its own axes. Throws UsageError with file and line.
    void read_file(const std::string& path);
    // Reads a text with all its sections; messages use `path` as its name.
    void read_text(std::string_view text, const std::string& path);
    // For the command line: replaces all values of this key from a file, in every section.
    void set(const std::string& key, const std::vector<std::string>& values);

    // In the order in which they were given; empty if there are none.
    std::vector<Setting> of(std::string_view key) const;
    // The only setting of this key. Throws UsageError if there are several.
    std::optional<Setting> one(std::string_view key) const;
    // The parts of the experiment: for each section its own settings, and those before the first section for keys
    // that the section does not set. Without sections: the settings themselves.
    std::vector<Settings> parts() const;
    // " in section [name]" for a part that is a section, for messages; else empty.
    std::string section_text() const { return section_.empty() ? "" : " in section [" + section_ + "]"; }
    // The title in the file. If the command line changes axes of the file: the experiment's name and the changed
    // keys. Empty without a title. Throws UsageError for two titles.
    std::string title() const;
    // The name that was given, or the stem of the file that was read last; "adhoc" without a file.
    const std::string& experiment() const { return experiment_; }
    void name_experiment(const std::string& name) { experiment_ = name; }

  private:
    void keep_section(const std::string& path, const std::string& name);

    std::vector<Setting> settings_;
    std::vector<std::string> sections_;
    std::string section_;              // set for a part
    std::vector<std::string> changed_; // axes to which the command line gives other values than the file
    std::string experiment_ = "adhoc";
};

} // namespace nestbed
