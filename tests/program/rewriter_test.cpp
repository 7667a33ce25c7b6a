// Tests the rewriter by a table of texts and by generated texts.
#include "base/error.hpp"
#include "program/rewrite/line_marks.hpp"
#include "program/rewriter_property.hpp"
#include "support/effort.hpp"
#include "support/matchers.hpp"

#include <boost/algorithm/string/replace.hpp>

#include <chrono>
#include <fstream>
#include <optional>
#include <random>
#include <regex>
#include <sstream>

namespace nestbed::program
{
namespace
{

// A text, and what both modes make of it: `=== NAME`, the text, `--- executor`, the result, `--- count`, the result. A mode that
// leaves the text as it is has no result there.
// Results are shorter there: see shortened().
struct RewriterCase {
    std::string name;
    std::string text;
    std::string executor{};
    std::string count{};
};

std::vector<RewriterCase> read_cases()
{
    std::ifstream file(NESTBED_DATA "/../program/rewriter_cases.txt");
    EXPECT_TRUE(file.is_open());
    std::vector<RewriterCase> cases;
    std::string* part = nullptr;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("=== ")) {
            cases.push_back({.name = line.substr(4), .text = ""});
            part = &cases.back().text;
        } else if (line == "--- executor") {
            part = &cases.back().executor;
        } else if (line == "--- count") {
            part = &cases.back().count;
        } else {
            *part += line + "\n";
        }
    }
    for (RewriterCase& each : cases)
        for (std::string* result : {&each.executor, &each.count})
            if (result->empty())
                *result = each.text;
    return cases;
}

using boost::algorithm::replace_all;

// Without the attributes of sides and the types of parameters, which have tests of their own. With P:: for ::nestbed::program::, K{…} { for the begin of a kernel's body, I for its attribute; C:: for ::nestbed_count::, B for before() and A(kernel, place, level) for after(), without runs(), the first statement of a kernel.
std::string shortened(std::string text)
{
    replace_all(text, "::nestbed::program::", "P::");
    for (const char* const side : {"global", "device", "both", "variable"})
        replace_all(text, "__attribute__((nestbed_" + std::string(side) + "))", "");
    text = std::regex_replace(text, std::regex("P::is_asked(<[^;]*>)?\\(nestbed_kernel[^;]*\\) return"),
                              "P::is_asked(nestbed_kernel)) return");
    replace_all(text, " static P::Kernel nestbed_kernel{", " K{");
    static const std::regex kOfTemplate(R"(P::of_template\(\{([^{}]*)\}, [0-9]+, __PRETTY_FUNCTION__\))");
    text = std::regex_replace(text, kOfTemplate, "$1");
    replace_all(text,
                "; if (P::is_asked(nestbed_kernel)) return; return P::kernel(nestbed_kernel, [=]() mutable -> void {",
                " {");
    replace_all(text, "; if (P::is_asked(nestbed_kernel)) return; return P::kernel(nestbed_kernel, [=, ", " [");
    replace_all(text, "__attribute__((noipa))", "I");
    replace_all(text, "::nestbed_count::before()", "B");
    replace_all(text, "  __extension__", " __extension__");
    static constexpr std::string_view kAfter = "::nestbed_count::after(";
    for (std::size_t at = text.find(kAfter); at != std::string::npos; at = text.find(kAfter, at)) {
        const std::size_t kernel = text.find('"', at); // behind the number of the site
        const std::size_t kernel_end = text.find('"', kernel + 1);
        const std::size_t place_end = text.find('"', text.find('"', kernel_end + 1) + 1);
        std::string names = text.substr(kernel, place_end + 1 - kernel);
        replace_all(names, "\"", "");
        replace_all(names, "/home/", "");
        text.replace(at, place_end + 1 - at, "A(" + names);
    }
    replace_all(text, " ::nestbed_count::runs(nestbed_level);", "");
    replace_all(text, "::nestbed_count::", "C::");
    static const std::regex kSite("(C::(driver_|pointer_)?launch[a-z_]*)\\([0-9]+u, ");
    text = std::regex_replace(text, kSite, "$1(");
    static const std::regex kCast(
        R"(\(decltype\(C::user<C::Level>\(([^)]*)\)\)\)\(decltype\(C::bare<C::Level>\(\1\)\)\))");
    text = std::regex_replace(text, kCast, "USER ");
    replace_all(text, "C::value<C::Level>(", "VALUE(");
    static const std::regex kOrOne(
        R"(, \[\]\(auto nestbed_to\) -> decltype\(C::one<[^{]*\{ return C::one<C::Level>\(nestbed_to, [^;]*\); \}\))");
    text = std::regex_replace(text, kOrOne, ")OR_ONE");
    static const std::regex kSeveral(
        R"(C::named<C::Level>\(\[\]\(auto nestbed_to\) -> decltype\([^{]*\{ return [^(]*\(nestbed_to\)::type>\(([^;]*)\); \}\))");
    text = std::regex_replace(text, kSeveral, "SEVERAL($1)");
    return text;
}

