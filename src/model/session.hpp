// The narrow door between what plans and logs and what measures: a case goes in, a sample comes out.
#pragma once

#include "base/error.hpp"
#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/races.hpp"
#include "model/sample.hpp"
#include "model/trace.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace nestbed
{

struct SessionOptions {
    std::string schedule = "fifo";    // the executor's; see model/schedule.hpp
    unsigned workers = 0;             // the executor's; 0: one a core
    std::string experiment = "adhoc"; // names the ranges that profilers see (model/case_text.hpp)
    bool untimed = false;             // nothing is run for the sake of times
    bool ranges = true;               // there are such ranges
    // Called by what measures now and then, never within a timed region: it is not hung. May be empty.
    std::function<void()> alive{};
};

// How far a chain of launches, each made by the grid before it, can go.
struct DepthProbe {
    unsigned asked = 0;   // levels that were tried; 0: a build without the ledger cannot tell
    unsigned reached = 0; // levels that ran; smaller than asked when the device refused
    std::string error;    // with which error it refused, empty otherwise
};

// What the device's memory gave in this run, in GB/s (10^9 bytes); 0: not measured (the executor).
struct MeasuredBandwidth {
    double read_gb_s = 0; // read alone
    double copy_gb_s = 0; // copied by the driver, bytes read and written together
};

class Session
{
  public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    virtual BackendKind backend() const = 0;
    virtual const DeviceFacts& facts() const = 0;
    // The executor's schedule; empty on a GPU.
    virtual std::string schedule() const = 0;

    // Prepares the case if it is not the last one's (untimed), runs it once (timed) and verifies it
    // (untimed). The strategy must be in this backend's registry. What goes wrong on the device is a status,
    // not an exception. Throws RunError when the case's memory cannot be had.
    // What the executor draws for the sample follows from its schedule, the case and the repetition alone, whatever ran before.
    virtual Sample sample(const Case& point, unsigned repetition) = 0;
    // Says that this sample is to be taken after those announced before: a session in another process begins with it. Another sample, or
    // one whose device is lost, makes what was announced void.
    virtual void announce(const Case& /*point*/, unsigned /*repetition*/) {}
    // After a sample whose device is lost a new device can be had, with nothing warm on it.
    virtual bool recovers() const { return false; }
    // Gets it, before anything else is asked for. Throws RunError where there is none any more.
    virtual void renew() {}
    // Repetition 0, for what is to be seen: `hello` prints its lines to standard output, `blobs` gives Sample::image.
    virtual Sample sample_aloud(const Case& point) = 0;
    // Repetition 0, traced: its latencies are those of latencies_by_depth(), its times those of tracing too. Throws as trace() does.
    virtual Sample sample_traced(const Case& point) = 0;
    // The same in instances of the kernels that mark when they were called, begun and ended, `grids` of them at most. What the
    // trace says of the run is filled in but for its overhead. Throws UsageError for a case that launches nothing from a kernel.
    virtual Trace trace(const Case& point, unsigned repetition, std::uint32_t grids) = 0;
    // Runs the case once, on the executor, and finds the pairs of accesses in its kernels that no rule of CUDA orders. Throws UsageError
    // on a GPU and with more than one worker; RunError in a program that does not watch accesses, and past the limit of memory.
    virtual Races races(const Case& /*point*/, unsigned /*repetition*/)
    {
        throw RunError("races are found in the process of the command itself");
    }
    // Frees what sample() keeps between calls.
    virtual void release() = 0;

    // An empty kernel, launched and waited for, as a sample is timed: the floor of every time. Median of 101.
    virtual double null_kernel_us() = 0;
    // The smallest step by which the timer that kernels read goes on, in nanoseconds.
    virtual unsigned timer_step_ns() = 0;
    // Over 8 GiB, or a quarter of the free memory. Medians of 11. Throws RunError if what was read is not what was there.
    virtual MeasuredBandwidth bandwidth() = 0;
    virtual DepthProbe probe_depth(unsigned levels) = 0;
};

// What the commands probe.
inline constexpr unsigned kProbedLevels = 1024;

} // namespace nestbed
