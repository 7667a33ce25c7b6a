#include "inspect/early_loads.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

struct Instruction {
    std::uint64_t address;
    bool has_predicate;    // @P0, @!UP1: it may do nothing. @PT is none
    std::string_view text; // without the predicate
    std::string_view name; // LDG of LDG.E.64
};

struct Function {
    std::string name, architecture;
    std::vector<Instruction> code{};
    std::vector<std::string> places{}; // of each instruction
    std::map<std::string, std::size_t, std::less<>> labels{};
};

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.remove_suffix(1);
    return text;
}

// What is between two texts; nullopt if they are not there.
std::optional<std::string_view> between(std::string_view line, std::string_view before, std::string_view after)
{
    const std::size_t begin = line.find(before);
    if (begin == std::string_view::npos)
        return std::nullopt;
    line.remove_prefix(begin + before.size());
    const std::size_t end = line.find(after);
    if (end == std::string_view::npos)
        return std::nullopt;
    return line.substr(0, end);
}

std::optional<std::uint64_t> hexadecimal(std::string_view text)
{
    if (text.starts_with("0x"))
        text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || end == text.data())
        return std::nullopt;
    return value;
}

// `        /*0090*/              @!P0 LDG.E R2, desc[UR4][R2.64] ;         /* 0x…7981 */`
std::optional<Instruction> instruction_of(std::string_view line)
{
    line = trimmed(line);
    if (!line.starts_with("/*"))
        return std::nullopt;
    const std::size_t end = line.find("*/");
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::string_view number = line.substr(2, end - 2);
    if (number.empty() ||
        !std::ranges::all_of(number, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }))
        return std::nullopt;
    line = line.substr(end + 2);
    const std::size_t semicolon = line.find(';');
    if (semicolon == std::string_view::npos)
        return std::nullopt;
    line = trimmed(line.substr(0, semicolon));
    if (line.starts_with("{")) // two instructions at once, of old architectures
        line = trimmed(line.substr(1));
    bool has_predicate = false;
    if (line.starts_with("@")) {
        const std::size_t blank = std::min(line.find(' '), line.size());
        const std::string_view predicate = line.substr(1, blank - 1);
        has_predicate = predicate != "PT" && predicate != "UPT";
        line = trimmed(line.substr(blank));
    }
    if (line.empty())
        return std::nullopt;
    return Instruction{*hexadecimal(number), has_predicate, line, line.substr(0, line.find_first_of(". "))};
}

