#include "program/build/nvcc_words.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

// Libraries of the CUDA toolkit that the executor does not have.
constexpr std::array<std::string_view, 20> kMissingLibraries{
    "cublasLt", "cufft",   "cufftw", "curand", "cusolver", "cusolverMg", "cudnn",  "nvrtc", "nppc",   "nppial",
    "nppicc",   "nppidei", "nppif",  "nppig",  "nppim",    "nppist",     "nppisu", "npps",  "nvjpeg", "nccl"};
// Libraries whose functions are in the executor's own.
constexpr std::array<std::string_view, 8> kOwnLibraries{"cudart", "cudart_static", "cudadevrt", "culibos",
                                                        "cublas", "cublas_static", "cusparse",  "cusparse_static"};

} // namespace

std::vector<std::string> words_of(const std::string& text)
{
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    char quote = 0;
    for (std::size_t index = 0; index < text.size(); ++index) {
        const char one = text[index];
        if (quote == 0 && std::isspace(static_cast<unsigned char>(one)) != 0) {
            if (in_word)
                words.push_back(std::exchange(word, ""));
            in_word = false;
            continue;
        }
        in_word = true;
        if (one == '\\' && quote != '\'' && index + 1 < text.size())
            word += text[++index];
        else if (quote == 0 && (one == '"' || one == '\''))
            quote = one;
        else if (quote != 0 && one == quote)
            quote = 0;
        else
            word += one;
    }
    if (in_word)
        words.push_back(word);
    return words;
}

std::vector<std::string> list_of(std::string_view value)
{
    std::vector<std::string> items;
    for (const std::string& item : split(value, ','))
        for (std::string& word : words_of(item))
            items.push_back(std::move(word));
    return items;
}

bool is_toolkit_folder(const std::string& folder)
{
    std::error_code ignored;
    return std::ranges::any_of(std::array{"cuda_runtime.h", "libcudart.so", "libcudart_static.a", "libcudadevrt.a"},
                               [&](const char* file) { return fs::exists(fs::path(folder) / file, ignored); });
}

bool needs_library(const std::string& name)
{
    if (std::ranges::find(kOwnLibraries, name) != kOwnLibraries.end())
        return false;
    if (name == "cuda")
        throw UsageError("nvcc: -lcuda: the executor has no driver API; allowed: the runtime API (cudaMalloc, "
                         "kernel<<<…>>>). If the program calls no function of the driver API, remove -lcuda");
    if (std::ranges::find(kMissingLibraries, name) != kMissingLibraries.end())
        throw UsageError(fmt::format(
            "nvcc: -l{}: no such library on the executor; it has the CUDA runtime, and a part of cuBLAS and cuSPARSE",
            name));
    return true;
}

std::string standard_for(const std::string& word, const std::string& name)
{
    // The executor's headers need C++17.
    static const std::map<std::string_view, std::string> standards{
        {"c++03", "gnu++17"},   {"c++11", "gnu++17"},   {"c++14", "gnu++17"},   {"c++17", "c++17"},
        {"c++20", "c++20"},     {"c++23", "c++23"},     {"gnu++03", "gnu++17"}, {"gnu++11", "gnu++17"},
        {"gnu++14", "gnu++17"}, {"gnu++17", "gnu++17"}, {"gnu++20", "gnu++20"}, {"gnu++23", "gnu++23"}};
    const auto found = standards.find(name);
    if (found == standards.end())
        throw UsageError(fmt::format(
            "nvcc: {}: there is no standard '{}'; allowed: c++03, c++11, c++14, c++17, c++20", word, name));
    return found->second;
}

} // namespace nestbed::program
