// The name of a kernel as a CUDA engineer writes it, "reduce<float, 4>", whichever compiler spelled its template arguments. In C++14 without
// libraries, because the counted program includes it.
#pragma once
#pragma GCC system_header
#include <stddef.h>
#include <string.h>

namespace nestbed_names
{

// Whether text() made it.
inline bool is_text(const char* name)
{
    return strncmp(name, "KernelNamed<", strlen("KernelNamed<")) == 0;
}

// Reads what text() of kernel_name.hpp returns, or a name "k<int, (Color)1>(…)" of __cxa_demangle(). A text that was cut ends in "...".
class Speller
{
  public:
    Speller(char* to, size_t bytes, const char* from) : begin_(to), to_(to), end_(to + bytes - 1), at_(from) {}

    void spell()
    {
        if (!skip("KernelNamed<")) {
            while (*at_ != 0 && *at_ != '<' && *at_ != '(')
                put(*at_++);
            if (skip("<"))
                write_list();
        } else {
            static const char kName[] = "nestbed_name_of_";
            const char* const named = strstr(at_, kName);
            at_ = named == nullptr ? at_ + strlen(at_) : named + sizeof(kName) - 1;
            while (is_of_word(*at_))
                put(*at_++);
            if (skip(","))
                write_list();
        }
        *to_ = 0;
    }

  private:
    static bool is_digit(char one) { return one >= '0' && one <= '9'; }
    static bool is_of_word(char one)
    {
        return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || one == '_' || one == '$' || is_digit(one);
    }
    bool skip(const char* text)
    {
        const size_t bytes = strlen(text);
        const bool is_here = strncmp(at_, text, bytes) == 0;
        at_ += is_here ? bytes : 0;
        return is_here;
    }
    void put(char one)
    {
        if (to_ < end_)
            *to_++ = one;
    }
    void put(const char* text)
    {
        for (; *text != 0; ++text)
            put(*text);
    }
    void put_word(const char* text, size_t bytes)
    {
        if (to_ != begin_ && (is_of_word(to_[-1]) || to_[-1] == '>' || to_[-1] == '*'))
            put(' ');
        for (size_t i = 0; i < bytes; ++i)
            put(text[i]);
    }

    // Behind <, to behind >.
    void write_list()
    {
        put('<');
        for (bool is_first = true; *at_ != 0; is_first = false) {
            skip_blanks();
            if (!is_first && *at_ != 0)
                put(", ");
            write_argument();
            if (*at_ == '>') {
                ++at_;
                put('>');
                return;
            }
            if (*at_ != 0)
                ++at_; // the comma
        }
        put(is_cut_ ? ">" : "...>");
        is_cut_ = true;
    }

    void skip_blanks()
    {
        while (*at_ == ' ')
            ++at_;
    }

    // To the comma or > behind it.
    void write_argument()
    {
        char* const begin = to_;
        const char* const end = argument_end();
        if (write_lambda(end))
            return;
        bool is_constant = false, has_type = false, has_sign = false;
        while (at_ < end) {
            if (skip_scope() || skip(" ") || (to_ == begin && skip_cast_to_number()))
                continue;
            if (skip("KernelValue<")) {
                at_ = argument_end();
                skip(", "); // behind the type
                write_argument();
                skip(">");
            } else if (skip("KernelTemplate<")) {
                write_argument();
                skip(">");
            } else if (skip("(& ")) { // g++: (& variable)
                put('&');
                while (is_of_word(*at_) || *at_ == ':')
                    put(*at_++);
                skip(")");
            } else if (is_of_word(*at_)) {
                const bool is_const = is_word("const");
                if (is_const && has_type && !has_sign) {
                    at_ += strlen("const");
                    is_constant = true;
                } else {
                    has_type = has_type || !is_const;
                    write_word();
                }
            } else if (*at_ == '<') {
                ++at_;
                write_list();
            } else {
                has_sign = has_sign || *at_ != ':';
                write_sign();
            }
        }
        if (is_constant) // "int const*" of __cxa_demangle() is const int*
            insert(begin, "const ");
    }

    const char* argument_end() const
    {
        int depth = 0;
        const char* at = at_;
        for (; *at != 0; ++at) {
            if (depth == 0 && (*at == ',' || *at == '>' || *at == ')' || *at == ']'))
                break;
            if (strncmp(at, "->", 2) == 0)
                ++at;
            else if (strncmp(at, "'<'", 3) == 0 || strncmp(at, "'>'", 3) == 0)
                at += 2;
            else if (*at == '<' || *at == '(' || *at == '[' || *at == '{')
                ++depth;
            else if (*at == '>' || *at == ')' || *at == ']' || *at == '}')
                --depth;
        }
        return at;
    }

