// The interfaces between the part that plans and logs and the part that measures. A session takes samples and probes
// its device; one in this process also traces and finds races.
#pragma once

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
    std::string schedule = "fifo";    // of the executor; see model/schedule.hpp
    unsigned workers = 0;             // of the executor; 0: one per core
    std::string experiment = "adhoc"; // part of the names of NVTX ranges (model/case_text.hpp)
    bool untimed = false;             // skips runs that are only needed for times
    bool ranges = true;               // creates NVTX ranges
    // The session calls this from time to time, never within a timed region, to show that it is not hung. May be empty.
    std::function<void()> alive{};
};

// How long a chain can become in which each grid launches the next.
struct DepthProbe {
    unsigned asked = 0;   // levels that were tried; 0: unknown, in a build without the ledger
    unsigned reached = 0; // levels that ran; fewer than asked if the device refused a launch
    std::string error;    // the error of the refused launch; empty if there was none
};

// The measured bandwidth of the device's memory, in GB/s (10^9 bytes per second); 0: not measured (the executor).
struct MeasuredBandwidth {
    double read_gb_s = 0; // only reads
    double copy_gb_s = 0; // a copy by the driver; bytes read plus bytes written
};

// The base of what a session can do.
class NonCopyable
{
  public:
    NonCopyable() = default;
    NonCopyable(const NonCopyable&) = delete;
    NonCopyable& operator=(const NonCopyable&) = delete;
    virtual ~NonCopyable() = default;
};

// Takes samples on a device.
class Sampling : public NonCopyable
{
  public:
    virtual BackendKind backend() const = 0;
    virtual const DeviceFacts& facts() const = 0;
    // The executor's schedule; empty on a GPU.
    virtual std::string schedule() const = 0;

    // Prepares the case unless it is the same as before (untimed), runs it once (timed) and verifies it (untimed). The
    // strategy must be in this backend's registry. An error on the device becomes a status, not an exception. Throws
    // RunError if there is not enough memory for the case. The executor's random draws for the sample depend only on
    // the schedule, the case and the repetition.
    virtual Sample sample(const Case& point, unsigned repetition) = 0;
    // Repetition 0, traced: its latencies come from latencies_by_depth(), and its times include the cost of tracing.
    // Throws as Tracing::trace() does.
    virtual Sample sample_traced(const Case& point) = 0;
    // Announces that this sample comes after the samples announced before, so that a session in another process can
    // begin with it early. Another sample, or a sample that loses the device, cancels all announcements.
    virtual void announce(const Case& /*point*/, unsigned /*repetition*/) {}
    // Whether renew() can replace a lost device.
    virtual bool recovers() const { return false; }
    // Gets a new device, which is not warmed up. After a sample that lost the device, call this before any other
    // member. Throws RunError if there is no device any more.
    virtual void renew() {}
    // Frees the device's memory that sample() keeps between calls.
    virtual void release() = 0;
};

// Measures the device itself.
class Probing : public NonCopyable
{
  public:
    // The time to launch an empty kernel and wait for it, timed like a sample: no time can be smaller. Median of 101.
    virtual double empty_kernel_us() = 0;
    // The smallest step of the timer that kernels read, in nanoseconds.
    virtual unsigned timer_step_ns() = 0;
    // Reads and copies 8 GiB, or a quarter of the free memory if that is less. Medians of 11. Throws RunError if it
    // reads wrong data.
    virtual MeasuredBandwidth bandwidth() = 0;
    virtual DepthProbe probe_depth(unsigned levels) = 0;
};

// What a run needs, in its own process or in a worker.
class Session : public Sampling, public Probing
{
};

class Tracing : public NonCopyable
{
  public:
    // Like Sampling::sample(), but with instances of the kernels that record when each grid was called, began and
    // ended, for at most `grids` grids. Fills in everything except Trace::overhead. Throws UsageError for a case that
    // launches nothing from a kernel.
    virtual Trace trace(const Case& point, unsigned repetition, std::uint32_t grids) = 0;
};

class RaceDetection : public NonCopyable
{
  public:
    // Runs the case once on the executor and finds the pairs of accesses in its kernels that no CUDA rule orders.
    // Throws UsageError on a GPU and with more than one worker. Throws RunError in a program that does not watch
    // accesses, and if the detector needs more memory than its limit.
    virtual Races races(const Case& point, unsigned repetition) = 0;
};

// A session in this process.
class LocalSession : public Session, public Tracing, public RaceDetection
{
  public:
    // Repetition 0 with visible output: `hello` prints its lines to standard output, `blobs` and `mandelbrot`
    // fill Sample::image.
    virtual Sample sample_with_output(const Case& point) = 0;
};

// The number of levels that commands pass to probe_depth().
inline constexpr unsigned kProbedLevels = 1024;

} // namespace nestbed
