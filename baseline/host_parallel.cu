// host_parallel: the sum made by the host's processor, on all cores.
//
//     threads that wait, one a core but the caller's:   each: the sum of its part; the caller adds the parts up
//
// Launches: none. Hazards: none. The threads are there before the time begins. It sums in 64 bits.
// Source: std::transform_reduce, a part a core.
#include "../src/backend/reduction.hpp"

#include <barrier>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// Threads that do one job together with the caller, once.
template <class T>
class Team
{
  public:
    explicit Team(std::span<const T> numbers)
        : parts_(std::max(1U, std::thread::hardware_concurrency())), numbers_(numbers), begin_(size()), end_(size())
    {
        for (std::size_t part = 1; part < parts_.size(); ++part)
            helpers_.emplace_back([this, part] {
                begin_.arrive_and_wait();
                if (!given_up_)
                    parts_[part] = sum_of_part(part);
                end_.arrive_and_wait();
            });
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team()
    {
        if (done_)
            return;
        given_up_ = true; // the case was not run: let them go
        begin_.arrive_and_wait();
        end_.arrive_and_wait();
    }

    // Call it once.
    WideSum<T> sum()
    {
        begin_.arrive_and_wait();
        parts_[0] = sum_of_part(0);
        end_.arrive_and_wait();
        done_ = true;
        return std::accumulate(parts_.begin(), parts_.end(), WideSum<T>{});
    }

  private:
    std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(parts_.size()); }

    WideSum<T> sum_of_part(std::size_t part) const
    {
        const std::size_t first = numbers_.size() * part / parts_.size();
        const std::size_t end = numbers_.size() * (part + 1) / parts_.size();
        const auto numbers = numbers_.subspan(first, end - first);
        return std::transform_reduce(numbers.begin(), numbers.end(), WideSum<T>{}, std::plus<>{},
                                     [](T value) { return WideSum<T>{value}; });
    }

    std::vector<WideSum<T>> parts_;
    std::span<const T> numbers_;
    std::barrier<> begin_, end_;
    bool given_up_ = false;
    bool done_ = false;
    std::vector<std::jthread> helpers_; // joined before what they use goes
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

    static LaunchForm launches(const Case& /*point*/) { return LaunchForm::none(); }

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

} // namespace NESTBED_BACKEND
} // namespace nestbed