// Calls `visit` for each line.
template <class Visit>
void each_line(std::string_view text, const Visit& visit)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        visit(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// `//## File "x.cu", line 12 inlined at …`: FILE:LINE; empty if the line is another one.
std::string place_of(std::string_view line)
{
    const auto file = between(line, "//## File \"", "\"");
    const std::size_t number = line.find(", line ");
    if (!file || number == std::string_view::npos)
        return "";
    line.remove_prefix(number + 7);
    return fmt::format("{}:{}", *file, line.substr(0, line.find_first_not_of("0123456789")));
}

// The name of the function that begins here; empty if none does.
std::string_view name_of_function(std::string_view line)
{
    constexpr std::string_view kOfCuobjdump = "Function : ";
    constexpr std::string_view kOfNvdisasm = ".text.";
    if (line.starts_with(kOfCuobjdump))
        return line.substr(kOfCuobjdump.size());
    return line.starts_with(kOfNvdisasm) && line.ends_with(":")
               ? line.substr(kOfNvdisasm.size(), line.size() - kOfNvdisasm.size() - 1)
               : "";
}

std::vector<Function> functions_of(std::string_view text)
{
    std::vector<Function> all;
    std::string architecture;
    std::string place;
    bool is_place_open = false; // the lines before were places: of inlined code, and then of where it is inlined
    each_line(text, [&](std::string_view whole) {
        const std::string_view line = trimmed(whole);
        for (const std::string_view before : {"code for ", ".target"})
            if (line.starts_with(before))
                architecture = trimmed(line.substr(before.size()));
        if (const std::string_view name = name_of_function(line); !name.empty()) {
            all.push_back({std::string(name), architecture});
            place.clear();
            is_place_open = false;
        }
        if (all.empty())
            return;
        Function& now = all.back();
        if (const std::string next = place_of(line); !next.empty()) {
            if (!is_place_open || place.find("/include/") != std::string::npos) // not a line of CUDA's own headers
                place = next;
            is_place_open = true;
        } else if ((line.starts_with(".L_") || line.starts_with("$")) && line.ends_with(":")) {
            now.labels.emplace(line.substr(0, line.size() - 1), now.code.size());
        } else if (const auto instruction = instruction_of(line)) {
            now.code.push_back(*instruction);
            now.places.push_back(place);
            is_place_open = false;
        }
    });
    std::erase_if(all, [](const Function& function) { return function.code.empty(); });
    return all;
}

// Where a jump leads: its last operand, as a label or an address.
std::optional<std::size_t> target_of(const Function& function, const Instruction& jump)
{
    if (const auto label = between(jump.text, "`(", ")")) {
        const auto found = function.labels.find(*label);
        return found == function.labels.end() ? std::nullopt : std::optional(found->second);
    }
    const std::size_t at = jump.text.rfind(' ');
    const auto address = at == std::string_view::npos ? std::nullopt : hexadecimal(jump.text.substr(at + 1));
    if (!address || !jump.text.substr(at + 1).starts_with("0x"))
        return std::nullopt;
    const auto found = std::ranges::lower_bound(function.code, *address, {}, &Instruction::address);
    return found == function.code.end() ? std::nullopt : std::optional<std::size_t>(found - function.code.begin());
}

// `BRA UP0, 0x120` and `BRA.DIV UR4, 0x120` have a condition among their operands.
bool is_conditional(const Instruction& jump)
{
    return jump.has_predicate || jump.text.find(',') != std::string_view::npos ||
           jump.text.find(".DIV") != std::string_view::npos || jump.text.find(".CONV") != std::string_view::npos;
}

bool loads_what_others_write(const Instruction& instruction)
{
    static constexpr std::array<std::string_view, 13> kLoads{
        "LDG", "LD", "LDGSTS", "LDGMC", "UTMALDG", "TEX", "TLD", "TLD4", "TXD", "SULD", "ATOM", "ATOMG", "SUATOM"};
    // A bulk copy from shared to global memory loads nothing that others write.
    if (instruction.name == "UBLKCP")
        return instruction.text.find(".G.S") == std::string_view::npos;
    return std::ranges::find(kLoads, instruction.name) != kLoads.end();
}

bool is_call(const Instruction& instruction)
{
    return instruction.name == "CALL" || instruction.name == "JCAL" || instruction.name == "UCALL";
}

bool waits(const Function& function)
{
    return std::ranges::find(function.code, "ACQBULK", &Instruction::name) != function.code.end();
}

class Walk
{
  public:
    // `outer`: the beginnings of the functions that are being called.
    explicit Walk(const Function& function, std::size_t begin = 0, std::set<std::size_t> outer = {})
        : function_(function), outer_(std::move(outer))
    {
        outer_.insert(begin);
        reach(begin);
        while (!open_.empty()) {
            const std::size_t at = open_.back();
            open_.pop_back();
            follow(at);
        }
    }

    // All that can be reached without a wait.
    WaitingKernel found() const
    {
        WaitingKernel kernel{function_.name, function_.architecture};
        for (const std::size_t at : seen_) {
            const Instruction& now = function_.code[at];
            if (loads_what_others_write(now))
                kernel.loads.push_back({now.address, std::string(now.text), function_.places[at]});
            kernel.calls += is_call(now) && !target_of(function_, now) ? 1 : 0;
            kernel.indirect_branches +=
                now.name == "BRX" || now.name == "JMX" || now.name == "BRXU" || now.name == "JMXU" ? 1 : 0;
        }
        return kernel;
    }

  private:
    void reach(std::size_t at)
    {
        if (at < function_.code.size() && seen_.insert(at).second)
            open_.push_back(at);
    }
    void follow(std::size_t at)
    {
        const Instruction& now = function_.code[at];
        const auto is = [&](std::string_view name) { return now.name == name; };
        bool goes_on = true;
        if (const auto callee = is_call(now) ? target_of(function_, now) : std::nullopt) {
            // A function in the same text. Behind the call goes on who can return from it without a wait.
            const Walk inner =
                outer_.contains(*callee) ? Walk(function_, function_.code.size()) : Walk(function_, *callee, outer_);
            seen_.insert(inner.seen_.begin(), inner.seen_.end());
            goes_on = now.has_predicate || std::ranges::any_of(inner.seen_, [&](std::size_t inside) {
                          return function_.code[inside].name == "RET";
                      });
        } else if (is("ACQBULK") || is("EXIT") || is("RET") || is("BRX") || is("JMX") || is("BRXU") || is("JMXU")) {
            goes_on = now.has_predicate;
        } else if (is("BRA") || is("JMP") || (is("WARPSYNC") && now.text.find(',') != std::string_view::npos)) {
            if (const auto target = target_of(function_, now))
                reach(*target);
            goes_on = is("WARPSYNC") || is_conditional(now);
        } else if (is("BSSY")) {
            // Its threads meet again at the target, from each BSYNC of this register.
            if (const auto target = target_of(function_, now)) {
                meets_[register_of(now)].insert(*target);
                if (joins_.contains(register_of(now)))
                    reach(*target);
            }
        } else if (is("BSYNC")) {
            joins_.insert(register_of(now));
            for (const std::size_t target : meets_[register_of(now)])
                reach(target);
            goes_on = meets_[register_of(now)].empty() || now.has_predicate;
        }
        if (goes_on)
            reach(at + 1);
    }
    // B0 of `BSSY B0, 0x120`, `BSSY.RECONVERGENT B0, …` and `BSYNC B0`.
    static std::string register_of(const Instruction& instruction)
    {
        const std::size_t blank = instruction.text.find(' ');
        return blank == std::string_view::npos
                   ? ""
                   : std::string(trimmed(instruction.text.substr(blank, instruction.text.find(',') - blank)));
    }

    const Function& function_;
    std::set<std::size_t> outer_, seen_;
    std::vector<std::size_t> open_;
    std::map<std::string, std::set<std::size_t>> meets_;
    std::set<std::string> joins_;
};

std::string readable_name(const std::string& name)
{
    if (!name.starts_with("_Z"))
        return name;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    return text ? text.get() : name;
}

std::string amount_of(std::size_t count, std::string_view noun, std::string_view plural)
{
    return fmt::format("{} {}", count, count == 1 ? noun : plural);
}

} // namespace

