// What the functions of the run-time library share.
#pragma once

#include "device/cpu/executor.hpp"
#include "device/cpu/observer.hpp"
#include "program/include/nestbed/program.hpp"
#include "program/runtime/environment.hpp"
#include "program/runtime/program_ledger.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// What a GPU reports as an error of a kernel, with its number.
class KernelFault : public cpu::Fault
{
  public:
    KernelFault(cudaError_t error, const std::string& text) : cpu::Fault(text), error_(error) {}
    cudaError_t error() const { return error_; }

  private:
    cudaError_t error_;
};

// A recursive lock that its thread can release wholly for a while.
class RunningLock
{
  public:
    void lock()
    {
        mutex_.lock();
        ++depth_;
    }
    bool try_lock()
    {
        if (!mutex_.try_lock())
            return false;
        ++depth_;
        return true;
    }
    void unlock()
    {
        --depth_;
        mutex_.unlock();
    }

    class Released
    {
      public:
        explicit Released(RunningLock& lock) : lock_(lock), depth_(lock.depth_)
        {
            for (unsigned time = 0; time < depth_; ++time)
                lock_.unlock();
        }
        ~Released()
        {
            for (unsigned time = 0; time < depth_; ++time)
                lock_.lock();
        }
        Released(const Released&) = delete;
        Released& operator=(const Released&) = delete;

      private:
        RunningLock& lock_;
        unsigned depth_;
    };

  private:
    std::recursive_mutex mutex_;
    unsigned depth_ = 0; // of the thread that has it
};

// The process's executor and its records. Made at the first use, and never destroyed: programs use CUDA in
// destructors, and the report is written after them.
struct State {
    State();

    cpu::Executor executor;
    Ledger ledger;
    RunningLock running; // held while the host runs what is in its streams; functions of its own run without it
};
State& state();

inline constexpr std::size_t kDefaultSharedBytes = 48 * 1024;
inline constexpr std::size_t kMaxSharedBytes = 227 * 1024;
inline constexpr unsigned kDefaultPendingLimit = 2048;

// Reads the environment, and registers the report that comes at the end. Once.
void begin_program();

// ---- errors ----

// An error of a kernel stays until cudaDeviceReset(): every function of the host returns it. cudaSuccess: there is
// none.
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);
// The error becomes the one that cudaGetLastError() of this thread returns. Returns it.
cudaError_t noted(cudaError_t error);
// The same, with a sentence on standard error.
cudaError_t noted(cudaError_t error, const std::string& text);
// The same with the line of a call, which a kernel says once. `place`: the address after it; nullptr: the text says where it is.
cudaError_t noted_at(const void* place, cudaError_t error, const std::string& text);
// An access of the calling thread to memory of the program by a function of CUDA, for the observer. `place`: the address after the call.
void observe_read(const void* from, std::size_t bytes, const void* place);
void observe_write(void* to, std::size_t bytes, const void* place);
// What a function of CUDA returns through a pointer. Returns cudaErrorInvalidValue without one.
template <class T>
cudaError_t give(T* to, const std::type_identity_t<T>& value, const void* place)
{
    if (to == nullptr)
        return noted(cudaErrorInvalidValue);
    observe_write(to, sizeof(T), place); // NOLINT(bugprone-sizeof-expression): of a pointer, if it is one
    *to = value;
    return cudaSuccess;
}
// Something is wrong with the program that the observer does not know: it has no "no races", and no exit code 0, under one.
void note_finding();
void note_finding(OtherFinding finding);
std::vector<OtherFinding> other_findings();
bool has_finding();
// A launch of the calling thread was refused. Whether a thread has not asked for such an error: what its launch would have done is missing.
void note_refusal();
bool has_unread_refusal();
// The same of a kernel that failed.
void note_failed(FailedKernel failed);
const std::vector<FailedKernel>& failed_kernels();
// "nestbed: TEXT" on standard error.
void say(const std::string& text);
// On standard error. Takes no lock: a thread that a signal has stopped may hold that of the stream.
void write_error(std::string_view text);

