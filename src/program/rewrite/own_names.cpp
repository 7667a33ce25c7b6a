#include "program/rewrite/own_names.hpp"

#include "program/rewrite/name_scopes.hpp"

#include <array>
#include <cctype>
#include <utility>

namespace nestbed::program
{
namespace
{

// What the macros become: `(::nestbed::cpu::current_thread->grid_dim)`.
constexpr std::array<std::string_view, 10> kExpansion = {"(",  "::", "nestbed", "::", "cpu", "::", "current_thread",
                                                         "->", "",   ")"};
constexpr std::size_t kMember = 8;

std::string_view name_of(std::string_view member)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
        {{"thread_index", "threadIdx"},
         {"block_index", "blockIdx"},
         {"block_dim", "blockDim"},
         {"grid_dim", "gridDim"}}};
    for (const auto& [of_thread, name] : kNames)
        if (of_thread == member)
            return name;
    return {};
}

class NameRestorer
{
  public:
    NameRestorer(const Source& source, const std::vector<Function>& functions, const std::vector<LambdaBody>& lambdas,
                 Changes& changes)
        : source_(source), device_(device_code(functions, lambdas)), changes_(changes),
          scopes_(source, functions, lambdas, [this](std::size_t token) { return !name_at(token).empty(); })
    {
    }
    NameRestorer(const NameRestorer&) = delete;
    NameRestorer& operator=(const NameRestorer&) = delete;
    ~NameRestorer() = default;

    void restore()
    {
        auto around = device_.begin();
        for (std::size_t token = 0; token < source_.size(); ++token) {
            const std::string_view name = name_at(token);
            if (name.empty())
                continue;
            while (around != device_.end() && around->end <= token)
                ++around;
            const bool on_device = around != device_.end() && around->begin <= token;
            // Host code cannot use the built-in variables, so there it is always the program's own name.
            if (!scopes_.is_own(token, token + kExpansion.size(), name, on_device) && on_device)
                continue;
            // As `(` it may stand right behind a word.
            const std::string_view before = source_.text(token - 1);
            const bool is_behind_word =
                !before.empty() && source_.touches_next(token - 1) &&
                (std::isalnum(static_cast<unsigned char>(before.back())) != 0 || before.back() == '_');
            changes_.replace(token, (is_behind_word ? " " : "") + std::string(name));
            changes_.remove(token + 1, token + kExpansion.size());
        }
    }

  private:
    std::string_view name_at(std::size_t token) const
    {
        for (std::size_t part = 0; part < kExpansion.size(); ++part)
            if (part != kMember && !source_.is(token + part, kExpansion.at(part)))
                return {};
        return name_of(source_.text(token + kMember));
    }

    const Source& source_;
    const std::vector<TokenRange> device_;
    Changes& changes_;
    NameScopes scopes_;
};

} // namespace

void restore_own_names(const Source& source, const std::vector<Function>& functions,
                       const std::vector<LambdaBody>& lambdas, Changes& changes)
{
    NameRestorer(source, functions, lambdas, changes).restore();
}

} // namespace nestbed::program
