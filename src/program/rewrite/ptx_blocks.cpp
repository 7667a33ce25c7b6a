#include "program/rewrite/ptx_blocks.hpp"

#include "program/rewrite/ptx_async_forms.hpp"
#include "program/rewrite/ptx_functions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace nestbed::program
{
namespace
{

struct Unsupported {
};

bool is_word(char byte)
{
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_' || byte == '$';
}

// What is before the next separator; it is taken from the text.
std::string_view next_part(std::string_view& text, char separator)
{
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return trimmed(part);
}

// "::std::get<3>(all)": a register, those of the statement's own first, then its operands.
std::string spelled(std::size_t number)
{
    return "::std::get<" + std::to_string(number) + ">(all)";
}

class Block
{
  public:
    // Throws Unsupported.
    explicit Block(std::string_view text)
    {
        std::vector<Registers> scopes(1); // that are open, each with what it takes from those around it
        for (std::string_view rest = text; !rest.empty();) {
            Instruction next{"", next_part(rest, ';'), {}};
            std::string_view& one = next.text;
            while (true) {
                if (const std::string_view label = next_label(one); !label.empty()) {
                    if (!labels_.emplace(label).second) // of another scope
                        throw Unsupported();
                    next.labels += "nestbed_" + std::string(label) + ": __attribute__((unused)); ";
                    continue;
                }
                if (one.starts_with('{')) // of a scope: no instruction begins with one
                    scopes.push_back(scopes.back());
                else if (!one.starts_with('}'))
                    break;
                else if (scopes.size() > 1)
                    scopes.pop_back();
                one = trimmed(one.substr(1));
            }
            std::size_t open = scopes.size(); // behind the instruction
            while (std::ranges::count(one, '}') > std::ranges::count(one, '{') && one.ends_with('}')) {
                one = trimmed(one.substr(0, one.size() - 1));
                open = std::max<std::size_t>(open - 1, 1);
            }
            if (one.starts_with(".reg ")) {
                declare(one.substr(std::string_view(".reg ").size()), scopes.back());
                one = {};
            }
            next.registers = scopes.back();
            if (!one.empty() || !next.labels.empty())
                instructions_.push_back(std::move(next));
            scopes.resize(open);
        }
    }

    // Throws Unsupported: at() is the instruction.
    PtxBlock translated()
    {
        own_ = types_.size();
        for (const Instruction& each : instructions_) { // a number is a register, too
            std::string_view one = each.text;
            next_predicate(one);
            for (std::size_t at = 0; at < one.size(); at = std::max(at, end_of_number(one, at)) + 1)
                own_ += end_of_number(one, at) == 0 ? 0 : 1;
        }
        std::string code;
        for (const Instruction& each : instructions_) {
            registers_ = each.registers;
            code += each.labels + statement(at_ = each.text);
        }
        for (const std::string& label : jumps_)
            if (!labels_.contains(label))
                throw Unsupported();
        if (types_.size() > own_)
            throw Unsupported();
        std::string types;
        types_.resize(own_, "int"); // those that are not used
        for (const std::string& type : types_)
            types += (types.empty() ? "" : ", ") + type;
        return {types,
                "[&]([[maybe_unused]] ::nestbed::program::Place place, auto&... o) { [[maybe_unused]] auto all = "
                "::std::forward_as_tuple(o...); " +
                    code + "}",
                ""};
    }

    [[nodiscard]] std::string_view at() const { return at_; }

  private:
    using Registers = std::map<std::string, std::size_t, std::less<>>; // their numbers
    struct Instruction {
        std::string labels;    // before it, in C++
        std::string_view text; // with its predicate
        Registers registers;   // of its scope
    };

    // ".pred p, q" and ".b32 t<4>", which is t0 to t3.
    void declare(std::string_view text, Registers& scope)
    {
        const std::string_view word = next_part(text, ' ');
        const std::string_view type = type_of_ptx(word.substr(std::min<std::size_t>(1, word.size())));
        if (type.empty())
            throw Unsupported();
        while (!text.empty()) {
            std::string_view names = next_part(text, ',');
            names.remove_prefix(names.starts_with('%') ? 1 : 0);
            const std::string name(next_part(names, '<'));
            constexpr unsigned kMaxRegisters = 64;
            unsigned count = 0;
            std::from_chars(names.data(), names.data() + names.size(), count);
            if (names.empty())
                add_register(scope, name, type);
            else if (count == 0 || count > kMaxRegisters)
                throw Unsupported();
            for (unsigned at = 0; at < count; ++at)
                add_register(scope, name + std::to_string(at), type);
        }
    }
    // In place of one of that name in a scope around it.
    void add_register(Registers& scope, const std::string& name, std::string_view type)
    {
        scope[name] = types_.size();
        types_.emplace_back(type);
    }

    // "L:" is taken from the text; "": it does not begin with a label.
    static std::string_view next_label(std::string_view& text)
    {
        const std::string_view label = text.substr(0, std::ranges::find_if_not(text, is_word) - text.begin());
        const std::string_view behind = text.substr(label.size());
        if (label.empty() || !behind.starts_with(':') || behind.starts_with("::"))
            return "";
        text = trimmed(behind.substr(1));
        return label;
    }
    // "p" of "@p" and "!p" of "@!p", which is taken from the instruction; "": it has none.
    static std::string_view next_predicate(std::string_view& instruction)
    {
        if (!instruction.starts_with('@'))
            return "";
        instruction.remove_prefix(1);
        return next_part(instruction, ' ');
    }

    // Where the number in place of a register that begins there ends; 0: none begins there.
    static std::size_t end_of_number(std::string_view text, std::size_t begin)
    {
        const std::size_t operands = std::min(text.find(' '), text.size());
        if (begin <= operands || text[begin] == ' ')
            return 0;
        const std::size_t before = text.find_last_not_of(' ', begin - 1);
        if (before >= operands && std::string_view(",[{|").find(text[before]) == std::string_view::npos)
            return 0;
        std::size_t end = begin + (text[begin] == '-' ? 1 : 0);
        if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0)
            return 0;
        while (end < text.size() && (is_word(text[end]) || text[end] == '.'))
            ++end;
        return end;
    }

    // The register of "p" or "%p".
    std::size_t own_register(std::string_view name) const
    {
        name.remove_prefix(name.starts_with('%') ? 1 : 0);
        const auto found = registers_.find(name);
        if (found == registers_.end())
            throw Unsupported();
        return found->second;
    }

    // The instruction with registers of its own as %0, %1, and so on, and the statement's operands behind them.
    std::string numbered(std::string_view text) const
    {
        const std::size_t operands = std::min(text.find(' '), text.size());
        std::string renamed(text.substr(0, operands));
        for (std::size_t at = operands; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && is_word(text[end]))
                ++end;
            const std::string_view word = text.substr(at, std::max<std::size_t>(end - at, 1));
            at += word.size();
            const bool is_marked = renamed.ends_with('%');
            const auto found = registers_.find(word);
            if (found != registers_.end() && !renamed.ends_with('.'))
                renamed += (is_marked ? "" : "%") + std::to_string(found->second);
            else if (is_marked && std::isdigit(static_cast<unsigned char>(word.front())) != 0)
                renamed += std::to_string(std::stoul(std::string(word)) + own_);
            else
                renamed += word;
        }
        return renamed;
    }

    std::string statement(std::string_view one)
    {
        std::string code;
        if (std::string_view predicate = next_predicate(one); !predicate.empty()) {
            const bool is_not = predicate.starts_with('!');
            predicate.remove_prefix(is_not ? 1 : 0);
            code = "if (" + std::string(is_not ? "!" : "") + spelled(own_register(predicate)) + ") ";
        }
        return code + (one.empty() ? "" : "{ " + instruction(one) + "; } ");
    }

    std::string instruction(std::string_view one)
    {
        std::string_view rest = one;
        const std::string_view name = next_part(rest, ' ');
        if (name == "bra" || name == "bra.uni") {
            jumps_.emplace(rest);
            return "goto nestbed_" + std::string(rest);
        }
        return name.starts_with("setp.") ? comparison(name, rest) : call(std::string(one));
    }

    // setp, also with two predicates, and with one that is combined: "setp.lt.and.s32 p|q, %0, %1, !r".
    std::string comparison(std::string_view name, std::string_view operands)
    {
        static constexpr std::array kCombined = {std::pair(".and.", " && "), std::pair(".or.", " || "),
                                                 std::pair(".xor.", " != ")};
        const auto* const combined =
            std::ranges::find_if(kCombined, [&](const auto& each) { return name.find(each.first) != name.npos; });
        std::string key(name);
        std::string before;
        std::string behind;
        if (combined != kCombined.end()) {
            key.replace(key.find(combined->first), std::string_view(combined->first).size(), ".");
            const std::size_t comma = std::min(operands.rfind(','), operands.size() - 1);
            std::string_view other = trimmed(operands.substr(comma + 1));
            const bool is_not = other.starts_with('!');
            other.remove_prefix(is_not ? 1 : 0);
            before = "const bool other = " + std::string(is_not ? "!" : "") + spelled(own_register(other)) + "; ";
            behind = combined->second + std::string("other");
            operands = operands.substr(0, comma);
        }
        std::string_view inputs = operands;
        std::string_view predicates = next_part(inputs, ',');
        const std::string_view first = next_part(predicates, '|');
        std::string code = before + call(key + " " + std::string(first) + ", " + std::string(inputs));
        const std::string to = spelled(own_register(first));
        if (!predicates.empty())
            code += "; " + spelled(own_register(predicates)) + " = !" + to + behind;
        return behind.empty() ? code : code + "; " + to + " = " + to + behind;
    }

    // Where the instruction takes no number, a register has it.
    std::string call(const std::string& instruction)
    {
        if (std::string code = call_of(numbered(instruction)); !code.empty())
            return code;
        std::string with_registers;
        std::string code;
        for (std::size_t at = 0; at < instruction.size();) {
            const std::size_t end = end_of_number(instruction, at);
            if (end == 0) {
                with_registers += instruction[at++];
                continue;
            }
            const std::string number = "nestbed_number_" + std::to_string(types_.size());
            const std::string value = instruction.substr(at, end - at);
            at = end;
            code += spelled(types_.size()) + " = " + value_of(value) + "; ";
            add_register(registers_, number, is_bits(value, 'f') ? "float" : is_real(value) ? "double" : "long long");
            with_registers += number;
        }
        const std::string called = call_of(numbered(with_registers));
        if (called.empty())
            throw Unsupported();
        return code + called;
    }
    // 0f3F800000 and 0d3FF0000000000000 have the bits of the number; F and D are allowed, too.
    static bool is_bits(std::string_view number, char type)
    {
        return number.size() > 2 && number[0] == '0' && std::tolower(static_cast<unsigned char>(number[1])) == type;
    }
    static bool is_real(const std::string& number)
    {
        return is_bits(number, 'f') || is_bits(number, 'd') || number.find('.') != std::string::npos;
    }
    static std::string value_of(const std::string& number)
    {
        const bool is_float = is_bits(number, 'f');
        if (!is_float && !is_bits(number, 'd'))
            return is_real(number) || is_ptx_number(number) ? number : throw Unsupported();
        return std::string("::nestbed::program::ptx_converted<") + (is_float ? "float" : "double") + ">(0x" +
               number.substr(2) + (is_float ? "U" : "ULL") + ")";
    }

    // "" for an instruction that has no function.
    static std::string call_of(const std::string& instruction)
    {
        const PtxFunction function = ptx_function(instruction);
        if (function.name.empty()) {
            const std::string async = function_of_async(instruction);
            return async.empty() ? "" : async + "(place, o...)";
        }
        std::string operands;
        for (const std::size_t number : function.operands)
            operands += (operands.empty() ? "" : ", ") + spelled(number);
        return function.name + "(" + operands + ")";
    }

    std::vector<Instruction> instructions_;
    std::string_view at_;            // the text of one
    Registers registers_;            // of that one
    std::vector<std::string> types_; // of all registers
    std::size_t own_ = 0;            // registers and numbers
    std::set<std::string> labels_;
    std::set<std::string> jumps_; // their labels
};

} // namespace

PtxBlock block_of_ptx(std::string_view text)
{
    std::string_view refused = text;
    try {
        Block block(text);
        try {
            return block.translated();
        } catch (const Unsupported&) {
            refused = block.at();
        }
    } catch (const Unsupported&) { // of a register or a label
    }
    return {"", "", std::string(refused)};
}

} // namespace nestbed::program