// What is between the `~`, with its blanks.
std::vector<std::string> parts_of(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, '~');)
        parts.push_back(part);
    return parts;
}

std::string rewritten(std::string_view text, RewriteMode mode)
{
    try {
        return rewrite(text, mode, "/home");
    } catch (const RunError& error) {
        return std::string("error: ") + error.what() + "\n";
    }
}

// The number of template parameters that each kernel tells the run-time library: "- 2" of one that is no template and one that has two.
std::string template_parameters(const std::string& text)
{
    const std::string result = rewritten(text, RewriteMode::executor);
    static const std::regex kKernel(R"(nestbed_kernel\{(::nestbed::program::of_template\(\{.*?\}, ([0-9]+))?)");
    std::string numbers;
    for (std::sregex_iterator at(result.begin(), result.end(), kKernel); at != std::sregex_iterator(); ++at)
        numbers += (numbers.empty() ? "" : " ") + ((*at)[1].matched ? (*at)[2].str() : "-");
    return numbers;
}

TEST(Rewriter, CountsTheParametersOfKernelTemplates)
{
    const auto expect = [](const std::string& text, const std::string& numbers) {
        EXPECT_EQ(template_parameters(text), numbers) << text;
    };
    expect("__global__ void k(int a) {}", "-");
    expect("struct A { int b[2]; }; template <class T> __global__ void k(T a) {}", "1");
    expect("template <class T, int n = 3, class... Others> static __global__ void k(T a) {}", "3");
    expect("template <class T = std::pair<int, std::vector<int>>, int n = (1 > 0)> __global__ void k() {}", "2");
    expect("template <template <class, class> class C, class T> __global__ void k(C<T, T> a) {}", "2");
    expect("template <void (*f)(int, float), int> void __global__ k() {}", "2");
    expect("template <class T> requires (sizeof(T) > 1) __global__ void k(T a) {}", "1");
    expect("template <class T> __attribute__((noinline)) __global__ void __launch_bounds__(64) k(T a) {}", "1");
    expect("template <class T> template <class U, class V> __global__ void A<T>::k() {}", "2");
    expect("__global__ void k(auto a, int b) {} template <class T> __global__ void l(T a, auto b) {}", "0 1");
    expect("template <class T> void f() { T a; } __global__ void k(int a) {}", "-");
    // Specialisations, and what is not a definition.
    expect("template <class T, int n> __global__ void k(T a); template <> __global__ void k<int, 2>(int a) {}\n"
           "template <> __global__ void k(float a) {} template __global__ void k<long, 4>(long);",
           "2 2");
    expect("template <> __global__ void k<int, A<int, 2>>(int a) {} template <> __global__ void k(int a) {}", "2 0");
    // Of overloads the fewest.
    expect("template <class T> __global__ void k(T a) {} template <class T, int n> __global__ void k(T* a) {}\n"
           "template <> __global__ void k<int>(int a) {}",
           "1 2 1");
}

