#include "program/rewrite/heap_calls.hpp"

#include "program/rewrite/launches.hpp"
#include "program/rewrite/refused_names.hpp"

#include <string>

namespace nestbed::program
{
namespace
{

class HeapRewriter
{
  public:
    HeapRewriter(const Source& source, Changes& changes) : source_(source), changes_(changes)
    {
        for (std::size_t token = 0; token + 1 < source.size(); ++token)
            has_operator_new_ |= source.is(token, "operator") && source.is(token + 1, "new");
        own_ = defined_functions(source);
    }

    void rewrite(const TokenRange& range)
    {
        for (std::size_t token = range.begin; token < range.end; ++token) {
            std::size_t begin = 0;
            const std::string_view text = source_.text(token);
            if (text == "new" && !has_operator_new_)
                rewrite_new(token);
            else if (text == "delete" && !has_operator_new_ && !source_.is(token - 1, "="))
                rewrite_delete(token);
            else if ((text == "malloc" || text == "free") && !own_.contains(text) &&
                     is_call_of_global_name(source_, token, begin) && source_.is(token + 1, "("))
                rewrite_call(begin, token);
        }
    }

  private:
    void rewrite_new(std::size_t token)
    {
        const std::size_t type = token + 1;
        if (source_.is(type, "(")) {
            const std::size_t next = source_.match(type) + 1; // kNoToken + 1 is the first token
            if (source_.is_identifier(next) || source_.is(next, "::") || source_.is(next, "("))
                return; // into memory that it has already
        }
        changes_.insert_after(token, " (" + allocated(element_at(type), name_before(token)) + ")");
    }

    void rewrite_delete(std::size_t token)
    {
        const bool is_array = source_.is(token + 1, "[") && source_.is(token + 2, "]");
        changes_.replace(token, std::string("::nestbed::program::KernelDelete") + (is_array ? "Array" : "") +
                                    "{::nestbed::program::code_here()} ->*");
        if (is_array)
            changes_.remove(token + 1, token + 3);
    }

    void rewrite_call(std::size_t begin, std::size_t name)
    {
        const bool is_free = source_.is(name, "free");
        const std::size_t close = source_.match(name + 1);
        if (close == kNoToken) // no C++: what follows cannot be told
            return;
        changes_.remove(begin, name);
        changes_.replace(name, is_free ? "::nestbed::program::kernel_free" : "::nestbed::program::kernel_malloc");
        if (is_free)
            return;
        std::string type;
        std::size_t first = begin;
        if (source_.is(begin - 1, ")") && source_.match(begin - 1) != kNoToken) { // (T*)malloc(n)
            first = source_.match(begin - 1);
            type = pointed_to(first + 1, begin - 1);
        } else if (source_.is(begin - 1, "(") && source_.is(begin - 2, ">")) { // static_cast<T*>(malloc(n))
            constexpr std::size_t kMaxTokens = 30;
            while (first > 1 && begin - first < kMaxTokens && !source_.is(first - 1, "static_cast") &&
                   !source_.is(first - 1, "reinterpret_cast"))
                --first;
            type = pointed_to(first + 1, begin - 2);
            --first;
        }
        changes_.insert_before(close, ", " + allocated(type, name_before(first)));
    }

    static std::string allocated(const std::string& type, const std::string& name)
    {
        return "::nestbed::program::Allocated<" + (type.empty() ? "void" : type) + ">(" +
               (name.empty() ? "" : "\"" + name + "\"") + ")";
    }

    // The type that `T*` points to; empty: it is no such type.
    std::string pointed_to(std::size_t begin, std::size_t end) const
    {
        if (begin >= end || !source_.is(end - 1, "*") || begin + 1 == end)
            return "";
        for (std::size_t at = begin; at + 1 < end; ++at)
            if (!source_.is_identifier(at) && !source_.is(at, "::") && !source_.is(at, "<") && !source_.is(at, ">") &&
                !source_.is(at, ",") && !source_.is(at, "*"))
                return "";
        return source_.on_one_line(begin, end - 1);
    }

    // The type after `new`, without the count.
    std::string element_at(std::size_t begin) const
    {
        std::size_t at = begin;
        while (source_.is_identifier(at) || source_.is(at, "::") || source_.is(at, "*"))
            at = source_.is(at + 1, "<") ? template_arguments_end(source_, at + 1) : at + 1;
        return at == kNoToken || at == begin || source_.is(begin, "auto") ? "" : source_.on_one_line(begin, at);
    }

    // Of `name = …`.
    std::string name_before(std::size_t token) const
    {
        const bool is_assigned = token > 1 && source_.is(token - 1, "=") && source_.is_identifier(token - 2);
        return is_assigned ? std::string(source_.text(token - 2)) : "";
    }

    const Source& source_;
    Changes& changes_;
    bool has_operator_new_ = false;
    std::unordered_set<std::string_view> own_; // functions
};

} // namespace

void rewrite_kernel_heap(const Source& source, const std::vector<TokenRange>& device, Changes& changes)
{
    HeapRewriter rewriter(source, changes);
    for (const TokenRange& range : device)
        rewriter.rewrite(range);
}

} // namespace nestbed::program
