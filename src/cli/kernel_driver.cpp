#include "cli/kernel_driver.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "plan/axis.hpp"
#include "program/rewrite/functions.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <sstream>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::string_view kAllowedArguments =
    "TYPE=VALUE; TYPE:COUNT, an array of random numbers; TYPE:COUNT=VALUE; TYPE:COUNT=index, which holds 0, 1, 2 …";
constexpr std::uint64_t kMaxCount = 1ULL << 32;

constexpr std::string_view kBefore = R"(
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>

namespace nestbed_driver
{

void stop_at_error(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

// Integers from 0 to 99, floating-point numbers from 0 to 1.
template <class T>
std::unique_ptr<T[]> random_array(std::size_t count, std::uint64_t seed)
{
    static_assert(std::is_constructible<T, float>::value, "random numbers are for types of numbers; allowed: TYPE:COUNT=VALUE");
    std::unique_ptr<T[]> numbers(new T[count]());
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if constexpr (std::is_integral<T>::value)
            numbers[i] = static_cast<T>((seed >> 33) % 100);
        else
            numbers[i] = T(static_cast<float>(seed >> 40) / static_cast<float>(1 << 24));
    }
    return numbers;
}

template <class T>
std::unique_ptr<T[]> index_array(std::size_t count)
{
    std::unique_ptr<T[]> numbers(new T[count]);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = static_cast<T>(i);
    return numbers;
}

template <class T>
std::unique_ptr<T[]> filled_array(std::size_t count, T with)
{
    std::unique_ptr<T[]> numbers(new T[count]);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = with;
    return numbers;
}

template <class T>
void copy_array(T* memory, const std::unique_ptr<T[]>& numbers, std::size_t count)
{
    stop_at_error(cudaMemcpy(memory, numbers.get(), count * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T>
double number(const T& of)
{
    if constexpr (std::is_arithmetic<T>::value)
        return static_cast<double>(of);
    else
        return static_cast<double>(static_cast<float>(of));
}

// The sum and the first elements; of another type than numbers the sum of the bytes.
template <class T>
void print_array(const char* name, const T* memory, std::size_t count)
{
    const std::unique_ptr<T[]> numbers(new T[count]);
    stop_at_error(cudaMemcpy(numbers.get(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    double sum = 0;
    if constexpr (std::is_convertible<T, float>::value) {
        for (std::size_t i = 0; i < count; ++i)
            sum += number(numbers[i]);
        std::printf("%s: sum %.17g, begins with", name, sum);
        for (std::size_t i = 0; i < count && i < 8; ++i)
            std::printf(" %.9g", number(numbers[i]));
        std::printf("\n");
    } else {
        for (std::size_t i = 0; i < count * sizeof(T); ++i)
            sum += reinterpret_cast<const unsigned char*>(numbers.get())[i];
        std::printf("%s: bytes with the sum %.17g\n", name, sum);
    }
}

} // namespace nestbed_driver

int main()
{
    using namespace nestbed_driver;
)";

// An argument of the kernel.
struct Argument {
    std::string type;
    std::uint64_t count = 0; // of an array; 0: it is a value
    std::string value;       // of an array: empty for random numbers
};

[[noreturn]] void refuse(const std::string& text)
{
    throw UsageError(fmt::format("--arg {}: allowed: {}", text, kAllowedArguments));
}

Argument parse_argument(const std::string& text)
{
    const std::size_t equals = text.find('=');
    const std::string before = text.substr(0, equals);
    Argument argument{.type = before, .value = equals == std::string::npos ? "" : text.substr(equals + 1)};
    if (equals != std::string::npos && argument.value.empty())
        refuse(text);
    const std::size_t colon = before.rfind(':');
    if (colon != std::string::npos && colon > 0 && before[colon - 1] != ':') {
        argument.type = before.substr(0, colon);
        const char* const end = before.data() + before.size();
        const auto [read_to, error] = std::from_chars(before.data() + colon + 1, end, argument.count);
        if (error != std::errc{} || read_to != end || argument.count == 0 || argument.count > kMaxCount)
            refuse(text);
    } else if (equals == std::string::npos) {
        refuse(text);
    }
    if (argument.type.empty() || argument.type.find_first_of("\"\\;{}[]\n") != std::string::npos ||
        argument.value.find_first_of(";\n") != std::string::npos)
        refuse(text);
    return argument;
}

// "4" or "4,2,1", as dim3(4, 2, 1).
std::string dimensions(const Given& given, const std::string& name, const std::array<std::uint64_t, 3>& most)
{
    const std::string text = only_value(
        given, name, "1", fmt::format("up to three numbers X,Y,Z, each from 1 to {}", fmt::join(most, ", ")));
    const std::vector<std::string> parts = split(text, ',');
    if (parts.size() > most.size())
        throw UsageError(fmt::format("--{} {}: allowed: up to three numbers X,Y,Z", name, text));
    std::array<std::uint64_t, 3> sizes{1, 1, 1};
    for (std::size_t at = 0; at < parts.size(); ++at)
        sizes.at(at) = parse_number({.key = name, .value = parts[at]}, 1, most.at(at));
    return fmt::format("dim3({})", fmt::join(sizes, ", "));
}

std::string values_of(const Argument& argument, std::size_t number)
{
    if (argument.value.empty())
        return fmt::format("random_array<{}>({}, {})", argument.type, argument.count, number);
    if (argument.value == "index")
        return fmt::format("index_array<{}>({})", argument.type, argument.count);
    return fmt::format("filled_array<{0}>({1}, ({0})({2}))", argument.type, argument.count, argument.value);
}

// A kernel of a file: "k", and "int* x", "int n".
struct Kernel {
    std::string name;
    std::vector<std::string> parameters;
};

// Those that the file itself has; none if it cannot be read before the preprocessor has.
std::vector<Kernel> kernels_in(const std::filesystem::path& file)
{
    std::vector<Kernel> kernels;
    try {
        const std::string text = read_text_file(file.string());
        const program::Source source(text);
        for (const program::Function& function : program::find_functions(source)) {
            if (!function.is_kernel)
                continue;
            Kernel kernel{.name = std::string(source.text(function.name)), .parameters = {}};
            const auto any = [](std::string_view) { return true; };
            for (const auto& [begin, end] : program::parts_between_commas(source, function.parameters, any))
                kernel.parameters.push_back(source.on_one_line(begin, end));
            kernels.push_back(std::move(kernel));
        }
    } catch (const RunError&) {
        return {};
    }
    return kernels;
}

// "k.cu has no such kernel, did you mean 'sum'?; allowed: k, sum", "it has 2 parameters (int* x, int n); --arg is given 1 time",
// or what the compiler said.
std::string why_not_launched(const Given& given, const std::filesystem::path& source, const std::string& said)
{
    std::string name = given.at("kernel").front();
    name.resize(std::min(name.find('<'), name.size()));
    name.erase(0, name.rfind(':') + 1); // npos + 1 is 0
    const std::vector<Kernel> kernels = kernels_in(source);
    const auto kernel = std::ranges::find(kernels, name, &Kernel::name);
    if (kernel == kernels.end()) {
        const std::vector<std::string_view> names = [&] {
            std::vector<std::string_view> found;
            std::ranges::transform(kernels, std::back_inserter(found), &Kernel::name);
            return found;
        }();
        return names.empty() ? said
                             : fmt::format("{} has no such kernel{}", source.string(),
                                           suggestions(name, names, source.string()));
    }
    const auto texts = given.find("arg");
    const std::size_t times = texts == given.end() ? 0 : texts->second.size();
    const std::string has =
        fmt::format("it has {} parameter{} ({})", kernel->parameters.size(),
                    kernel->parameters.size() == 1 ? "" : "s", fmt::join(kernel->parameters, ", "));
    return times != kernel->parameters.size()
               ? fmt::format("{}; --arg is given {} time{}", has, times, times == 1 ? "" : "s")
               : fmt::format("{}; {}", said, has);
}

} // namespace

void refuse_by_compiler(const Given& given, const std::filesystem::path& source, const std::string& messages)
{
    constexpr std::string_view kError = ": error: ";
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t error = line.find(kError);
        if (error == std::string::npos)
            continue;
        const std::string said = line.substr(error + kError.size());
        if (line.starts_with("--arg ")) { // and then ":LINE:COLUMN"
            const std::size_t end = line.rfind(':', line.rfind(':', error - 1) - 1);
            throw UsageError(fmt::format("{}: {}; allowed: {}", line.substr(0, end), said, kAllowedArguments));
        }
        if (line.starts_with("driver.cu:"))
            throw UsageError(
                fmt::format("--kernel {}: {}", given.at("kernel").front(), why_not_launched(given, source, said)));
        return;
    }
}

Options kernel_options()
{
    return {{.name = "kernel",
             .value = "NAME",
             .help = "of a file without main(): make one that launches this kernel, with --arg for each parameter"},
            {.name = "grid", .value = "X,Y,Z", .help = "blocks", .default_text = "1"},
            {.name = "block", .value = "X,Y,Z", .help = "threads of a block", .default_text = "1"},
            {.name = "shared", .value = "BYTES", .help = "dynamic shared memory", .default_text = "0"},
            {.name = "arg", .value = "ARG", .help = std::string(kAllowedArguments)},
            {.name = "driver", .value = "FILE", .help = "keep the file with this main(); -: print it"}};
}

std::string kernel_driver(const Given& given, const std::filesystem::path& source)
{
    constexpr std::array<std::uint64_t, 3> kMaxGrid{2147483647, 65535, 65535};
    constexpr std::array<std::uint64_t, 3> kMaxBlock{1024, 1024, 64};
    constexpr std::uint64_t kMaxShared = 1U << 20;
    const std::string kernel = only_value(given, "kernel", "", "the name of a kernel, as in its launch");
    if (kernel.empty() || kernel.find_first_of(";{}\"\\\n") != std::string::npos)
        throw UsageError(fmt::format("--kernel {}: allowed: the name of a kernel, as in its launch: reduce, "
                                     "my::reduce<float>",
                                     kernel));
    std::vector<Argument> arguments;
    const auto texts = given.find("arg");
    if (texts != given.end())
        std::ranges::transform(texts->second, std::back_inserter(arguments), parse_argument);
    std::string text = fmt::format(
        "#line 2 \"driver.cu\"\n// Launches the kernel {} of {} once.\n#define main main_of_file\n#include \"{}\"\n"
        "#undef main\n{}",
        kernel, source.filename().string(), source.string(), kBefore.substr(1));
    std::string names;
    std::string prints;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const Argument& one = arguments[at];
        const std::string name = fmt::format("argument_{}", at + 1);
        names += (names.empty() ? "" : ", ") + name;
        std::string option = texts->second[at];
        boost::algorithm::replace_all(option, "\\", "");
        boost::algorithm::replace_all(option, "\"", "'");
        text += fmt::format("#line 1 \"--arg {}\"\n", option); // for errors of the compiler
        if (one.count == 0) {
            text += fmt::format("    {0} {1} = ({0})({2});\n", one.type, name, one.value);
            continue;
        }
        text += fmt::format("    {0}* {1} = nullptr;\n    stop_at_error(cudaMalloc(&{1}, {2} * sizeof({0})));\n"
                            "    copy_array({1}, {3}, {2});\n",
                            one.type, name, one.count, values_of(one, at + 1));
        prints += fmt::format("    print_array(\"argument {} ({}:{})\", {}, {});\n", at + 1, one.type, one.count,
                              name, one.count);
    }
    const std::uint64_t shared = parse_number(
        {.key = "shared", .value = only_value(given, "shared", "0", "a number of bytes")}, 0, kMaxShared);
    text += fmt::format("#line {} \"driver.cu\"\n", std::ranges::count(text, '\n') + 2);
    return text + fmt::format("    {}<<<{}, {}, {}>>>({});\n    stop_at_error(cudaGetLastError());\n"
                              "    stop_at_error(cudaDeviceSynchronize());\n{}}}\n",
                              kernel, dimensions(given, "grid", kMaxGrid), dimensions(given, "block", kMaxBlock),
                              shared, names, prints);
}

} // namespace nestbed
