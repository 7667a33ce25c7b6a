// Kernels as values of every kind, beside functions of the host of the same type, and variables with the name of a kernel.
#include "../check.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

__global__ void add(int* to, int value)
{
    atomicAdd(to, value);
}

__global__ void take(int* to, int value)
{
    atomicSub(to, value);
}

__global__ void scale(int* to, int value)
{
    *to *= value;
}

void scale(int* to) // of the host
{
    scale<<<1, 1>>>(to, 2);
}

template <int times>
__global__ void add_times(int* to, int value)
{
    atomicAdd(to, times * value);
}

template <class T>
__global__ void store(T* to, T value)
{
    atomicExch(to, value);
}

__global__ void store(int* to)
{
    *to = 1000;
}

template <>
__global__ void store(float* to, float value)
{
    *to = value;
}

template <class T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0>
__global__ void chosen_by_type(T* to)
{
    atomicAdd(to, 1);
}
template <class T, typename std::enable_if<!std::is_integral<T>::value, int>::type = 0>
__global__ void chosen_by_type(T* to)
{
    atomicAdd(to, T(2));
}
template <class T>
__global__ void by_arguments(T* to)
{
    atomicAdd(to, 1);
}
template <class T, int times>
__global__ void by_arguments(T* to)
{
    atomicAdd(to, times);
}

void add_on_host(int* to, int value)
{
    *to += value;
}

// ---- one type for kernels and functions of the host, and types that are hard to read ----

using Function = void (*)(int*, int);
template <class... Parameters>
using Kernel = void (*)(Parameters...);

Function functions[] = {add_on_host, add, nullptr};

void call(Function function, int* to)
{
    function(to, 1);
}

void run(Function kernel, int* to, int value = 1)
{
    kernel<<<1, 1>>>(to, value);
}

void (*classic(bool adds))(int*, int)
{
    return adds ? add : take;
}

auto trailing(bool adds) -> void (*)(int*, int)
{
    if (adds)
        return &add;
    return take;
}

Kernel<int*, int> aliased(bool adds)
{
    return adds ? add_times<2> : take;
}

using Type = void(int*, int);
Type& of_file = add;

Type& referred(bool adds)
{
    if (adds)
        return add;
    return add_times<3>;
}

struct Operation {
    Function kernel = add;
    Function other;
    Operation operator()(Function given) const { return {given, kernel}; }
};

// ---- constants ----

struct Constants {
    static constexpr Function kTake = take;
    static constexpr Function kAll[2] = {add, take};
    template <class T>
    static constexpr Function of_size()
    {
        return add_times<sizeof(T)>;
    }
};
constexpr Function kTable[] = {add, take, add_times<3>};

constexpr Function pick(int index)
{
    return index < 3 ? kTable[index] : Constants::kTake;
}

template <int... times>
constexpr std::array<Function, sizeof...(times)> table()
{
    return {add_times<times>...};
}
constexpr auto kMade = table<1, 2, 3>();

constexpr void (*kPointer)(int*, int) = add;
constexpr void (*kPointers[])(int*, int) = {add, take};
constexpr auto* kDeduced = &add;
void (&of_function)(int*, int) = take;

// ---- templates ----

template <class K, class... Arguments>
void launch(K kernel, Arguments&&... arguments)
{
    kernel<<<1, 1, 0, cudaStreamLegacy>>>(std::forward<Arguments>(arguments)...);
}

template <class... Parameters, class... Arguments>
void launch_by_parameters(void (*kernel)(Parameters...), Arguments... arguments)
{
    static_assert(std::is_same<std::tuple<Parameters...>, std::tuple<int*, int>>::value, "the program's own types");
    kernel<<<1, 1>>>(Parameters(arguments)...);
}

template <class K, class... Arguments>
void launch_by_reference(K& kernel, Arguments... arguments)
{
    kernel<<<1, 1>>>(arguments...);
}

template <Function kernel>
void run_constant(int* to)
{
    kernel<<<1, 1>>>(to, 1);
    const Function copy = kernel;
    run(copy, to);
    run(kernel, to);
}