TEST(Rewriter, MakesWhatTheTableSays)
{
    const std::vector<RewriterCase> cases = read_cases();
    EXPECT_GT(cases.size(), 40U);
    for (const RewriterCase& each : cases) {
        SCOPED_TRACE(each.name);
        EXPECT_EQ(shortened(rewritten(each.text, RewriteMode::executor)), each.executor);
        const std::string mark = each.text.starts_with("# ") ? "" : "# 1 \"my.cu\"\n";
        std::string counted = shortened(rewritten(std::string(kCountMark) + mark + each.text, RewriteMode::count));
        if (!counted.starts_with("error: ")) {
            ASSERT_TRUE(counted.starts_with("\n" + mark));
            counted.erase(0, 1 + mark.size());
        }
        replace_all(counted, "\"/home/", "\"");
        EXPECT_EQ(counted, each.count);
    }
}

TEST(Rewriter, SaysWhatMayKeepACountedFileFromCompiling)
{
    const auto hints_of = [](const std::string& text) {
        std::vector<std::string> hints;
        rewrite(std::string(kCountMark) +
                    "# 1 \"my.cu\"\n__global__ void a(int* p) {}\nusing Op = void (*)(int*);\n" + text,
                RewriteMode::count, "", &hints);
        return hints;
    };
    EXPECT_THAT(hints_of("constexpr Op ops[] = {a, a};\n"),
                ElementsAre(AllOf(StartsWith("my.cu:3: "), HasSubstr("so constexpr was left out; allowed: no "))));
    EXPECT_THAT(hints_of("template <Op K> void run();\nvoid f() { run<a>(); }\n"),
                ElementsAre(AllOf(StartsWith("my.cu:3: "), HasSubstr("is auto in a counted build; allowed: no "))));
    EXPECT_THAT(hints_of("const Op one = a;\nvoid f(Op op = a);\n"), testing::IsEmpty());
}

// With T:: for ::nestbed_trace::, X for the number of a launch site.
std::string traced(std::string_view text)
{
    std::string result =
        rewritten(std::string(kCountMark) + "# 1 \"my.cu\"\n" + std::string(text), RewriteMode::trace);
    replace_all(result, "\n# 1 \"my.cu\"\n", "");
    replace_all(result, "  __extension__", " __extension__");
    replace_all(result, "::nestbed_trace::", "T::");
    replace_all(result, "/home/", "");
    static const std::regex kSite("[0-9]+u, \"");
    return std::regex_replace(result, kSite, "X, \"");
}

TEST(Rewriter, GivesATracedKernelItsRecordAndALaunchTheRecordOfItsChild)
{
    EXPECT_EQ(
        traced("__global__ void k(int n) { k<<<n, 32, 8, s>>>(n); }"),
        "__global__ void k(T::Level nestbed_level, int n) { const T::Grid<false> nestbed_grid(nestbed_level); "
        "__extension__ ({ T::Call nestbed_call(nestbed_level, X, \"k\", \"my.cu:1\"); "
        "k<<<nestbed_call.grid(n), nestbed_call.block(32), 8, nestbed_call.stream(s)>>>(nestbed_call.level(), n); "
        "nestbed_call.launched(); }); }");
    EXPECT_EQ(traced("__global__ void k(void); __device__ void d() { k<<<1, 2>>>(); } __global__ void k() {}"),
              "__global__ void k(T::Level nestbed_level); __device__ void d() { __extension__ ({ T::Call "
              "nestbed_call(T::level(), X, \"k\", \"my.cu:1\"); k<<<nestbed_call.grid(1), "
              "nestbed_call.block(2)>>>(nestbed_call.level()); nestbed_call.launched(); }); } "
              "__global__ void k(T::Level nestbed_level) { const T::Grid<true> nestbed_grid(nestbed_level);}");
}

