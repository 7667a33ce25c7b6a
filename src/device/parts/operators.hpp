// How a reduction combines two numbers, for the strategies that support operators other than the sum
// (StrategyInfo::operators).
#pragma once

#include "device/language.hpp"
#include "model/case.hpp"

#include <limits>

namespace nestbed::inline NESTBED_BACKEND
{

// kNone is the neutral element, which changes no other number. A block without elements has this value.
struct Plus {
    template <class T>
    static constexpr T kNone{};
    template <class T>
    static __device__ T of(T a, T b)
    {
        return a + b;
    }
};

struct Greatest {
    template <class T>
    static constexpr T kNone = std::numeric_limits<T>::lowest();
    template <class T>
    static __device__ T of(T a, T b)
    {
        return a < b ? b : a;
    }
};

struct Least {
    template <class T>
    static constexpr T kNone = std::numeric_limits<T>::max();
    template <class T>
    static __device__ T of(T a, T b)
    {
        return b < a ? b : a;
    }
};

// Calls use(Plus{}), use(Greatest{}) or use(Least{}).
template <class Use>
void with_operator(Operator op, Use&& use)
{
    switch (op) {
    case Operator::max:
        return use(Greatest{});
    case Operator::min:
        return use(Least{});
    case Operator::none:
    case Operator::sum:
        break;
    }
    use(Plus{});
}

} // namespace nestbed::inline NESTBED_BACKEND
