// The random numbers of Thrust.
#pragma once

#include <cmath>
#include <limits>
#include <random>

// NOLINTBEGIN: these names are Thrust's.
namespace thrust
{

namespace random
{
using std::minstd_rand;
using std::minstd_rand0;
using default_random_engine = std::minstd_rand;

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
            static_cast<T>(engine() - Engine::min()) / (T(1) + static_cast<T>(Engine::max() - Engine::min()));
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
using random::minstd_rand;
using random::minstd_rand0;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

} // namespace thrust
// NOLINTEND