    // Compilers name lambdas as they like.
    bool write_lambda(const char* end)
    {
        static const char* const kLambdas[] = {
            "<lambda", "{lambda", "lambda [", "__nv_dl_wrapper_t<", "__nv_hdl_wrapper_t<", "KernelLambda"};
        for (const char* const word : kLambdas) {
            const char* const found = strstr(at_, word);
            if (found == nullptr || found >= end)
                continue;
            put("lambda");
            at_ = end;
            return true;
        }
        return false;
    }

    // Qualifiers that are no names of the program.
    bool skip_scope()
    {
        if (skip("{anonymous}::") || skip("(anonymous namespace)::") || skip("<unnamed>::") ||
            skip("nestbed_names::"))
            return true;
        if (strncmp(at_, "_GLOBAL__N_", 11) != 0)
            return false;
        while (is_of_word(*at_))
            ++at_;
        return skip("::");
    }

    // "(short)5" of __cxa_demangle() is 5.
    bool skip_cast_to_number()
    {
        const char* at = at_;
        if (*at != '(')
            return false;
        do {
            ++at;
            size_t bytes = 0;
            while (is_of_word(at[bytes]))
                ++bytes;
            if (!is_of_number(at, bytes))
                return false;
            at += bytes;
        } while (*at == ' ');
        if (*at != ')' || !(is_digit(at[1]) || at[1] == '-'))
            return false;
        at_ = at + 1;
        return true;
    }

    bool is_word(const char* text) const
    {
        const size_t bytes = strlen(text);
        return strncmp(at_, text, bytes) == 0 && !is_of_word(at_[bytes]);
    }

    void write_word()
    {
        size_t bytes = 0;
        while (is_of_word(at_[bytes]) || (bytes > 0 && is_digit(at_[0]) && at_[bytes] == '.'))
            ++bytes;
        const char* const word = at_;
        at_ += bytes;
        if (is_digit(*word)) {
            const bool is_hexadecimal = bytes > 1 && (word[1] == 'x' || word[1] == 'X');
            while (bytes > 1 && (word[bytes - 1] == 'u' || word[bytes - 1] == 'U' || word[bytes - 1] == 'l' ||
                                 word[bytes - 1] == 'L'))
                --bytes;
            put_word(word, !is_hexadecimal || bytes > 2 ? bytes : 1);
            return;
        }
        if (is(word, bytes, "__nv_bool"))
            put_word("bool", 4);
        else if (is_of_number(word, bytes))
            write_number(word);
        else
            put_word(word, bytes);
    }

    static bool is(const char* word, size_t bytes, const char* text)
    {
        return strlen(text) == bytes && memcmp(word, text, bytes) == 0;
    }
    static bool is_of_number(const char* word, size_t bytes)
    {
        static const char* const kWords[] = {"unsigned", "signed", "long", "short", "int", "char", "double"};
        for (const char* const each : kWords)
            if (is(word, bytes, each))
                return true;
        return false;
    }
    // "long unsigned int" of g++ is unsigned long.
    void write_number(const char* word)
    {
        unsigned longs = 0;
        bool is_unsigned = false, is_signed = false, is_short = false, is_char = false, is_double = false;
        at_ = word;
        while (true) {
            size_t bytes = 0;
            while (is_of_word(at_[bytes]))
                ++bytes;
            if (!is_of_number(at_, bytes))
                break;
            is_unsigned |= is(at_, bytes, "unsigned");
            is_signed |= is(at_, bytes, "signed");
            is_short |= is(at_, bytes, "short");
            is_char |= is(at_, bytes, "char");
            is_double |= is(at_, bytes, "double");
            longs += is(at_, bytes, "long") ? 1 : 0;
            at_ += bytes;
            const char* const behind = at_;
            skip_blanks();
            if (!is_of_word(*at_)) {
                at_ = behind;
                break;
            }
        }
        if (is_unsigned)
            put_word("unsigned", 8);
        if (is_signed && is_char)
            put_word("signed", 6);
        const bool has_long = longs != 0;
        for (; longs > 0; --longs)
            put_word("long", 4);
        const char* const last = is_char ? "char" : is_short ? "short" : is_double ? "double" : "int";
        if (is_char || is_short || is_double || !has_long)
            put_word(last, strlen(last));
    }

    // Signs have no blanks around them, but before a parenthesis.
    void write_sign()
    {
        if (*at_ == '(' && to_ != begin_ && (is_of_word(to_[-1]) || to_[-1] == '>'))
            put(' ');
        if (*at_ == ',') { // of parameters of a function
            put(", ");
            ++at_;
        } else {
            put(*at_++);
        }
    }

    void insert(char* before, const char* text)
    {
        const size_t bytes = strlen(text), room = static_cast<size_t>(end_ - to_);
        if (bytes > room)
            return;
        memmove(before + bytes, before, static_cast<size_t>(to_ - before));
        memcpy(before, text, bytes);
        to_ += bytes;
    }

    char* begin_;
    char* to_;
    char* end_;
    const char* at_;
    bool is_cut_ = false;
};

} // namespace nestbed_names
