#include "device/cpu/executor.hpp"

#include "base/error.hpp"
#include "base/split_mix.hpp"
#include "device/cpu/executor_state.hpp"
#include "device/cpu/interruptible.hpp"
#include "device/cpu/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <thread>

namespace nestbed::cpu
{

constinit Observer* observer = nullptr;
constinit Interruptible* interruptible = nullptr;
std::string (*describe_block)(const ThreadContext&) = nullptr;

std::string_view name_of(LaunchError error)
{
    switch (error) {
    case launch_ok:
        return "cudaSuccess";
    case launch_invalid_configuration:
        return "cudaErrorInvalidConfiguration";
    case launch_max_depth_exceeded:
        return "cudaErrorLaunchMaxDepthExceeded";
    case launch_pending_count_exceeded:
        return "cudaErrorLaunchPendingCountExceeded";
    }
    return "unknown error";
}

unsigned default_workers()
{
    return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxWorkers);
}

Fault fault_of(const ThreadContext& thread, const std::string& text)
{
    return describe_block == nullptr ? Fault(text) : Fault(describe_block(thread) + ": " + text, true);
}

void begin_block(Block& block)
{
    join_groups(block);
    if (block.grid->observed != nullptr)
        block.observed =
            observer->block_begins(block.grid->observed, block.index, block.threads, cluster_number(block));
}

namespace
{

// Shared memory of blocks that have ended, where there is an observer: it stays for a while, so that nothing else is there when another
// block accesses it.
void keep_for_a_while(std::vector<SharedVariable> ended)
{
    constexpr std::size_t kMaxKept = 16;    // more would make the observer's search for an address slower
    static std::deque<SharedVariable> kept; // an observer has one worker
    std::ranges::move(ended, std::back_inserter(kept));
    while (kept.size() > kMaxKept) {
        observer->forget(kept.front().place.memory());
        kept.pop_front();
    }
}

} // namespace

void end_block(Block& block)
{
    if (block.observed != nullptr)
        observer->block_ends(block.observed);
    std::vector<SharedVariable> unused = leave_groups(block);
    if (block.observed != nullptr)
        keep_for_a_while(std::move(unused));
}

struct Executor::State {
    State(Schedule order, unsigned threads)
        : schedule(order), workers(order.order == Schedule::Order::fifo ? threads : 1), sequential(workers, pending),
          random(pending)
    {
    }
    Schedule schedule;
    std::uint64_t seed = schedule.seed; // see draw_from()
    std::uint64_t runs = 0;             // runs since the last draw_from()
    unsigned workers;
    PendingLaunches pending;
    SequentialScheduler sequential;
    RandomScheduler random;
    // Of the grids that run, or of the last one: their stream, and the first of them for the observer.
    unsigned stream = 0;
    void* first_observed = nullptr;

    template <class Work>
    void until_fault(const Work& work)
    {
        try {
            work();
        } catch (...) {
            if (first_observed != nullptr)
                observer->abandoned(first_observed);
            throw;
        }
    }
};

Executor::Executor(Schedule schedule, unsigned workers)
    : state_(std::make_unique<State>(schedule, std::clamp(workers, 1U, kMaxWorkers)))
{
}

Executor::~Executor() = default;

unsigned Executor::workers() const
{
    return state_->workers;
}
const Schedule& Executor::schedule() const
{
    return state_->schedule;
}
unsigned Executor::pending_limit() const
{
    return state_->pending.limit;
}
void Executor::set_pending_limit(unsigned launches)
{
    state_->pending.limit = launches;
}

void Executor::restrict_to_mechanism(std::optional<Mechanism> mechanism)
{
    state_->pending.only = mechanism;
}

void Executor::draw_from(std::uint64_t seed)
{
    state_->seed = seed;
    state_->runs = 0;
}

void Executor::deviate_only_at(std::optional<std::vector<std::uint64_t>> decisions)
{
    if (decisions)
        std::ranges::sort(*decisions);
    state_->random.deviations.only = std::move(decisions);
}

void Executor::on_deviation(std::function<void(std::uint64_t, const ThreadContext*, const ThreadContext*)> report)
{
    state_->random.deviations.report = std::move(report);
}

void Executor::run(dim3 grid, dim3 block, KernelCall call, unsigned stream, bool programmatic)
{
    if (!can_be_launched(grid, block))
        throw Fault(fmt::format(
            "a grid of {} x {} x {} blocks of {} x {} x {} threads cannot be launched; a block has 1 to {} "
            "threads, a grid 1 to 2147483647 blocks",
            grid.x, grid.y, grid.z, block.x, block.y, block.z, kMaxThreadsPerBlock));
    const bool overlaps = programmatic && is_running() && stream == state_->stream;
    if (!overlaps)
        finish();
    auto root = std::make_unique<Grid>(grid, block, Mechanism::null_stream, std::move(call));
    root->pending = false;
    if (observer != nullptr)
        root->observed = observer->launched(nullptr, programmatic ? Mechanism::host_pdl : Mechanism::null_stream,
                                            stream, nullptr, root->call.launch);
    if (!overlaps) {
        state_->first_observed = root->observed;
        state_->stream = stream;
        state_->pending.reset();
    }
    state_->until_fault([&] {
        if (state_->schedule.order == Schedule::Order::random)
            state_->random.run(std::move(root), split_mix(state_->seed, state_->runs++));
        else
            state_->sequential.run(std::move(root), state_->schedule.order == Schedule::Order::eager);
    });
}