template <void (*kernel)(int*, int), int value = 2>
struct Constant {
    void go(int* to) const;
};
template <void (*kernel)(int*, int), int value>
void Constant<kernel, value>::go(int* to) const
{
    kernel<<<1, 1>>>(to, value);
    run_constant<kernel>(to);
}

template <class T, T kernel = add>
void run_typed(int* to)
{
    kernel<<<1, 1>>>(to, 1);
}

template <Function... kernels>
void run_all(int* to)
{
    (run(kernels, to), ...);
}

template <class F, F kernel>
struct ByType;
template <class... Parameters, void (*kernel)(Parameters...)>
struct ByType<void (*)(Parameters...), kernel> {
    static void go(Parameters... parameters) { kernel<<<1, 1>>>(parameters...); }
};

template <Function kernel>
struct Name {
    static int letters() { return 0; }
};
template <>
struct Name<take> {
    static int letters() { return 4; }
};
template <>
int Name<add>::letters()
{
    return 3;
}

template <Function... kernels>
int number_of()
{
    static const Function all[] = {kernels...};
    return static_cast<int>(sizeof...(kernels) + sizeof(all) / sizeof(Function));
}

// ---- templates of which no argument is a kernel ----

template <int size>
struct Sized {
    int run_constant() const;
};
template <int size>
int Sized<size>::run_constant() const
{
    return (size - 5 < 0) + (size - 5) / 2;
}

// ---- what only has the name of a kernel ----

int first_of(int (&add)[3], const int (&take)[3])
{
    add[0] += take[1];
    return add[0];
}

struct Statistics {
    int add, take;
    int store(int value) { return add + value; }
    int difference() const;
};
int Statistics::difference() const
{
    return this->add == take ? add : add - take;
}

enum class Change { add, take, store };
struct Changes {
    enum { add, take, store };
    int counts[3];
    int sum(Change change) const { return counts[add] + counts[take] + (change == Change::store ? store : add); }
};

int host_side(int add, const std::vector<int>& values)
{
    int take = 0, *store = &take;
    for (int each : values)
        *store += each;
    const int both[] = {add, take};
    const auto most = [add, &take] { return add != take ? std::max(add, take) : add; };
    const auto [first, second] = std::pair<int, int>(add, most());
    return both[0] + first + second;
}

