// What the labelled kernels share: variants and the main function of a file that has them.
//
// race in missing_atomic, tree_sum.missing_barrier` says
// A label is a comment at the end of a line, or lines above it. `
// that the line races in all variants of the file with the first bug, and in the kernel tree_sum with the second. The other
// words are `out of bounds in` and `uninitialized in`; `; ` separates them. What may be reported or not begins with `also`:
// `// also race in missing_atomic`.
#pragma once

#include "../cuda/check.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

enum class Bug {
    kNone,
    kMissingAtomic,   // an update is a plain read and a plain write
    kMissingBarrier,  // threads of a block do not wait for each other
    kMissingSyncwarp, // lanes of a warp do not
    kMissingFence,    // an atomic operation alone passes data on
    kBlockScope,      // fences or atomic operations between blocks have the scope of a block
    kMissingGuard,    // more threads than elements, and no `if`
    kOutOfBounds,     // an index is one too large
    kIndexOverflow,   // an index is in a type that is too small
    kTooSmall,        // more entries than there is room for
    kUninitialized,   // memory is read that nothing has written
    kCheckFirst,      // a plain read looks whether an atomic update is necessary
    kPlainWrite,      // a plain write where others read or update atomically
    kPlainFlag,       // threads set or test a flag by plain accesses
    kInPlace,         // one array is read and written
    kOverlap,         // parts that should be apart overlap
    kLostWork,        // lanes or elements are left out
    kEarlyReturn,     // threads end before they have written what others read behind a barrier
    kBranchBarrier,   // a block is divided between two barriers
    kEarlyRead,       // a result of another grid is read before the wait for it
    kLateWrite,       // a parent writes what its child reads after the launch
    kWrongStream,     // launches that need an order are in two streams
    kNotTail,         // a fire-and-forget launch, or one into a stream, where a tail launch is necessary
    kOpenOrder,       // several threads launch into one stream, in any order
    kWrongMemory,     // a pointer to local or shared memory is an argument of a launch
    kMissingWait,     // a grid that is launched programmatically does not wait for the one before
    kEarlyTrigger,    // a grid lets the next one begin before it has written what that reads
    kEarlyWrite,      // a grid writes what the one before may still read, before the wait for it
};

constexpr const char* name_of(Bug bug)
{
    constexpr const char* kNames[] = {
        "none",           "missing_atomic", "missing_barrier", "missing_syncwarp", "missing_fence", "block_scope",
        "missing_guard",  "out_of_bounds",  "index_overflow",  "too_small",        "uninitialized", "check_first",
        "plain_write",    "plain_flag",     "in_place",        "overlap",          "lost_work",     "early_return",
        "branch_barrier", "early_read",     "late_write",      "wrong_stream",     "not_tail",      "open_order",
        "wrong_memory",   "missing_wait",   "early_trigger",   "early_write"};
    return kNames[static_cast<int>(bug)];
}

// One kernel with or without a bug.
struct Variant {
    std::string name; // of the kernel: pattern, way
    Bug bug;
    std::function<bool(int)> run; // with the number of the input; returns whether the answer is right
    // How a bug shows if not by an access: "wrong answer", "fault", "warning".
    const char* shows = "";
    // What the detector cannot know, in the words of nested/races.md. A bug is missed then, or correct code reported.
    const char* limit = "";
};

// Adds a kernel with each of these bugs. `run` has the bug as a type.
template <Bug... bugs, class Run>
void add_kernel(std::vector<Variant>& all, const char* name, Run run)
{
    (all.push_back({name, bugs, [run](int seed) { return run(std::integral_constant<Bug, bugs>(), seed); }}), ...);
}

inline Variant& variant(std::vector<Variant>& all, const std::string& name, Bug bug)
{
    return *std::find_if(all.begin(), all.end(),
                         [&](const Variant& each) { return each.name == name && each.bug == bug; });
}

// Without arguments prints what there is. With the name of a variant and its bug runs it.
inline int run_variant(int argc, char** argv, const std::vector<Variant>& variants)
{
    if (argc == 1)
        for (const Variant& each : variants)
            std::printf("%s|%s|%s|%s\n", each.name.c_str(), name_of(each.bug), each.shows, each.limit);
    for (const Variant& each : variants) {
        if (argc < 3 || each.name != argv[1] || std::strcmp(name_of(each.bug), argv[2]) != 0)
            continue;
        const bool right = each.run(argc > 3 ? std::atoi(argv[3]) : 0);
        std::printf(right ? "right\n" : "WRONG\n");
        return right ? 0 : 1;
    }
    return argc == 1 ? 0 : 2;
}

inline std::vector<int> counted(int count, int first)
{
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i)
        values[i] = first + i;
    return values;
}

// Memory of the device, with what is on the host.
template <class T>
T* on_device(const std::vector<T>& values)
{
    T* memory;
    CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T>
T* uninitialized(int count)
{
    T* memory;
    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    return memory;
}

template <class T>
std::vector<T> on_host(const T* memory, int count)
{
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// Numbers from 0 to below - 1, the same in every run.
class Numbers
{
  public:
    explicit Numbers(int seed) : state_(2463534242U + 97U * seed) {}
    int operator()(int below)
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return static_cast<int>(state_ % static_cast<unsigned>(below));
    }

  private:
    unsigned state_;
};
