// host_parallel: the sum made by the host's processor, on all cores.
//
//     threads that wait, one a core but the caller's:   each: the sum of its part; the caller adds the parts up
//
// Launches: none. Hazards: none. The threads are there before the time begins. It sums in 64 bits.
// Source: std::transform_reduce, a part a core.
#include "device/workloads/reduction.hpp"

#include <atomic>
#include <functional>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

// Threads that do one job together with the caller, once.
template <class T>
class Team
{
  public:
    // Throws RunError where not all threads can be had.
    explicit Team(std::span<const T> numbers)
        : numbers_(numbers), parts_(std::max(1U, std::thread::hardware_concurrency())), left_(parts_.size())
    {
        try {
            for (std::size_t part = 1; part < parts_.size(); ++part)
                helpers_.emplace_back([this, part] {
                    order_.wait(Order::wait);
                    if (order_ == Order::add)
                        add(part);
                });
        } catch (const std::system_error& error) {
            throw RunError("host_parallel: " + std::to_string(parts_.size()) +
                           " threads, one a core, cannot be had: " + error.what());
        }
    }

    // Call it once.
    WideSum<T> sum()
    {
        give(Order::add);
        add(0);
        for (std::size_t left = left_; left != 0; left = left_)
            left_.wait(left);
        return std::accumulate(parts_.begin(), parts_.end(), WideSum<T>{});
    }

  private:
    enum class Order : std::uint8_t { wait, add, leave };

    // Goes before the threads do, and lets those go that still wait.
    class Release
    {
      public:
        explicit Release(Team& team) : team_(team) {}
        Release(const Release&) = delete;
        Release& operator=(const Release&) = delete;
        ~Release()
        {
            if (team_.order_ == Order::wait)
                team_.give(Order::leave);
        }

      private:
        Team& team_;
    };

    void give(Order order)
    {
        order_ = order;
        order_.notify_all();
    }

    void add(std::size_t part)
    {
        const std::size_t first = numbers_.size() * part / parts_.size();
        const std::size_t end = numbers_.size() * (part + 1) / parts_.size();
        const auto numbers = numbers_.subspan(first, end - first);
        parts_[part] = std::transform_reduce(numbers.begin(), numbers.end(), WideSum<T>{}, std::plus<>{},
                                             [](T value) { return WideSum<T>{value}; });
        if (--left_ == 0)
            left_.notify_one();
    }

    std::span<const T> numbers_;
    std::vector<WideSum<T>> parts_;
    std::atomic<Order> order_ = Order::wait;
    std::atomic<std::size_t> left_; // parts that are not added up yet
    std::vector<std::jthread> helpers_;
    Release release_{*this};
};

struct HostParallel {
    static constexpr StrategyInfo info{
        .name = "host_parallel",
        .workload = "reduce",
        .summary = "the host's own sum, on all cores",
        .hazards = "none: no kernel",
        .source = "the C++ standard library",
    };
    static constexpr Answer answer = Answer::on_host;

    template <class T>
    static std::unique_ptr<Team<T>> prepare(const Reduction<T>& job)
    {
        return std::make_unique<Team<T>>(job.host_in);
    }

    template <class T>
    static void run(const Reduction<T>& job, const std::unique_ptr<Team<T>>& team)
    {
        *job.host_sum = team->sum();
    }
};

const RegisterReduction<HostParallel> host_parallel;

} // namespace nestbed::inline NESTBED_BACKEND