bool Executor::is_running() const
{
    return state_->random.is_running();
}

void Executor::finish()
{
    if (is_running())
        state_->until_fault([&] { state_->random.finish(); });
}

void enter_block(ThreadContext& context, const Block& block)
{
    const dim3 grid = block.grid->grid_dim;
    const std::uint64_t plane = std::uint64_t{grid.x} * grid.y;
    context.grid_dim = grid;
    context.block_dim = block.grid->block_dim;
    context.block_index =
        dim3(static_cast<unsigned>(block.index % grid.x), static_cast<unsigned>(block.index % plane / grid.x),
             static_cast<unsigned>(block.index / plane));
}

// random: runs one thread. Sequential schedules: runs one thread after another until one stops.
void carry_threads(Carrier& carrier)
{
    Block& block = *carrier.block;
    ThreadContext& context = carrier.context;
    enter_block(context, block);
    const dim3 dim = context.block_dim;
    do {
        const std::uint32_t thread = block.sequential ? block.next_unstarted++ : carrier.next_thread;
        context.thread_index = dim3(thread % dim.x, thread / dim.x % dim.y, thread / (dim.x * dim.y));
        if (block.begun++ == 0)
            block.first = thread;
        context.observed = block.observed == nullptr ? nullptr : observer->thread_of(block.observed, thread);
        context.program = {};
        context.iteration = 0;
        context.arrived_at[0] = context.arrived_at[1] = 0;
        context.dynamic_shared_bytes = block.grid->call.shared_bytes;
        block.grid->call();
        if (context.observed != nullptr)
            observer->thread_ends(context.observed);
        ++block.gone;
        leave_groups_as_thread(block);
        context.moved = true;
        block.ended[thread / kWarpLanes] |= 1U << thread % kWarpLanes;
        if (!block.warps.empty() && block.warps[thread / kWarpLanes].arrived != 0)
            block.may_exchange |= 1U << thread / kWarpLanes; // the others of its warp may have waited for this thread
    } while (block.sequential && block.next_unstarted < block.threads);
}

void give_way()
{
    __builtin_unwind_init();
    Carrier& carrier = *current_carrier();
    carrier.context.gave_way_at =
        static_cast<const void* const*>(__builtin_frame_address(0)) + 1; // of the return address
    carrier.gives_way_in(__builtin_frame_address(0));
    carrier.stop(Carrier::Stop::gave_way);
    asm volatile(""); // no tail call: the frame stays
}

SharedVariable& shared_variable_of(Block& block, const void* key, std::size_t bytes, std::size_t element,
                                   const char* name)
{
    auto& shared = block.shared;
    const auto found = std::ranges::find(shared, key, &SharedVariable::key);
    if (found != shared.end())
        return *found;
    block.shared_bytes += bytes;
    if (block.shared_bytes > kMaxSharedBytes)
        throw Fault(fmt::format(
            "the block's shared memory is {} bytes with {} ({} bytes); a block of compute capability 9.0 has at "
            "most {}",
            block.shared_bytes, name, bytes, kMaxSharedBytes));
    // Neither zero nor data of an earlier block: a kernel that reads memory that nothing wrote to gives a wrong
    // answer.
    shared.push_back({key, SharedPlace(bytes), element, name});
    const SharedPlace& place = shared.back().place;
    if (block.observed != nullptr)
        observer->shared_memory(block.observed, {.begin = place.memory(),
                                                 .bytes = bytes,
                                                 .element = element,
                                                 .name = name,
                                                 .guard_bytes = place.guard(),
                                                 .uninitialized = true});
    return shared.back();
}

void* shared_memory(const void* key, std::size_t bytes, std::size_t element, const char* name)
{
    return shared_variable_of(*current_carrier()->block, key, bytes, element, name).place.memory();
}

void* dynamic_shared_memory(std::size_t element, const char* name)
{
    static constexpr char kKey = 0;
    if (current_thread->dynamic_shared_bytes == 0)
        throw Fault(
            fmt::format("the kernel has dynamic shared memory ({}), and its launch asked for none; allowed: a "
                        "LaunchShape with shared_bytes",
                        name));
    return shared_memory(&kKey, current_thread->dynamic_shared_bytes, element, name);
}

unsigned worker_number()
{
    return current_carrier()->block->engine->number;
}

bool first_of_block()
{
    return current_carrier()->block->first == linear_thread();
}

bool last_of_block()
{
    const Block& block = *current_carrier()->block;
    return block.gone + 1 == block.threads;
}

void delay(unsigned times)
{
    Carrier& carrier = *current_carrier();
    for (unsigned time = 0; time < times && !carrier.block->sequential; ++time)
        carrier.stop(Carrier::Stop::yielded);
}

} // namespace nestbed::cpu
