// Where algorithms of Thrust run: on the host in the thread that calls, on the device in a kernel of the library, for which the caller waits.
// In a kernel, in the thread that calls.
#pragma once

#include "fancy_iterators.hpp"

#include <optional>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

namespace own
{
struct Policy {
    bool on_device;
    bool waits;
    cudaStream_t stream;
    constexpr Policy on(cudaStream_t other) const { return {on_device, waits, other}; }
    template <class Allocator>
    constexpr Policy operator()(const Allocator&) const
    {
        return *this;
    }
};
} // namespace own
using execution_policy = own::Policy;
inline constexpr own::Policy host{false, true, nullptr};
inline constexpr own::Policy seq{false, true, nullptr};
inline constexpr own::Policy device{true, true, nullptr};
namespace cuda
{
inline constexpr own::Policy par{true, true, nullptr};
inline constexpr own::Policy par_nosync{true, false, nullptr};
} // namespace cuda
namespace system::cuda
{
using thrust::cuda::par;
using thrust::cuda::par_nosync;
} // namespace system::cuda
namespace cuda_cub
{
using thrust::cuda::par;
using thrust::cuda::par_nosync;
} // namespace cuda_cub

namespace own
{
using nestbed::program::Place;
using Offset = std::ptrdiff_t;
template <class Input>
using ValueOf = typename std::iterator_traits<Input>::value_type;

struct AtFirst {
    static constexpr bool kIsWhole = false;
    static constexpr int output(int) { return 0; }
};
struct AtThird {
    static constexpr bool kIsWhole = false;
    static constexpr int output(int) { return 2; }
};
struct AtFourth {
    static constexpr bool kIsWhole = false;
    static constexpr int output(int) { return 3; }
};
struct AtFifth {
    static constexpr bool kIsWhole = false;
    static constexpr int output(int) { return 4; }
};
struct BeforeLast { // the function
    static constexpr bool kIsWhole = false;
    static constexpr int output(int arguments) { return arguments - 2; }
};
// As far behind as the first two arguments are apart, which needs no wait.
template <class At>
struct Whole : At {
    static constexpr bool kIsWhole = true;
};
template <class Of>
struct WithoutResult {
    template <class... Raws>
    void operator()(Raws... raws) const
    {
        Of()(raws...);
    }
};

template <class... Arguments>
inline constexpr Policy policy_of = (is_of_device<Arguments> || ...) ? device : host;

template <class Body>
void run_kernel(const char* name, std::size_t threads, const Body& body, const Policy& policy, Place place)
{
    nestbed::program::run_library_kernel(name, threads, body, policy.stream, place);
    check(cudaPeekAtLastError(), name);
}
inline void wait(const char* name, const Policy& policy)
{
    check(cudaStreamSynchronize(policy.stream), name);
}

// One thread does it all, in order. Returns what `Of` returns.
template <class Of, class... Raws>
auto call(const char* name, Place place, const Policy& policy, Raws... raws)
{
    using Result = decltype(Of()(raws...));
    if (!policy.on_device || nestbed::cpu::in_kernel())
        return Of()(raws...);
    if constexpr (std::is_void<Result>::value) {
        run_kernel(
            name, 1,
            [=] {
                if (nestbed::cpu::linear_thread() == 0)
                    Of()(raws...);
            },
            policy, place);
        if (policy.waits)
            wait(name, policy);
    } else {
        std::optional<Result> result;
        run_kernel(
            name, 1,
            [=, to = &result] {
                if (nestbed::cpu::linear_thread() == 0)
                    to->emplace(Of()(raws...));
            },
            policy, place);
        wait(name, policy);
        if (!result)
            throw system_error(cudaErrorLaunchFailure, name);
        return *result;
    }
}
// `Of` has `count(raws...)` and `at(index, raws...)`, which a thread each calls on the device. Returns the count.
template <class Of, class... Raws>
std::ptrdiff_t call_each(const char* name, Place place, const Policy& policy, Raws... raws)
{
    const std::ptrdiff_t count = Of::count(raws...);
    if (!policy.on_device || nestbed::cpu::in_kernel()) {
        for (std::ptrdiff_t at = 0; at < count; ++at)
            Of::at(at, raws...);
        return count;
    }
    if (count <= 0)
        return count;
    run_kernel(
        name, Of::kInThreads ? static_cast<std::size_t>(count) : 1,
        [=] {
            const nestbed::cpu::ThreadContext& thread = *nestbed::cpu::current_thread;
            const std::ptrdiff_t at =
                static_cast<std::ptrdiff_t>(thread.block_index.x) * thread.block_dim.x + thread.thread_index.x;
            std::tuple<Raws...> own(raws...);
            if constexpr (Of::kInThreads) {
                if (at < count)
                    std::apply([at](auto&... each) { Of::at(at, each...); }, own);
            } else if (at == 0) {
                for (std::ptrdiff_t each_at = 0; each_at < count; ++each_at)
                    std::apply([each_at](auto&... each) { Of::at(each_at, each...); }, own);
            }
        },
        policy, place);
    if (policy.waits)
        wait(name, policy);
    return count;
}

// What the functions of Thrust call, with a policy before the arguments or without. `value` returns what `Of` returns, `at` an iterator that
// is so far behind an argument, `each` the one behind all.
template <class Of, class... Arguments>
auto value(const char* name, Place place, const Policy& policy, const Arguments&... arguments)
{
    return call<Of>(name, place, policy, raw(arguments)...);
}
template <class Of, class... Arguments>
auto at(const char* name, Place place, const Policy& policy, const Arguments&... arguments)
{
    if constexpr (Of::kIsWhole) {
        call<WithoutResult<Of>>(name, place, policy, raw(arguments)...);
        const auto& all = std::tie(arguments...);
        return std::get<Of::output(sizeof...(arguments))>(all) + (std::get<1>(all) - std::get<0>(all));
    } else {
        return std::get<Of::output(sizeof...(arguments))>(std::tie(arguments...)) +
               call<Of>(name, place, policy, raw(arguments)...);
    }
}
template <class Of, class... Arguments>
auto at_two(const char* name, Place place, const Policy& policy, const Arguments&... arguments)
{
    const std::pair<std::ptrdiff_t, std::ptrdiff_t> by = call<Of>(name, place, policy, raw(arguments)...);
    return std::make_pair(std::get<Of::output(sizeof...(arguments))>(std::tie(arguments...)) + by.first,
                          std::get<Of::second(sizeof...(arguments))>(std::tie(arguments...)) + by.second);
}
template <class Of, class... Arguments>
auto each(const char* name, Place place, const Policy& policy, const Arguments&... arguments)
{
    return std::get<Of::output(sizeof...(arguments))>(std::tie(arguments...)) +
           call_each<Of>(name, place, policy, raw(arguments)...);
}
#define NESTBED_WITHOUT_POLICY(name)                                                                                 \
    template <class Of, class... Arguments>                                                                          \
    auto name(const char* function, Place place, const Arguments&... arguments)                                      \
    {                                                                                                                \
        return name<Of>(function, place, policy_of<Arguments...>, arguments...);                                     \
    }
NESTBED_WITHOUT_POLICY(value)
NESTBED_WITHOUT_POLICY(at)
NESTBED_WITHOUT_POLICY(at_two)
NESTBED_WITHOUT_POLICY(each)
} // namespace own

} // namespace thrust