EarlyLoads find_early_loads(std::string_view text)
{
    const std::vector<Function> functions = functions_of(text);
    if (functions.empty())
        throw RunError("no function for a GPU is in it; allowed: what nvcc built for a real architecture, such as "
                       "-arch=sm_90, or what `cuobjdump -sass` printed");
    EarlyLoads found{functions.size()};
    for (const Function& function : functions)
        if (waits(function))
            found.waiting.push_back(Walk(function).found());
        else if (!function.name.starts_with("__cuda") && std::ranges::any_of(function.code, is_call))
            ++found.callers;
    return found;
}

std::map<std::pair<std::string, std::uint64_t>, std::string> places_of_sass(std::string_view text)
{
    std::map<std::pair<std::string, std::uint64_t>, std::string> places;
    for (const Function& function : functions_of(text))
        for (std::size_t at = 0; at < function.code.size(); ++at)
            if (!function.places[at].empty())
                places.emplace(std::pair(function.name, function.code[at].address), function.places[at]);
    return places;
}

std::string early_loads_text(const EarlyLoads& found)
{
    std::string text;
    std::size_t early = 0;
    for (const WaitingKernel& kernel : found.waiting) {
        if (kernel.loads.empty() && kernel.calls + kernel.indirect_branches == 0)
            continue;
        early += kernel.loads.empty() ? 0 : 1;
        text += fmt::format("{}{}: {} before griddepcontrol.wait\n", readable_name(kernel.name),
                            kernel.architecture.empty() ? "" : ", " + kernel.architecture,
                            amount_of(kernel.loads.size(), "load", "loads"));
        for (const EarlyLoad& load : kernel.loads)
            text += fmt::format("  {:#06x}  {}{}\n", load.address, load.text,
                                load.place.empty() ? "" : "  " + load.place);
        if (kernel.calls != 0)
            text +=
                fmt::format("  and {}, of which the loads are not seen\n", amount_of(kernel.calls, "call", "calls"));
        if (kernel.indirect_branches != 0)
            text += fmt::format("  and {}, behind which loads are not seen\n",
                                amount_of(kernel.indirect_branches, "indirect branch", "indirect branches"));
    }
    text += found.waiting.empty()
                ? fmt::format("none of {} waits (griddepcontrol.wait)\n",
                              amount_of(found.functions, "function", "functions"))
                : fmt::format("{} of {} may load before the wait\n", early,
                              amount_of(found.waiting.size(), "kernel that waits", "kernels that wait"));
    if (!found.waiting.empty() && found.callers != 0)
        text += folded(fmt::format("{} without a wait of its own: if what it calls waits, loads before the call are "
                                   "not seen.",
                                   amount_of(found.callers, "function that calls is", "functions that call are")),
                       0);
    if (early != 0)
        text +=
            folded("A load is right if no grid before writes what it reads, such as weights; or if it is a generic "
                   "load of shared memory. Stores are not looked at.",
                   0);
    return text;
}

} // namespace nestbed
