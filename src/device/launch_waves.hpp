// How the host starts a case whose kernels launch kernels.
#pragma once

#include "device/tracer.hpp"
#include "device/workload_backend.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace nestbed::inline NESTBED_BACKEND
{

// Calls call(nest) with the Nest of a root grid, or of the wave of the root grid that begins with block `first`.
// `How` must be the mechanism of the run; otherwise it throws std::logic_error.
template <Mechanism How, class Call>
void with_nest(const PreparedRun& run, std::uint32_t first, const Call& call)
{
    if (run.mechanism != How)
        throw std::logic_error("kernels that launch by " + std::string(name_of(How)) + " for a case of mechanism " +
                               std::string(name_of(run.mechanism)));
    const unsigned levels = run.form.levels();
    const NestData nest{.ledger = run.ledger->data(),
                        .done = run.done == nullptr ? nullptr : run.done + std::uint64_t{first} * levels,
                        .max_depth = levels,
                        .delay_us = run.point.delay_us};
    if (run.tracer == nullptr) {
        if constexpr (kUntracedKernels)
            return call(NestBy<How, false>{nest});
    } else if constexpr (kTracedKernels) {
        return call(run.tracer->template root<How>(nest));
    }
    throw std::logic_error("Register::prepare() chooses the strategy that has the kernels of the run");
}

// Whether kernels launch kernels by this mechanism. (Not a device graph: it is captured, not launched in waves.)
constexpr bool launches_kernels(Mechanism mechanism)
{
    return from_device(mechanism) && !launches_graphs(mechanism);
}

// Calls with_nest() with the mechanism of the run, which must be one that S declares: kernels exist for no other
// mechanism. Throws std::logic_error for any other.
template <class S, std::size_t Index = 0, class Call>
void with_declared_nest(const PreparedRun& run, std::uint32_t first, const Call& call)
{
    if constexpr (Index == S::info.mechanisms.size()) {
        throw std::logic_error("not a mechanism by which the strategy launches a kernel from a kernel");
    } else {
        constexpr Mechanism kHow = S::info.mechanisms[Index];
        if constexpr (launches_kernels(kHow))
            if (run.mechanism == kHow)
                return with_nest<kHow>(run, first, call);
        with_declared_nest<S, Index + 1>(run, first, call);
    }
}

// Calls call(nest) with a Nest of each type that kernels of S may get: for attributes of these kernels. It has no data, and nothing
// is launched with it.
template <class S, std::size_t Index = 0, class Call>
void for_each_nest_type(const Call& call)
{
    if constexpr (Index < S::info.mechanisms.size()) {
        constexpr Mechanism kHow = S::info.mechanisms[Index];
        if constexpr (launches_kernels(kHow) && kUntracedKernels)
            call(NestBy<kHow, false>{});
        if constexpr (launches_kernels(kHow) && kTracedKernels)
            call(NestBy<kHow, true>{});
        for_each_nest_type<S, Index + 1>(call);
    }
}

// Calls launch(wave, nest) for each wave of the case's plan, in order. launch() must launch the wave's blocks of the
// root grid and pass `nest` as the last argument of the kernel. The type of `nest` depends on the mechanism of the
// case and on whether the run is traced.
template <class S, class Job, class Launch>
void launch_waves(const Job& job, const Launch& launch)
{
    static_assert(std::ranges::any_of(S::info.mechanisms, launches_kernels),
                  "the strategy declares no mechanism by which a kernel launches a kernel");
    for_each_wave(job.plan, [&](const Wave& wave) {
        with_declared_nest<S>(job, wave.first, [&](auto nest) { launch(slice_for_wave(job, wave), nest); });
    });
}

} // namespace nestbed::inline NESTBED_BACKEND