TEST(Rewriter, FindsThePartsOfATracedConfiguration)
{
    const auto configuration = [](const std::string& text) {
        std::string result = traced("__global__ void k(); void h() { k<<<" + text + ">>>(); }");
        const std::size_t begin = result.find("<<<") + 3;
        result = result.substr(begin, result.find(">>>(nestbed_call.level()") - begin);
        replace_all(result, "nestbed_call.", "");
        return result;
    };
    EXPECT_EQ(configuration("f<1, 2>(x), dim3(1, 2)"), "grid(f<1, 2>(x)), block(dim3(1, 2))");
    EXPECT_EQ(configuration("a < b ? 1 : 2, c"), "grid(a < b ? 1 : 2), block(c)");
    EXPECT_EQ(configuration("(n + 1) / 2, T::kBlock, sizeof(S<int, 3>), 0"),
              "grid((n + 1) / 2), block(T::kBlock), sizeof(S<int, 3>), stream(0)");
    EXPECT_EQ(configuration("x[f(1, 2)], g<h<int>, 3>::n, 0"), "grid(x[f(1, 2)]), block(g<h<int>, 3>::n), 0");
}

TEST(Rewriter, TracesEveryLaunchThatItCounts)
{
    const auto count_of = [](const std::string& text, std::string_view what) {
        std::size_t count = 0;
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
            ++count;
        return count;
    };
    std::size_t launches = 0;
    for (const RewriterCase& each : read_cases()) {
        SCOPED_TRACE(each.name);
        const std::string text = std::string(kCountMark) + each.text;
        const std::string counted = rewritten(text, RewriteMode::count);
        const std::string traced = rewritten(text, RewriteMode::trace);
        if (counted.starts_with("error: ")) {
            EXPECT_EQ(traced, counted);
            continue;
        }
        if (traced.starts_with("error: ")) { // more can be counted than traced
            EXPECT_THAT(traced, AnyOf(HasSubstr("cannot be traced"), HasSubstr("cannot be counted")));
            continue;
        }
        EXPECT_EQ(count_of(traced, "::nestbed_trace::Call nestbed_call("),
                  count_of(counted, "::nestbed_count::after("));
        EXPECT_EQ(count_of(traced, "::nestbed_trace::Level nestbed_level"),
                  count_of(counted, "::nestbed_count::Level nestbed_level"));
        launches += count_of(counted, "::nestbed_count::after(");
    }
    EXPECT_GE(launches, 50U);
}

TEST(Rewriter, AStrictCountEndsAtWhatTheTableWouldSayIsNotCounted)
{
    for (const std::string name : {"cuLaunchKernel", "cuGraphLaunch", "cuStreamBeginCapture"}) {
        const std::string text = std::string(kCountMark) + "# 1 \"my.cu\"\nvoid f() { " + name + "(a, b); }\n";
        EXPECT_THAT(rewritten(text, RewriteMode::count_strict), StartsWith("error: my.cu:1: " + name + ": "));
        EXPECT_THAT(rewritten(text, RewriteMode::count), Not(StartsWith("error: ")));
    }
    const std::string text =
        std::string(kCountMark) + "void f() { cudaLaunchKernel(k, 1, 1, a); (*p)<<<1, 1>>>(); }\n";
    EXPECT_EQ(rewritten(text, RewriteMode::count_strict), rewritten(text, RewriteMode::count));
}

TEST(Rewriter, LeavesFilesWithoutTheMarkOfTheCountAsTheyAre)
{
    const std::string text = "__global__ void k() { k<<<1, 1>>>(); }\n";
    EXPECT_EQ(rewrite(text, RewriteMode::count), text);
}

TEST(Rewriter, GivesALaunchByAddressTheTypesOfTheParameters)
{
    const auto types = [](const std::string& parameters) {
        const std::string result = rewrite("__global__ void k(" + parameters + ") {}\n", RewriteMode::executor);
        constexpr std::string_view kAsked = "::nestbed::program::is_asked";
        const std::size_t begin = result.find(kAsked) + kAsked.size();
        return result.substr(begin, result.find("(nestbed_kernel", begin) - begin);
    };
    EXPECT_EQ(types(""), "<>");
    EXPECT_EQ(types("void"), "<>");
    EXPECT_EQ(types("int* a, const float *__restrict__ b, unsigned c = f(1, 2)"),
              "<decltype(a), decltype(b), decltype(c)>");
    EXPECT_EQ(types("int a[4], int (&b)[4], void (*c)(int x), const std::array<int, 3> d = {1, 2}"),
              "<decltype(a), decltype(b), decltype(c), decltype(d)>");
    EXPECT_EQ(types("const __grid_constant__ S s, struct T t, typename U::V v, n::W w, T... rest"),
              "<decltype(s), decltype(t), decltype(v), decltype(w), decltype(rest)...>");
    EXPECT_EQ(types("unsigned long long a, const unsigned b, auto... c"),
              "<decltype(a), decltype(b), decltype(c)...>");
    for (const char* const unnamed :
         {"int", "int* a, float*", "unsigned long long", "S", "n::S s, const n::T", "T..."})
        EXPECT_EQ(types(unnamed), "") << unnamed; // the kernel can be launched by its name alone
}

