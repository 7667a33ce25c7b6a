// Accesses that GCC's -fsanitize=thread leaves out, and the plugin (device/races/compiler_plugin.cc) sees: objects that are passed and
// returned by value, and the compiler's own memory functions. The file is compiled like the strategies that the detector watches.
#include "rules.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

namespace nestbed
{
namespace
{

template <std::size_t N>
struct Bytes {
    char bytes[N];
};

template <class T>
int take(T value)
{
    return reinterpret_cast<const char*>(&value)[0];
}
template <class T>
T make()
{
    T value;
    std::memset(static_cast<void*>(&value), 1, sizeof value);
    return value;
}
template <class T>
T recursive(T value, unsigned times)
{
    return times == 0 ? value : recursive(value, times - 1);
}
template <class T>
T make_or_throw(bool throws)
{
    if (throws)
        throw 1;
    return make<T>();
}

struct Calls {
    Calls() = default;
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    virtual ~Calls() = default;
    virtual int take(Bytes<24> value) const = 0;
    virtual Bytes<24> make() const = 0;
};
struct Virtual final : Calls {
    int take(Bytes<24> value) const override { return value.bytes[0]; }
    Bytes<24> make() const override { return nestbed::make<Bytes<24>>(); }
};

volatile int sum = 0; // volatile, so that the compiler keeps what computes it

using Values = Rules;

// Block 0 does one thing with the object at data[2], and block 1 writes to its last byte, or to the byte behind it.
class ReferenceTimes
{
  public:
    explicit ReferenceTimes(Values& test, std::array<int, 64>& data) : test_(test), data_(data) {}

    template <class T, class Work>
    void is_seen(const char* what, const Work& work)
    {
        is_seen(what, sizeof(T), [work](void* object) { work(static_cast<T*>(object)); });
    }

  private:
    void is_seen(const char* what, std::size_t size, const std::function<void(void*)>& work)
    {
        constexpr std::size_t kFirst = 2;
        int* const object = &data_[kFirst];
        const auto with_write_at = [&](char* at) {
            return test_.pairs(2, 1, [&work, object, at] {
                if (blockIdx.x == 0)
                    work(object);
                else
                    *at = 1;
            });
        };
        EXPECT_GT(with_write_at(reinterpret_cast<char*>(object) + size - 1), 0U)
            << what << " of " << size << " bytes";
        EXPECT_EQ(with_write_at(reinterpret_cast<char*>(object + (size + sizeof(int) - 1) / sizeof(int))), 0U)
            << what << " of " << size << " bytes, and what is behind it";
    }

