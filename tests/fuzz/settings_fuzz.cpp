// An experiment file: its settings, its sections, and the axes that they define.
#include "base/error.hpp"
#include "fuzz/property.hpp"
#include "model/strategy.hpp"
#include "plan/axes.hpp"
#include "plan/settings.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>

namespace nestbed
{
namespace
{

const std::string kPath = "fuzz.cfg";
constexpr std::size_t kPartsRead =
    4; // number of sections whose axes are read: a hundred with ten thousand values each are slow and test nothing more

constexpr WorkloadInfo kSum{.name = "reduce", .axes = {axis::grid, axis::block, axis::elements, axis::depth}};

// read_axes needs strategies by name, of one mechanism and of several; no kernel runs.
class Named final : public Strategy
{
  public:
    Named(std::string_view name, std::span<const Mechanism> mechanisms)
        : info_{.name = name, .workload = &kSum, .mechanisms = mechanisms}
    {
        Registry::add(BackendKind::cpu, *this);
    }
    const StrategyInfo& info() const override { return info_; }
    ExpectedLaunches launches(const Case& /*point*/) const override { return ExpectedLaunches::none(); }

  private:
    StrategyInfo info_;
};
constexpr std::array kSeveral{Mechanism::fire_and_forget, Mechanism::tail, Mechanism::host};
const Named flat("neighbored", kOnly<Mechanism::none>);
const Named nested("nosync", kSeveral);

std::vector<Setting> all_of(const Settings& settings)
{
    std::vector<Setting> all;
    for (const Key& key : all_keys())
        for (Setting& setting : settings.of(key.name))
            all.push_back(std::move(setting));
    return all;
}

// An experiment file with the same content; `sections` lists the sections in their order.
std::string text_of(const std::vector<Setting>& settings, const std::vector<std::string>& sections)
{
    std::string text;
    const auto add = [&](std::string_view section) {
        for (const Setting& setting : settings)
            if (setting.section == section)
                text += setting.key + " = " + setting.value + "\n";
    };
    add("");
    for (const std::string& section : sections) {
        text += "[" + section + "]\n";
        add(section);
    }
    return text;
}

void check_setting(const Setting& setting, std::size_t lines)
{
    require(setting.key == canonical_key(setting.key), "a key is spelled as in all_keys()", setting.key);
    require(!setting.value.empty() && is_one_line(setting.value), "a value is one line", setting.value);
    require(setting.value.find('#') == std::string::npos, "a comment is in no value", setting.value);
    require(setting.file == kPath && setting.line >= 1 && setting.line <= lines, "a setting has its place",
            setting.place());
    require(setting.section.empty() || std::ranges::find(all_keys(), setting.key, &Key::name)->axis,
            "a section has keys of cases alone", setting.place());
}

void check_one(const Settings& settings)
{
    for (const Key& key : all_keys()) {
        const std::vector<Setting> of = settings.of(key.name);
        std::optional<Setting> one;
        const std::string refusal = refusal_of<UsageError>([&] { one = settings.one(key.name); });
        require(one.has_value() == (of.size() == 1), "one() is the only one", refusal);
        require(refusal.empty() == (of.size() < 2), "one() refuses several", refusal);
        require(refusal.empty() || refusal.starts_with(of[1].place() + ": "), "a refusal begins with the place",
                refusal);
    }
}

void check_number(const std::vector<AxisValue>& values, std::uint64_t least, std::uint64_t most, bool word)
{
    require(!values.empty(), "an axis has a value");
    for (const AxisValue& value : values)
        require(value.setting->value.empty() ||
                    (value.number ? *value.number >= least && *value.number <= most : word),
                "a value is within what is allowed", value.setting->place());
}

void check_axes(const Settings& part)
{
    Axes axes;
    const std::string refusal = refusal_of<UsageError>([&] { axes = read_axes(part, 1); });
    if (!refusal.empty()) {
        require(is_one_line(refusal), "a refusal is one line", refusal);
        const bool placed = std::ranges::any_of(
            all_of(part), [&](const Setting& setting) { return refusal.starts_with(setting.place() + ": "); });
        require(placed || refusal.starts_with("no strategy was named" + part.section_text()) ||
                    refusal.starts_with("the axes multiply to "),
                "a refusal of axes names the place", refusal);
        require(refusal.find("allowed") != std::string::npos, "a refusal says what is allowed", refusal);
        return;
    }
    require(!axes.strategies.empty(), "there is a strategy");
    double cases = 1;
    for (const Axis& axis : plain_axes()) {
        const std::vector<AxisValue>& values = axes.of(axis);
        require(!values.empty(), "every axis has a value", axis.name);
        const std::uint64_t most = axis.names.empty() ? axis.range.most : axis.names.size() - 1;
        if (!axis.shape)
            check_number(values, axis.range.least, most, !axis.range.word.empty());
        cases *= static_cast<double>(values.size());
    }
    require(cases <= 1e6, "a sweep has a million cases at most");
    for (const AxisValue& block : axes.of("block"))
        require(!block.number || std::has_single_bit(*block.number), "a block is a power of two",
                block.setting->place());
    for (const auto& [number, setting] : axes.of("block-shape")) {
        Case point;
        axis_named("block-shape").set(point, number);
        require(point.shape.x >= 1 && point.shape.y >= 1 && point.shape.x * std::uint64_t{point.shape.y} <= 1024,
                "a block has its threads", setting->place());
    }
    for (const auto& [name, setting] : axes.strategies) {
        const std::vector<Mechanism> mechanisms = mechanisms_of(axes, Registry::find_anywhere(name)->info());
        require(!mechanisms.empty() && mechanisms.size() <= kSeveral.size(), "a strategy has a mechanism", name);
    }
}

// Returns the names of the sections.
std::vector<std::string> check_parts(const Settings& settings, const std::vector<Setting>& all)
{
    const std::vector<Settings> parts = settings.parts();
    std::vector<std::string> names;
    for (const Settings& part : parts) {
        require(part.experiment() == settings.experiment(), "a part is of the experiment", part.experiment());
        const std::string text = part.section_text();
        constexpr std::string_view kBefore = " in section [";
        if (text.empty()) {
            require(parts.size() == 1 && all_of(part).size() == all.size(), "without sections there is one part");
        } else {
            require(text.starts_with(kBefore) && text.ends_with(']'), "a part names its section", text);
            names.emplace_back(text.substr(kBefore.size(), text.size() - kBefore.size() - 1));
            require(!names.back().empty() && is_one_line(names.back()), "a section has a name", text);
        }
        const std::string own = names.empty() ? "" : names.back();
        for (const Key& key : all_keys()) {
            const auto count = [&](const std::vector<Setting>& in, std::string_view section) {
                return static_cast<std::size_t>(std::ranges::count_if(in, [&](const Setting& setting) {
                    return setting.key == key.name && setting.section == section;
                }));
            };
            const std::size_t said = count(all, own);
            require(part.of(key.name).size() == (said > 0 ? said : count(all, "")),
                    "a part has what it says, and of the rest what is said before the first", key.name);
        }
        if (names.size() <= kPartsRead)
            check_axes(part);
    }
    require(std::set(names.begin(), names.end()).size() == names.size(), "no section comes twice");
    return names;
}

void check_settings(const Settings& settings, std::size_t lines)
{
    require(settings.experiment() == "fuzz", "an experiment is named after its file", settings.experiment());
    const std::vector<Setting> all = all_of(settings);
    for (const Setting& setting : all)
        check_setting(setting, lines);
    check_one(settings);
    const std::vector<std::string> sections = check_parts(settings, all);

    const std::string again_text = text_of(all, sections);
    Settings again;
    again.read_text(again_text, kPath);
    require(text_of(all_of(again), sections) == again_text && again.parts().size() == settings.parts().size(),
            "what was read reads the same when it is written", again_text);

    Settings ruled = settings;
    ruled.set("grid", {"1", "2"});
    for (const Settings& part : ruled.parts())
        require(part.of("grid").size() == 2 && part.of("grid")[0].place() == "--grid 1",
                "the command line rules every part");
}

void check(std::string_view text)
{
    Settings settings;
    const std::string refusal = refusal_of<UsageError>([&] { settings.read_text(text, kPath); });
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    if (refusal.empty())
        return check_settings(settings, lines);
    require(refusal.starts_with(kPath + ":"), "a refusal begins with the place", refusal);
    require(is_one_line(refusal), "a refusal is one line", refusal);
    require(all_of(settings).empty() && settings.parts().size() == 1 && settings.experiment() == "adhoc",
            "a bad file leaves the settings as they were", refusal);
}

} // namespace
} // namespace nestbed

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    nestbed::check({reinterpret_cast<const char*>(data), size});
    return 0;
}