TEST(Rewriter, MarksSidesForThePluginOfTheCompiler)
{
    const std::string text = "__device__ int x; struct S { __host__ __device__ S() {} __device__ int f(); };\n"
                             "template <class T> __host__ inline T __device__ g(T);\n"
                             "__host__ void h() { auto l = [] __host__ __device__ (int) {}; }\n"
                             "static __device__ int d();";
    std::string marked = rewrite(text, RewriteMode::executor);
    for (const char* const side : {"global", "device", "both", "variable"})
        replace_all(marked, "__attribute__((nestbed_" + std::string(side) + "))", std::string("<") + side + ">");
    EXPECT_EQ(marked, "<variable> int x; static const bool nestbed_known_x = "
                      "::nestbed::program::register_symbol(x, \"x\", ::nestbed::program::VariableKind::device); "
                      "struct S {  <both> S() {} <device> int f(); };\n"
                      "template <class T>  inline T <both> g(T);\n"
                      " void h() { auto l = []   (int) {}; }\n"
                      "static <device> int d();");
}

TEST(Rewriter, GivesEachFileOfAWholeProgramItsOwnVariables)
{
    const std::string known =
        " static const bool nestbed_known_x = P::register_symbol(x, \"x\", P::VariableKind::device);";
    for (const auto& [text, declaration] : {std::pair("__device__ int x;", " static int x;"),
                                            std::pair("alignas(8) __device__ int x;", "alignas(8)  static int x;"),
                                            std::pair("static __device__ int x;", "static  int x;"),
                                            std::pair("const __device__ int x = 1;", "static const  int x = 1;")})
        EXPECT_EQ(shortened(rewrite(text, RewriteMode::executor_whole)), declaration + known);
    EXPECT_EQ(shortened(rewrite("extern __device__ int x; __device__ int x;", RewriteMode::executor_whole)),
              "extern  int x;  int x;" + known);
    EXPECT_EQ(shortened(rewrite("__device__ int f();", RewriteMode::executor_whole)), " int f();");
}

TEST(Rewriter, KeepsLineEndsAndOtherAlphabets)
{
    const std::string text =
        "__global__ void größe(int a)\r\n{\r\n}\r\nvoid f() {\r\n größe\r\n<<<1, 1>>>\r\n(1); }\r\n";
    EXPECT_EQ(shortened(rewrite(text, RewriteMode::executor)),
              "I void größe(int a)\r\n{ K{\"größe\"} {\r\n});}\r\nvoid f() {\r\n "
              "(\r\nP::configure(1, 1), \r\ngröße(1)); }\r\n");
}

// Where a word is, as the compiler says it: "my.cu:2:10".
std::string place_of(const std::string& text, const std::string& word)
{
    std::istringstream lines(text);
    std::string file;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        if (const std::optional<LineMark> mark = line.starts_with('#') ? parse_line_mark(line) : std::nullopt) {
            file = mark->file;
            number = mark->line - 1;
        } else if (const std::size_t at = line.find(word); at != std::string::npos) {
            return file + ":" + std::to_string(number) + ":" + std::to_string(at + 1);
        }
    }
    return "";
}