// ---- launches ----

const GridRecord* grid_of_running_thread();
// "kernel k (launched at my.cu:12), block (0,0,0)", of a thread of a kernel.
std::string described_block(const cpu::ThreadContext& thread);
// "k (launched at my.cu:12), block (0,0,0), thread (3,0,0)", of a thread of a kernel.
std::string described(const cpu::ThreadContext& thread);
// Launches from a kernel that are no kernels of the user: copies.
cudaError_t submit_copy(const char* name, std::function<void()> body, cudaStream_t stream, const void* place);
std::string spelled(Place place);
// What the host launched is complete when this returns: a kernel may still run if the next one need not wait for its end.
void finish_launches();
// The same of all that the host has put into its streams.
void finish_works();

// ---- streams of the host ----

// The number of a stream; 0: the NULL stream, which is the calling thread's own in a program built with --default-stream per-thread.
std::uint64_t number_of(cudaStream_t stream);
bool is_named(cudaStream_t stream);
// Whether the caller can use the stream: the host the streams that it has created, a thread of a kernel those that its grid has created,
// until they are destroyed. If not, the function of CUDA returns wrong_stream(), which says what a call did.
bool can_use_stream(cudaStream_t stream);
// Whether it is an event or an executable graph, which are no memory of the program.
bool is_event(const void* word);
bool is_executable_graph(const void* word);
cudaError_t wrong_stream(const std::string& call, const void* place);
// Once per launch of the source: a stream of a kernel is its block's (CUDA guide, "Streams" of CUDA Dynamic Parallelism). No error, as on a GPU.
// The caller can use the stream.
void warn_of_stream_of_another_block(cudaStream_t stream, const GridRecord& launched);
// The thread of a kernel that calls, for the observer; nullptr: the host, or a thread that is not observed.
void* observed_thread();
bool is_observed();
// While the host runs a grid, its kernels are in no need of the lock.
std::unique_lock<RunningLock> locked_by_host();
// Of the host, or of the children of a kernel's thread.
cudaError_t wait_for_all();
// The host is about to put work into a stream. The NULL stream waits for the blocking streams, and they for it.
// `is_work`: which a query asks for; not the record of an event.
void use_stream(cudaStream_t stream, bool is_work = true);
// What the host puts into a stream that is no kernel, for the observer, from its begin to its end.
class Operation
{
  public:
    // Without a stream it comes after nothing but what the host has waited for.
    Operation(const char* name, const void* place) : Operation(name, place, cpu::kNoStream) {}
    Operation(const char* name, const void* place, cudaStream_t stream);
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    ~Operation();

    void accesses(const cpu::Rows& rows, bool write) const;
    // What the calling thread does from now on is of the operation.
    void runs_here() const;

  private:
    Operation(const char* name, const void* place, std::uint64_t stream);
    void* observed_ = nullptr;
};
// The host has waited for all that is in the stream. Not for the other streams.
void host_waited_for(cudaStream_t stream);
// The host has waited for all work.
void host_waited();
// The number of the last work in the stream, for a later query of an event; and whether a query answers that this work is done. Once it does
// not, unless the host has waited for it: a program that does not look at the answer must not go on as if it had.
std::uint64_t last_work_of(cudaStream_t stream);
bool is_done_at_query(cudaStream_t stream, std::uint64_t last);
void is_done(cudaStream_t stream, std::uint64_t last);

// ---- memory ----

// `place`: the address after the call that does it.
void free_all_memory(const void* place);
// Looks for writes outside of allocations, and reports them. `where`: "after kernel k".
void check_guards(const std::string& where);
// For the handler of SIGSEGV: reports an access to a guard or to freed memory, and gives it memory. Returns false of another address.
bool report_outside_access(const void* address, std::optional<bool> write, const void* code);

} // namespace nestbed::program
