// The random numbers of Thrust.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

namespace random
{
// As of the standard library, but for both sides.
template <class T, T factor, T step, T of>
class linear_congruential_engine
{
  public:
    using result_type = T; // of 32 bits
    static constexpr T multiplier = factor, increment = step, modulus = of, default_seed = 1;
    static constexpr T min = step == 0 ? 1 : 0, max = of - 1;
    explicit linear_congruential_engine(T value = default_seed) { seed(value); }
    void seed(T value = default_seed) { state_ = step == 0 && value % modulus == 0 ? 1 : value % modulus; }
    T operator()()
    {
        return state_ = static_cast<T>((static_cast<unsigned long long>(factor) * state_ + step) % modulus);
    }
    void discard(unsigned long long count)
    {
        unsigned long long by = factor, plus = step; // what 1, 2, 4, ... steps do
        for (; count > 0; count /= 2) {
            if (count % 2 == 1)
                state_ = static_cast<T>((by * state_ + plus) % modulus);
            plus = (by * plus + plus) % modulus;
            by = by * by % modulus;
        }
    }
    friend bool operator==(const linear_congruential_engine& left, const linear_congruential_engine& right)
    {
        return left.state_ == right.state_;
    }
    friend bool operator!=(const linear_congruential_engine& left, const linear_congruential_engine& right)
    {
        return left.state_ != right.state_;
    }

  private:
    T state_;
};
using minstd_rand = linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>;
using minstd_rand0 = linear_congruential_engine<std::uint32_t, 16807, 0, 2147483647>;
using default_random_engine = minstd_rand;

// The numbers of Thrust's distributions: those of the standard library differ.
template <class T = double>
class uniform_real_distribution
{
  public:
    explicit uniform_real_distribution(T low = 0, T high = 1) : low_(low), high_(high) {}
    template <class Engine>
    T operator()(Engine& engine) const
    {
        const T fraction =
            static_cast<T>(engine() - Engine::min) / (T(1) + static_cast<T>(Engine::max - Engine::min));
        return fraction * (high_ - low_) + low_;
    }

  private:
    T low_, high_;
};
template <class T = int>
class uniform_int_distribution
{
  public:
    explicit uniform_int_distribution(T low = 0, T high = std::numeric_limits<T>::max()) : low_(low), high_(high) {}
    template <class Engine>
    T operator()(Engine& engine) const
    {
        const uniform_real_distribution<double> real(static_cast<double>(low_), static_cast<double>(high_) + 1);
        return static_cast<T>(std::floor(real(engine)));
    }

  private:
    T low_, high_;
};
} // namespace random
using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

} // namespace thrust
// NOLINTEND