TEST(Rewriter, KeepsColumnsForMessagesOfTheCompiler)
{
    const std::string text =
        "# 1 \"my.cu\"\n__global__ void k(int* d) { __shared__ int s[2]; s[0] = first; }\n"
        "# 7 \"own.h\" 1\n  void f(int* d) { k<<<1, grid>>>(d, argument); after(d); }\n"
        "void g(int* d) {\n    k<<<1, 1>>>(d,\n        second); cudaMalloc((void**)&d, bytes); }\n";
    const std::string result = rewrite(text, RewriteMode::executor, "", nullptr, true);
    for (const std::string word : {"void k", "int* d) {", "first", "grid", "argument", "after", "second", "bytes"})
        EXPECT_EQ(place_of(result, word), place_of(text, word)) << word << " in\n" << result;
    EXPECT_NE(place_of(rewrite(text, RewriteMode::executor), "first"), place_of(text, "first"));
}

TEST(Rewriter, RegistersFilesByTheirWholeNames)
{
    const std::string text =
        "# 1 \"my.cu\"\n# 1 \"/a/b \\\"c\\\".h\" 1\n# 2 \"my.cu\" 2\n# 1 \"/usr/include/x.h\" 1 3";
    EXPECT_THAT(rewrite(text, RewriteMode::executor, "/home/\"me\""),
                HasSubstr("sources({\"/home/\\\"me\\\"/my.cu\", \"/a/b \\\"c\\\".h\"})"));
}

TEST(Rewriter, ShortensPtxThatTheExecutorDoesNotHave)
{
    EXPECT_THAT(rewrite("void f() { asm(\"" + std::string(200, 'a') + ".b\"); }\n", RewriteMode::executor, ""),
                HasSubstr("error(\"inline PTX '" + std::string(120, 'a') + "…' is not supported on the executor\")"));
}

TEST(Rewriter, GivesEachLaunchSiteANumberOfItsOwn)
{
    const std::string text = std::string(kCountMark) +
                             "# 1 \"my.cu\"\n__global__ void k();\nvoid f() { k<<<1, 1>>>(); "
                             "k<<<1, 1>>>();\nk<<<1, 1>>>(); }\n# 2 \"b.cu\"\nvoid g() { k<<<1, 1>>>(); }\n";
    const std::string result = rewrite(text, RewriteMode::count);
    EXPECT_EQ(result, rewrite(text, RewriteMode::count));
    std::vector<std::string> sites;
    for (std::size_t at = result.find("after("); at != std::string::npos; at = result.find("after(", at + 1))
        sites.push_back(result.substr(at, result.find(',', at) - at));
    std::ranges::sort(sites);
    EXPECT_EQ(sites.size(), 4U);
    EXPECT_EQ(std::ranges::adjacent_find(sites), sites.end());
}

// Of two files a.cu in different folders the table must not show the same place.
TEST(Rewriter, GivesALaunchAPlaceWithTheFolder)
{
    const auto place = [](const std::string& file, const std::string& folder) {
        const std::string text =
            std::string(kCountMark) + "# 1 \"" + file + "\"\n__global__ void k();\nvoid f() { k<<<1, 1>>>(); }\n";
        const std::string result = rewrite(text, RewriteMode::count, folder);
        const std::size_t begin = result.find("\"k\", \"") + 6;
        return result.substr(begin, result.find("\", ", begin) - begin);
    };
    EXPECT_EQ(place("a.cu", "/home/my \"own\""), "/home/my \\\"own\\\"/a.cu:2");
    EXPECT_EQ(place("/b/a.cu", "/home"), "/b/a.cu:2");
    const std::string folders = "one/two/three/four/five/six/seven/eight/nine/ten/eleven/twelve";
    EXPECT_EQ(place("a.cu", "/a-first-folder/" + folders), folders + "/a.cu:2"); // the device has room for no more
}

TEST(Rewriter, RefusesALaunchedKernelWithLinesInItsName)
{
    EXPECT_EQ(rewritten("void f() { table[R\"(a\nb)\"]<<<1, 1>>>(); }", RewriteMode::executor),
              "error: input:1: a string over several lines in the kernel of a launch; put it in a variable\n");
}

