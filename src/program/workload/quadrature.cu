// quadrature: the integral of a function with a sharp peak over [0, 1], to a tolerance. A workload in one file.
//     nestbed build quadrature; nestbed run --load quadrature --strategy 'quadrature_*' --digits 4,8 -o quadrature.csv
#include "device/user_workload.hpp"

namespace quadrature_workload::NESTBED_BACKEND // nvcc compiles this file for the GPU, and g++ for the CPU
{
using namespace nestbed;
// ---- The workload. A parameter of its own is an option of `nestbed run` and a column; times at different tolerances are not compared.
constexpr Parameter kDigits{.name = "digits", .help = "the tolerance is 10^-digits", .most = 15, .default_value = 6};
constexpr AxisMeaning kMeanings[]{
    // of a parameter that nestbed has
    {axis::threshold, "an interval with an error below so many tolerances is not divided, but gets more points", 1}};
constinit const WorkloadInfo kWorkload{
    .name = "quadrature",
    .summary = "integrates a function with a sharp peak to a tolerance",
    .axes = {axis::grid, axis::block, axis::depth, kDigits, axis::threshold},
    .meanings = kMeanings,
    .irregular = true, // the work depends on the input
    .has_ratio = true, // tables divide times by that of the fastest flat strategy
};

// ---- The input, a function, and the right answer.
constexpr double kWidth = 1e-4;
__host__ __device__ double height(double x)
{
    return kWidth / ((x - 0.3) * (x - 0.3) + kWidth * kWidth);
}
const double kExact = std::atan(0.7 / kWidth) + std::atan(0.3 / kWidth);

// ---- What the kernels get, and what each strategy gets.
struct Interval {
    double from, to;
};
struct Task {
    double tolerance;
    unsigned threshold;
    double* answer; // 0 before the run
};
using Job = TaskJob<Task>;
using TaskTraits = TraitsOf<Job, &kWorkload>;

// Simpson's rule on `parts` parts by all threads of the block. The result is in thread 0.
__device__ double simpson(Interval in, unsigned parts)
{
    const double step = (in.to - in.from) / parts;
    double sum = 0;
    for (unsigned part = threadIdx.x; part < parts; part += blockDim.x) {
        const double x = in.from + part * step;
        sum += (height(x) + 4 * height(x + step / 2) + height(x + step)) * step / 6;
    }
    return block_sum(sum);
}

// By all threads of the block. Returns whether the interval is to be divided; if not, its integral is added.
__device__ bool must_divide(Interval in, const Task& task, bool last)
{
    __shared__ bool divide;
    double sum = simpson(in, 16 * blockDim.x);
    const double error = fabs(sum - simpson(in, blockDim.x));
    if (threadIdx.x == 0)
        divide = !last && error > task.tolerance * task.threshold * (in.to - in.from);
    __syncthreads();
    if (divide)
        return true;
    if (task.threshold > 1)
        sum = simpson(in, 16 * task.threshold * blockDim.x);
    if (threadIdx.x == 0)
        atomicAdd(task.answer, sum);
    return false;
}

// ---- The nested strategy: an interval that is to be divided launches a grid of two blocks, one for each half.
__global__ void halves(Interval all, Task task, Nest nest) // the depth, and the stream of the run's mechanism
{
    const double width = (all.to - all.from) / gridDim.x;
    const Interval own{all.from + blockIdx.x * width, all.from + (blockIdx.x + 1) * width};
    if (must_divide(own, task, nest.last_level()) && threadIdx.x == 0)
        halves<<<2, blockDim.x, 0, nest.stream>>>(own, task, nest);
}
struct Nested {
    static constexpr StrategyInfo info{.name = "quadrature_nested",
                                       .workload = &kWorkload,
                                       .mechanisms =
                                           kOnly<Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::tail>,
                                       .summary = "a grid of two blocks for the halves of a divided interval"};
    static ExpectedLaunches launches(const Case& point) // known only after the run; at most 40 levels
    {
        return ExpectedLaunches::unknown(levels_within(point, 40));
    }
    static void run(const Job& job)
    {
        launch_waves<Nested>(job, [&](const auto& wave, auto nest) {
            halves<<<wave.blocks, job.point.block, 0, wave.stream>>>(Interval{0, 1}, job.task, nest);
        });
    }
};
const Register<Nested, TaskTraits> nested;

// ---- The flat strategy: the host launches a grid for each level, with a block for each interval.
__global__ void one_level(Interval* list, unsigned* end, unsigned first, Task task)
{
    const Interval own = list[first + blockIdx.x];
    if (!must_divide(own, task, false) || threadIdx.x != 0)
        return;
    const unsigned place = atomicAdd(end, 2U);
    list[place] = {own.from, (own.from + own.to) / 2};
    list[place + 1] = {(own.from + own.to) / 2, own.to};
}
struct Flat {
    static constexpr StrategyInfo info{.name = "quadrature_levels",
                                       .workload = &kWorkload,
                                       .mechanisms = kOnly<Mechanism::host>,
                                       .summary = "flat: the host launches a grid for the intervals of each level",
                                       .waits = true};           // the host waits for each level
    using State = std::pair<Buffer<Interval>, Buffer<unsigned>>; // the intervals of all levels; how many there are
    static State prepare(const Job& job)                         // not timed
    {
        State state{job.context.allocate<Interval>(1 << 20), job.context.allocate<unsigned>(1)};
        const std::array all{Interval{0, 1}};
        const std::array count{1U};
        job.context.upload(state.first, std::span<const Interval>(all));
        job.context.upload(state.second, std::span<const unsigned>(count));
        return state;
    }
    static void run(const Job& job, State& state)
    {
        for (unsigned first = 0, end = 1; first != end;) {
            one_level<<<end - first, job.point.block>>>(state.first.data(), state.second.data(), first, job.task);
            first = end;
            job.context.read(std::span(&end, 1), state.second, 0);
        }
    }
};
const Register<Flat, TaskTraits> flat;

// ---- What a run gets, and which answer is right.
struct Integral : NumberWorkload<Integral, TaskTraits, double> {
    using NumberWorkload::NumberWorkload;
    static double tolerance(const Case& point) { return std::pow(10.0, -1.0 * point[kDigits]); }
    static Task task(const Case& point, double* answer) { return {tolerance(point), point.threshold, answer}; }
    static double reference(const Case& /*point*/) { return kExact; }
    static bool is_right(const Case& point, double answer) { return std::abs(answer - kExact) <= tolerance(point); }
};
const RegisterWorkload<Integral> workload;

} // namespace quadrature_workload::NESTBED_BACKEND
