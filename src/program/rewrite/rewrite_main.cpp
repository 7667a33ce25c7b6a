// nestbed_rewrite count|count-strict|trace|executor|executor-whole INPUT.ii OUTPUT.ii: rewrites a preprocessed CUDA file. Compiler wrappers call it.
// nestbed_rewrite workload-cuda|workload-executor INPUT.cu OUTPUT.cu: a file of a user's workload, with the headers beside it. OUTPUT.cu.d
// says which, as compilers do.
// Exit code 1 and a message if it cannot; the output is then not written.
#include "base/error.hpp"
#include "program/rewrite/inlined_headers.hpp"
#include "program/rewrite/rewriter.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace
{

std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad())
        throw nestbed::RunError(path + ": it could not be read");
    return text;
}

void write_file(const std::string& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        static_cast<void>(std::remove(path.c_str()));
        throw nestbed::RunError(path + ": it could not be written");
    }
}

// For Make and Ninja: the output depends on the files.
std::string rule_of(const char* output, const std::vector<std::filesystem::path>& files)
{
    const auto escaped = [](const std::string& name) {
        std::string text;
        for (const char byte : name)
            (text += byte == ' ' || byte == '#' ? "\\" : byte == '$' ? "$" : "") += byte;
        return text;
    };
    std::string rule = escaped(output) + ":";
    for (const std::filesystem::path& file : files)
        rule.append(" ").append(escaped(file.string()));
    return rule + "\n";
}

int run(int count, char** words)
{
    using nestbed::program::RewriteMode;
    static constexpr std::array kModes{std::pair("count", RewriteMode::count),
                                       std::pair("count-strict", RewriteMode::count_strict),
                                       std::pair("trace", RewriteMode::trace),
                                       std::pair("executor", RewriteMode::executor),
                                       std::pair("executor-whole", RewriteMode::executor_whole),
                                       std::pair("workload-cuda", RewriteMode::workload_cuda),
                                       std::pair("workload-executor", RewriteMode::workload_executor)};
    const auto* const mode = std::ranges::find_if(
        kModes, [&](const auto& each) { return count == 4 && std::strcmp(words[1], each.first) == 0; });
    if (mode == kModes.end())
        throw nestbed::UsageError(
            "usage: nestbed_rewrite count|count-strict|trace|executor|executor-whole INPUT.ii OUTPUT.ii\n"
            "       nestbed_rewrite workload-cuda|workload-executor INPUT.cu OUTPUT.cu");
    const bool of_workload =
        mode->second == RewriteMode::workload_cuda || mode->second == RewriteMode::workload_executor;
    std::vector<std::filesystem::path> files;
    const std::string text = of_workload ? nestbed::program::with_user_headers(words[2], files) : read_file(words[2]);
    std::vector<std::string> warnings;
    write_file(words[3], nestbed::program::rewrite(text, mode->second, std::filesystem::current_path().string(),
                                                   &warnings, true));
    if (of_workload)
        write_file(std::string(words[3]) + ".d", rule_of(words[3], files));
    const bool counts = mode->second == RewriteMode::count || mode->second == RewriteMode::count_strict ||
                        mode->second == RewriteMode::trace;
    const char* const log = std::getenv("NESTBED_COUNT_LOG"); // of the build, which prints them if it fails
    std::ofstream of_build(counts && log != nullptr ? log : "", std::ios::app);
    for (const std::string& warning : warnings)
        if (counts)
            of_build << warning << '\n';
        else
            static_cast<void>(std::fprintf(stderr, "%s\n", warning.c_str()));
    return nestbed::exit_ok;
}

} // namespace

int main(int count, char** words)
{
    try {
        return run(count, words);
    } catch (const nestbed::UsageError& error) {
        static_cast<void>(std::fprintf(stderr, "%s\n", error.what()));
        return nestbed::exit_usage;
    } catch (const std::exception& error) {
        static_cast<void>(std::fprintf(stderr, "%s\n", error.what()));
        return nestbed::exit_could_not;
    }
}