TEST(Rewriter, TakesLinearTime)
{
    const std::size_t repetitions = all_or_few<std::size_t>(20'000, 1'000);
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& part :
         parts_of("k<~k<<<~a::~__global__ ~__device__ f() ~__device__ operator ~[]<~[](~\"\\\"~R\"(~/*~'~x x {} ~"
                  "__shared__ ~k<<<1,1>>>(1),~a<<<1>>>(~# 1 \"a\"\n~a b<c>::~__global__ void k(){k<<<1,1>>>();}~"
                  "{__shared__ int a;[=]{a;};}~asm(\"\");~cudaMalloc(&a, 1);~k ~)~(*a)")) {
        std::string text = "__global__ void k();\n";
        for (std::size_t count = 0; count < repetitions; ++count)
            text += part;
        rewritten(text, RewriteMode::executor);
        rewritten(std::string(kCountMark) + text, RewriteMode::count);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

class Generator
{
  public:
    explicit Generator(std::vector<std::string> corpus) : corpus_(std::move(corpus)) {}

    std::string next()
    {
        switch (below(4)) {
        case 0:
            return bytes();
        case 1:
            return words();
        default:
            return mutant();
        }
    }

  private:
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
    const std::string& any() { return corpus_[below(corpus_.size())]; }

    std::string bytes()
    {
        std::string text(below(200), ' ');
        for (char& byte : text)
            byte = static_cast<char>(below(8) == 0 ? below(256) : 0x20 + below(0x5F));
        return text;
    }

    std::string word()
    {
        static const std::vector<std::string> kWords = parts_of(
            "<<<~>>>~<<~>>~<~>~(~)~{~}~[~]~,~;~k~x~int~void~*~&~=~::~.~->~template~__global__~=~__device__~"
            "__shared__~extern~\"a\"~\"~'~R\"(~)\"~//~/*~*/~\n~\n# 1 \"a.cu\"\n~\n# 1 \"/usr/b.h\" 1 3\n~#~\\\n~"
            "asm~volatile~cudaMalloc~(void**)~operator~namespace~struct~return~if~else~1~1'0~[=]~[&]~"
            "k<<<1, 1>>>(x)~__global__ void k(int x) {~__attribute__((global))~alignas(8)~cudaDeviceReset~_exit~"
            "std~decltype~noexcept~requires~\r\n");
        return kWords[below(kWords.size())];
    }

    std::string words()
    {
        std::string text;
        for (std::size_t count = below(60); count > 0; --count)
            text += word() + (below(3) == 0 ? "" : " ");
        return text;
    }

    std::string mutant()
    {
        std::string text = any();
        for (std::size_t count = 1 + below(4); count > 0; --count) {
            const std::size_t at = below(text.size() + 1);
            const std::size_t length = std::min(below(20), text.size() - at);
            const std::string& other = any();
            const std::size_t from = below(other.size() + 1);
            switch (below(5)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, word());
                break;
            case 2:
                text.insert(at, text.substr(below(text.size() + 1), length));
                break;
            case 3:
                text.replace(at, length, word());
                break;
            default:
                text.insert(at, other.substr(from, below(80)));
                break;
            }
        }
        return text;
    }

    std::vector<std::string> corpus_;
    std::mt19937_64 random_{1}; // NOLINT(cert-msc51-cpp): the same texts in each run
};

TEST(Rewriter, KeepsWhatItDoesNotRewriteInGeneratedTexts)
{
    std::vector<std::string> corpus;
    for (const RewriterCase& each : read_cases())
        corpus.push_back(each.text);
    Generator generator(std::move(corpus));
    const std::size_t count = all_or_few<std::size_t>(random_orders(10'000, 100'000), 500);
    std::size_t taken = 0;
    for (std::size_t number = 0; number < count; ++number) {
        const std::string text = generator.next();
        ASSERT_TRUE(tokens_are_the_text(text)) << text;
        for (const RewriteMode mode : {RewriteMode::executor, RewriteMode::count, RewriteMode::workload_cuda,
                                       RewriteMode::workload_executor}) {
            std::string refusal;
            ASSERT_EQ(broken_property(text, mode, refusal), "") << number << ":\n" << text;
            taken += refusal.empty() ? 1 : 0;
        }
    }
    EXPECT_GT(taken, count / 2); // not only refused
}

} // namespace
} // namespace nestbed::program