// A function of Thrust, with any number of arguments; its place is that of the call.
#define NESTBED_FORM(name, run, types, parameters, ...)                                                              \
    template <NESTBED_LIST types>                                                                                    \
    auto name(NESTBED_LIST parameters, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())        \
    {                                                                                                                \
        return NESTBED_LIST run("thrust::" #name, nestbed::program::Place{file, line}, __VA_ARGS__);                 \
    }
#define NESTBED_LIST(...) __VA_ARGS__
#define NESTBED_ALGORITHM(name, ...)                                                                                 \
    NESTBED_FORM(name, (__VA_ARGS__), (class OfA, class OfB), (OfA a, OfB b), a, b)                                  \
    NESTBED_FORM(name, (__VA_ARGS__), (class OfA, class OfB, class OfC), (OfA a, OfB b, OfC c), a, b, c)             \
    NESTBED_FORM(name, (__VA_ARGS__), (class OfA, class OfB, class OfC, class OfD), (OfA a, OfB b, OfC c, OfD d), a, \
                 b, c, d)                                                                                            \
    NESTBED_FORM(name, (__VA_ARGS__), (class OfA, class OfB, class OfC, class OfD, class OfE),                       \
                 (OfA a, OfB b, OfC c, OfD d, OfE e), a, b, c, d, e)                                                 \
    NESTBED_FORM(name, (__VA_ARGS__), (class OfA, class OfB, class OfC, class OfD, class OfE, class OfF),            \
                 (OfA a, OfB b, OfC c, OfD d, OfE e, OfF f), a, b, c, d, e, f)                                       \
    NESTBED_FORM(name, (__VA_ARGS__), (class OfA, class OfB, class OfC, class OfD, class OfE, class OfF, class OfG), \
                 (OfA a, OfB b, OfC c, OfD d, OfE e, OfF f, OfG g), a, b, c, d, e, f, g)                             \
    NESTBED_FORM(name, (__VA_ARGS__),                                                                                \
                 (class OfA, class OfB, class OfC, class OfD, class OfE, class OfF, class OfG, class OfH),           \
                 (OfA a, OfB b, OfC c, OfD d, OfE e, OfF f, OfG g, OfH h), a, b, c, d, e, f, g, h)                   \
    NESTBED_FORM(                                                                                                    \
        name, (__VA_ARGS__),                                                                                         \
        (class OfA, class OfB, class OfC, class OfD, class OfE, class OfF, class OfG, class OfH, class OfI),         \
        (OfA a, OfB b, OfC c, OfD d, OfE e, OfF f, OfG g, OfH h, OfI i), a, b, c, d, e, f, g, h, i)                  \
    NESTBED_FORM(name, (__VA_ARGS__),                                                                                \
                 (class OfA, class OfB, class OfC, class OfD, class OfE, class OfF, class OfG, class OfH, class OfI, \
                  class OfJ),                                                                                        \
                 (OfA a, OfB b, OfC c, OfD d, OfE e, OfF f, OfG g, OfH h, OfI i, OfJ j), a, b, c, d, e, f, g, h, i,  \
                 j)
// NOLINTEND