int main()
{
    int* sum = zeros<int>();
    int on_host = 0;
    call(functions[0], &on_host);
    run(functions[1], sum);            // 1
    classic(true)<<<1, 1>>>(sum, 10);  // 11
    trailing(false)<<<1, 1>>>(sum, 1); // 10
    trailing(true)<<<1, 1>>>(sum, 1);  // 11
    aliased(true)<<<1, 1>>>(sum, 2);   // 15
    const Operation operation{take, add};
    operation.other<<<1, 1>>>(sum, 5);       // 20
    operation(add).kernel<<<1, 1>>>(sum, 1); // 21
    Operation().kernel<<<1, 1>>>(sum, 1);    // 22
    const auto typed = [](bool adds) -> Function {
        if (adds)
            return add;
        return take;
    };
    typed(true)<<<1, 1>>>(sum, 8); // 30
    const auto fives = [] { return add_times<5>; };
    fives()<<<1, 1>>>(sum, 2); // 40

    kTable[2]<<<1, 1>>>(sum, 1);                 // 43
    Constants::kTake<<<1, 1>>>(sum, 3);          // 40
    Constants::kAll[0]<<<1, 1>>>(sum, 1);        // 41
    Constants::of_size<int>()<<<1, 1>>>(sum, 1); // 45
    pick(1)<<<1, 1>>>(sum, 5);                   // 40
    for (const Function kernel : kMade)
        kernel<<<1, 1>>>(sum, 10); // 100

    launch(add, sum, 1);                    // 101
    launch(&take, sum, 1);                  // 100
    launch(add_times<4>, sum, 5);           // 120
    launch(store<int>, sum, 120);           // 120
    launch_by_parameters(add, sum, 1);      // 121
    launch_by_parameters(take, sum, 1);     // 120
    run_constant<add>(sum);                 // 123
    run_constant<&take>(sum);               // 120
    Constant<add_times<2>>().go(sum);       // 130
    Constant<take, 7>().go(sum);            // 120
    run_typed<Function>(sum);               // 121
    run_typed<decltype(&take), &take>(sum); // 120
    run_all<add, take, add>(sum);           // 121

    void (*by_type)(int*) = store;
    by_type<<<1, 1>>>(sum);                                      // 1000
    static_cast<void (*)(int*, int)>(store)<<<1, 1>>>(sum, 200); // 200
    decltype(add)* function = add;
    static_assert(std::is_same<decltype(take), void(int*, int)>::value, "the program's own type");
    function<<<1, 1>>>(sum, 1); // 201
    const std::vector<Function> all = {add, take};
    all.back()<<<1, 1>>>(sum, 1); // 200
    const auto pair = std::make_pair(add, 3);
    pair.first<<<1, 1>>>(sum, pair.second); // 203
    std::function<Function(bool)> chosen = classic;
    chosen(false)<<<1, 1>>>(sum, 3); // 200
    std::map<Function, std::string> names = {{add, "add"}};
    names[take] = "take";
    (names[&add] == "add" && function != &take && all[1] == take ? add : take)<<<1, 1>>>(sum, 11); // 211

    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    CHECK(cudaLaunchKernelEx(&config, kTable[1], sum, 1)); // 210
    int three = 3;
    void* arguments[] = {&sum, &three};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(all[0]), 1, 1, arguments)); // 213
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, function));
    of_file<<<1, 1>>>(sum, 1);         // 214
    referred(false)<<<1, 1>>>(sum, 2); // 220
    auto& reference = take;
    reference<<<1, 1>>>(sum, 10);     // 210
    launch_by_reference(add, sum, 3); // 213
    kPointer<<<1, 1>>>(sum, 1);       // 214
    kPointers[1]<<<1, 1>>>(sum, 2);   // 212
    kDeduced<<<1, 1>>>(sum, 3);       // 215
    of_function<<<1, 1>>>(sum, 5);    // 210
    const auto by_class = chosen_by_type<int>;
    by_class<<<1, 1>>>(sum); // 211
    void (*by_number)(int*) = by_arguments<int, 4>;
    by_number<<<1, 1>>>(sum); // 215
    CHECK(cudaFuncGetAttributes(&attributes, chosen_by_type<float>));
    const auto without_list = store<int>;
    without_list<<<1, 1>>>(sum, 200); // 200
    const auto cast = (void (*)(int*, int)) & store;
    cast<<<1, 1>>>(sum, 205); // 205
    const auto captures = [sum, kernel = add, other = &take] {
        static const Function both[] = {add, take};
        run(kernel, sum, 10);
        run(other, sum, 5);
        run(both[0], sum);
    };
    captures();                               // 211
    ByType<decltype(&add), &add>::go(sum, 2); // 213
    void (*on_host_side)(int*) = scale;
    on_host_side(sum); // 426
    Function by_two = scale;
    by_two<<<1, 1>>>(sum, 1); // 426
    run(take, sum, 213);      // 213
    int array[3] = {-20, 1, 2};
    const int constant = Name<add>::letters() + Name<take>::letters() + Name<add_times<2>>::letters() +
                         number_of<add, take>() + Sized<sizeof(int)>().run_constant() + first_of(array, {1, 7, 9});
    if (constant != 3 + 4 + 4 + 1 - 13)
        return verdict(constant, 3 + 4 + 4 + 1 - 13);
    const Changes changes{{1, 2, 4}};
    const Statistics statistics{5, 3};
    return verdict(value_of(sum) + on_host + statistics.difference() + host_side(7, {1, 2}) +
                       changes.sum(Change::store),
                   213 + 1 + 2 + 21 + 5);
}