    Values& test_;
    std::array<int, 64>& data_;
};

template <std::size_t N>
void every_way(ReferenceTimes& beside)
{
    using T = Bytes<N>;
    beside.is_seen<T>("an argument", [](const T* at) { sum = take(*at); });
    beside.is_seen<T>("a result", [](T* at) { *at = make<T>(); });
    beside.is_seen<T>("a new object", [](T* at) { new (at) T(make<T>()); });
    beside.is_seen<T>("a copy that is returned", [](T* at) { sum = take([=] { return *at; }()); });
    beside.is_seen<T>("a capture", [](T* at) { sum = [value = *at] { return take(value); }(); });
    beside.is_seen<T>("one of two arguments", [](T* at) { sum = take(at != nullptr ? *at : T{}); });
    beside.is_seen<T>("an argument of a function that calls itself", [](T* at) { sum = take(recursive(*at, 3)); });
    beside.is_seen<T>("a result of a function that may throw", [](T* at) { *at = make_or_throw<T>(false); });
    beside.is_seen<T>("an assignment", [](T* at) { *at = T{}; });
}

template <std::size_t... N>
void every_size(ReferenceTimes& beside, std::index_sequence<N...> /*sizes*/)
{
    (every_way<N + 1>(beside), ...);
}

TEST_P(Values, ArePassedAndReturnedInEverySize)
{
    ReferenceTimes beside(*this, data);
    every_size(beside, std::make_index_sequence<80>());
}

TEST_P(Values, ArePassedAndReturnedByPointersToFunctions)
{
    using T = Bytes<24>;
    ReferenceTimes beside(*this, data);
    int (*volatile taker)(T) = take<T>;
    T (*volatile maker)() = make<T>;
    beside.is_seen<T>("an argument", [&taker](const T* at) { sum = taker(*at); });
    beside.is_seen<T>("a result", [&maker](T* at) { *at = maker(); });
    const Virtual object;
    const Calls* volatile calls = &object;
    beside.is_seen<T>("an argument of a virtual function", [&calls](const T* at) { sum = calls->take(*at); });
    beside.is_seen<T>("a result of a virtual function", [&calls](T* at) { *at = calls->make(); });
}

TEST_P(Values, AreArgumentsOfALaunch)
{
    using T = Bytes<24>;
    ReferenceTimes beside(*this, data);
    beside.is_seen<T>("an argument", [](const T* at) {
        const auto kernel = [](T value) { launch(1, 1, Mechanism::fire_and_forget, [=] { take(value); }); };
        kernel(*at);
    });
}

TEST_P(Values, AFunctionThatThrowsWritesNoResult)
{
    auto* const at = reinterpret_cast<Bytes<24>*>(&data[2]);
    expect_pairs(0, 2, 1, [=, this] {
        if (blockIdx.x == 1) {
            data[2] = 1;
            return;
        }
        try {
            *at = make_or_throw<Bytes<24>>(true);
        } catch (int) {
            sum = 1;
        }
    });
}

struct NotTrivial {
    NotTrivial() { values[1] = 2; }
    NotTrivial(const NotTrivial& other) { values[0] = other.values[0]; }
    NotTrivial& operator=(const NotTrivial&) = default;
    ~NotTrivial() { values[2] = 0; }
    int values[3];
};

// It is passed by its address: what its constructors and functions access is seen there.
TEST_P(Values, ThatAreNotTrivialAreAccessedByTheirConstructors)
{
    auto* const at = reinterpret_cast<NotTrivial*>(&data[2]);
    const auto by = [&](unsigned other, auto work) {
        return pairs(2, 1, [=, this] {
            if (blockIdx.x == 0)
                work(at);
            else
                data[2 + other] = 1;
        });
    };
    EXPECT_EQ(by(0, [](const NotTrivial* from) { sum = take(*from); }), 1U);
    EXPECT_EQ(by(1, [](const NotTrivial* from) { sum = take(*from); }), 0U);
    EXPECT_EQ(by(1, [](NotTrivial* to) { new (to) NotTrivial; }), 1U);
    EXPECT_EQ(by(0, [](NotTrivial* to) { new (to) NotTrivial; }), 0U);
    EXPECT_EQ(by(1, [](NotTrivial* to) { new (to) NotTrivial([] { return NotTrivial(); }()); }), 1U);
}

struct Empty {
};

TEST_P(Values, OfAnEmptyClassAreNoAccess)
{
    auto* const at = reinterpret_cast<Empty*>(&data[2]);
    expect_pairs(0, 2, 1, [=, this] {
        if (blockIdx.x == 0)
            data[2] = 1;
        else
            sum = take(*at);
    });
}

// The write of a result counts after the call: the other thread's read is before it, by the barriers in the function.
TEST_P(Values, AreWrittenWhenTheFunctionIsDone)
{
    using T = Bytes<24>;
    const auto with_barrier = [] {
        __syncthreads();
        return make<T>();
    };
    expect_pairs(0, 1, 2, [&] {
        auto* const at = reinterpret_cast<T*>(&data[2]);
        if (thread() == 1)
            sum = take(*at);
        if (thread() == 0)
            *at = with_barrier();
        else
            with_barrier();
    });
}

TEST_P(Values, AreCopiedByFunctionsOfTheCompiler)
{
    using T = Bytes<24>;
    ReferenceTimes beside(*this, data);
    volatile std::size_t size = sizeof(T);
    char own[sizeof(T)]{};
    char* const copy = own;
    beside.is_seen<T>("__builtin_memcpy", [=, &size](T* at) { __builtin_memcpy(copy, at, size); });
    beside.is_seen<T>("__builtin_memmove", [=, &size](T* at) { __builtin_memmove(at, copy, size); });
    beside.is_seen<T>("__builtin_memset", [&size](T* at) { __builtin_memset(at, 0, size); });
    beside.is_seen<T>("__builtin_memcmp", [=, &size](T* at) { sum = __builtin_memcmp(at, copy, size); });
    beside.is_seen<T>("std::copy", [=, &size](T* at) { std::copy(at->bytes, at->bytes + size, copy); });
    beside.is_seen<T>("std::fill", [&size](T* at) { std::fill(at->bytes, at->bytes + size, 'a'); });
    beside.is_seen<int>("assembly", [](int* at) { asm volatile("" : "+m"(*at)); });
}

INSTANTIATE_TEST_SUITE_P(Races, Values, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
