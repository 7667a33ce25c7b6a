// What the detector says of the races that it found.
#include "device/races/actors.hpp"
#include "device/races/detector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <tuple>

namespace nestbed::races
{

namespace
{

std::string_view verb(const Access& access)
{
    switch (access.kind) {
    case volatile_read:
        return "volatile read";
    case volatile_write:
        return "volatile write";
    case read_access:
        return "read";
    case write_access:
        return "write";
    case atomic_read:
    case atomic_write:
        break;
    }
    return "atomic";
}

// Of a user's program; empty: of none.
std::string name_of(const WatchedGrid& grid)
{
    return grid.launch.function == nullptr ? "" : grid.launch.function;
}

// Of the host: a function of CUDA, or what has no name.
std::string spelled_operation(const WatchedGrid& grid)
{
    const std::string name = grid.operation;
    return name.find(' ') == name.npos ? name + "()" : name;
}

// As a number, and as a float where the number is none that a program mostly has.
std::string spelled_value(const std::array<unsigned char, 16>& value, std::size_t bytes)
{
    constexpr std::int64_t kLarge = 1 << 24;
    const auto as = [&]<class T>(T number) {
        std::memcpy(&number, value.data(), sizeof number);
        return number;
    };
    const auto spelled = [](auto number, auto bits, auto real) {
        constexpr double kSmallest = 1e-30, kLargest = 1e30;
        const double size = std::abs(static_cast<double>(real));
        if (number > -kLarge && number < kLarge)
            return fmt::format("{}", number);
        return size > kSmallest && size < kLargest ? fmt::format("{:#x} ({} as a floating-point number)", bits, real)
                                                   : fmt::format("{:#x}", bits);
    };
    switch (bytes) {
    case 1:
        return fmt::format("{}", as(std::uint8_t{}));
    case 2:
        return fmt::format("{}", as(std::int16_t{}));
    case 4:
        return spelled(as(std::int32_t{}), as(std::uint32_t{}), as(float{}));
    case 8:
        return spelled(as(std::int64_t{}), as(std::uint64_t{}), as(double{}));
    default:
        break;
    }
    std::string text = "bytes";
    for (std::size_t byte = 0; byte < bytes; ++byte)
        text += fmt::format(" {:02x}", value[byte]);
    return text;
}

// The ancestor of the grid, or itself, that `above` launched (nullptr: the host); nullptr where `above` is none of its ancestors.
const WatchedGrid* launched_from(const WatchedGrid* grid, const WatchedGrid* above)
{
    while (grid != nullptr && grid->parent != above)
        grid = grid->parent;
    return grid;
}

// A grid's access and one of its child, or of the child's descendants.
std::string between_parent_and(const WatchedGrid& child, const Access& parents, const Access& childs,
                               bool childs_is_first)
{
    if (parents.block != child.parent_block)
        return fmt::format("block {}'s {} is not ordered before block {}'s launch (no barrier orders blocks; a tail "
                           "launch waits for all)",
                           parents.block, verb(parents), child.parent_block);
    // The same thread's access before the launch would be ordered; of another thread's in the same phase the place is not known.
    const bool after = parents.thread == child.parent_thread || parents.phase > child.parent_phase;
    if (!after)
        return fmt::format(
            "thread {}'s {} is not ordered before thread {}'s launch (a __syncthreads() between them would do, "
            "if the {} comes first)",
            parents.thread, verb(parents), child.parent_thread, verb(parents));
    if (childs_is_first || writes(childs.kind))
        return fmt::format(
            "the child's {} is not ordered before thread {}'s {}, which comes after the launch (a wait for the child "
            "would do, or a tail launch for what comes after)",
            verb(childs), parents.thread, verb(parents));
    return fmt::format(
        "thread {}'s {} comes after the launch, and the child need not wait for it (a launch after it would do)",
        parents.thread, verb(parents));
}

bool are_of_one_warp(const Access& first, const Access& second)
{
    return first.thread / cpu::kWarpLanes == second.thread / cpu::kWarpLanes;
}

bool is_one_place(const std::vector<SourcePlace>& first, const std::vector<SourcePlace>& second)
{
    return first.front().line != 0 && first == second;
}

// Of one block; the second holds for threads of one warp, too.
constexpr std::string_view kNoBlockBarrier = "no __syncthreads() is between them";
constexpr std::string_view kNoWarpBarrier =
    "no __syncthreads() and no __syncwarp() is between them (the threads of a warp do not run in lockstep since "
    "Volta; a __syncwarp() between them would do)";
constexpr std::string_view kOneLine =
    "several threads write it by one line (one thread may write it, or all by an atomic; in a loop a __syncthreads() "
    "between its rounds would do)";

// `is_one_line`: one line has written twice. Nothing can be between a line and itself, except in a loop.
std::string between_threads(const Access& first, const Access& second, bool is_one_line)
{
    if (first.block != second.block && is_one_line)
        return fmt::format("blocks {} and {} of a grid are in no order (one thread of one block may write it, or all "
                           "by an atomic)",
                           first.block, second.block);
    if (first.block != second.block)
        return fmt::format(
            "blocks {} and {} of a grid are in no order (a counter with release and acquire would order "
            "them, the barrier of a cooperative grid or of a cluster, or the end of the grid)",
            first.block, second.block);
    if (is_one_line)
        return std::string(kOneLine);
    return std::string(are_of_one_warp(first, second) ? kNoWarpBarrier : kNoBlockBarrier);
}

} // namespace

// "into a stream of block 2 (made at my.cu:8)"
std::string Detector::spelled_launch(const WatchedGrid& grid) const
{
    if (grid.mechanism == Mechanism::fire_and_forget)
        return fmt::format("fire and forget by block {}", grid.parent_block);
    if (grid.mechanism == Mechanism::tail)
        return fmt::format("as a tail launch by block {}", grid.parent_block);
    if (grid.mechanism != Mechanism::named_stream)
        return fmt::format("into the NULL stream of block {}", grid.parent_block);
    const auto made = made_.find(grid.stream);
    const SourcePlace place = made == made_.end() ? SourcePlace{} : sites_.places(made->second).front();
    return fmt::format("into a named stream of block {}{}", grid.parent_block,
                       place.line == 0 ? "" : fmt::format(" (made at {}:{})", place.file, place.line));
}

// "the stream made at my.cu:8", of the host.
std::string Detector::spelled_stream(const WatchedGrid& grid) const
{
    if (graphs_.contains(grid.stream))
        return "a graph";
    if (grid.stream == 0)
        return "the NULL stream";
    const auto made = made_.find(grid.stream);
    const SourcePlace place = made == made_.end() ? SourcePlace{} : sites_.places(made->second).front();
    return place.line == 0 ? "the default stream of a thread"
                           : fmt::format("the stream made at {}:{}", place.file, place.line);
}

// "kernel k in the NULL stream", of what the host has put into a stream.
std::string Detector::spelled_work(const WatchedGrid& grid) const
{
    if (graphs_.contains(grid.stream)) {
        const auto made = made_.find(grid.stream);
        const SourcePlace place = made == made_.end() ? SourcePlace{} : sites_.places(made->second).front();
        return fmt::format("{}, a node of a graph{}",
                           grid.operation == nullptr ? "kernel " + name_of(grid) : spelled_operation(grid),
                           place.line == 0 ? "" : fmt::format(" (added at {}:{})", place.file, place.line));
    }
    return fmt::format("{} in {}", grid.operation == nullptr ? "kernel " + name_of(grid) : spelled_operation(grid),
                       spelled_stream(grid));
}

// "host thread 2 (made at my.cu:31)"
std::string Detector::spelled_host(const Access& access) const
{
    if (access.grid == kHost)
        return "the host";
    const WatchedGrid& grid = *grids_[access.grid];
    if (grid.host->number == 1)
        return "host thread 1 (of main)";
    const SourcePlace place = sites_.places(grid.site).front();
    return fmt::format("host thread {}{}", grid.host->number,
                       place.line == 0 ? "" : fmt::format(" (made at {}:{})", place.file, place.line));
}

std::string Detector::between_siblings(const WatchedGrid& left, const WatchedGrid& right) const
{
    if (right.stream == cpu::kNoStream)
        return fmt::format("{}() does not wait for {} (a cudaStreamSynchronize() before it would do)",
                           right.operation, spelled_work(left));
    if (left.parent == nullptr &&
        (left.stream == right.stream || std::ranges::find(right.previous, &left) != right.previous.end()))
        return "a grid that is launched programmatically need not wait for the one before it in its stream (a "
               "cudaGridDependencySynchronize() before its access would do, and one in each grid that is between "
               "them)";
    const auto is_of_program = [](const WatchedGrid& grid) {
        return grid.launch.line != 0 || grid.operation != nullptr;
    };
    if (left.parent == nullptr && (!is_of_program(left) || !is_of_program(right)))
        return fmt::format("the host's streams {} and {} are in no order", left.stream, right.stream);
    const auto of_graph = [this](const WatchedGrid& grid) {
        const auto found = graphs_.find(grid.stream);
        return found == graphs_.end() ? 0 : found->second;
    };
    if (left.parent == nullptr && of_graph(left) != 0 && of_graph(left) == of_graph(right))
        return fmt::format("no edges lead from {} to {} (cudaGraphAddDependencies() would make one; in a captured "
                           "stream, an event behind the first for which the second one's stream waits)",
                           spelled_work(left), spelled_work(right));
    if (left.parent == nullptr && (of_graph(left) != 0 || of_graph(right) != 0))
        return fmt::format(
            "{} and {} are in no order (one stream of the launches would do, cudaStreamSynchronize() of "
            "the first one's, or an event of it that the second one's waits for)",
            spelled_work(left), spelled_work(right));
    if (left.parent == nullptr)
        return fmt::format(
            "{} and {} are in no order (cudaStreamSynchronize() of the first stream would do, or an event "
            "of it that the second one waits for)",
            spelled_work(left), spelled_work(right));
    return fmt::format(
        "a grid launched {} and one launched {} are in no order (one stream of one block, as its NULL stream, would "
        "order them, or a tail launch)",
        spelled_launch(left), spelled_launch(right));
}

std::string Detector::missing_fence(const SeenAtomic& atomic, const Access& first)
{
    const Region* const region = shadow_.find(atomic.address);
    const bool has_first = knows(atomic.released, first);
    std::string_view missing =
        "a __threadfence() before the atomic in the first thread and one after it in the second are";
    if (has_first && !atomic.fenced)
        missing = "a __threadfence() after the atomic in the second thread is";
    if (!has_first && atomic.fenced)
        missing = "a __threadfence() before the atomic in the first thread is";
    return fmt::format(
        "an atomic of {} is between them that orders nothing by itself ({} missing, or release and acquire)",
        region == nullptr ? "memory" : region->spelled(static_cast<std::ptrdiff_t>(atomic.address - region->begin)),
        missing);
}

Detector::Missing Detector::missing_order(const Access& first, const Access& second, const WatchedThread* thread)
{
    const auto root = [this](const Access& access) {
        const WatchedGrid* grid = grids_[access.grid].get();
        while (grid->parent != nullptr)
            grid = grid->parent;
        return grid;
    };
    constexpr std::string_view kBetween = "a join, a mutex, or an atomic with release and acquire";
    if (is_of_host_thread(first) && is_of_host_thread(second))
        return {fmt::format("{} and {} are in no order ({} between them would do)", spelled_host(first),
                            spelled_host(second), kBetween)};
    if (is_of_host_thread(first))
        return {fmt::format("{}'s {} is not ordered before the call that puts {} there ({} between them would do)",
                            spelled_host(first), verb(first), spelled_work(*root(second)), kBetween)};
    if (is_of_host_thread(second)) {
        const WatchedGrid& work = *root(first);
        return {fmt::format("{} has not waited for {} (a {}() before its {} would do{})", spelled_host(second),
                            work.operation == nullptr && !is_several_ ? "the kernel" : spelled_work(work),
                            work.operation == nullptr ? "cudaDeviceSynchronize" : "cudaStreamSynchronize",
                            verb(second),
                            is_several_ ? fmt::format(", or {} behind that of another thread", kBetween) : "")};
    }
    if (thread == nullptr)
        return {between_siblings(*root(first), *grids_[second.grid])};
    if (is_atomic(first.kind) && is_atomic(second.kind) && first.size != second.size)
        return {fmt::format("both are atomic, but of {} and {} bytes: atomics that overlap in part are as plain "
                            "accesses to each other",
                            1U << first.size, 1U << second.size)};
    if (is_atomic(first.kind) && is_atomic(second.kind))
        return {
            "both are atomic, but of different blocks, and the scope of one is its block (without _block it would "
            "do)"};
    if (ordered_by_threads(first, *thread))
        return {fmt::format(
            "a fence.proxy.async after the {} (cuda::ptx::fence_proxy_async()): a bulk copy is of another proxy, "
            "which barriers alone do not order",
            verb(first))};
    if (is_copier(first.thread))
        return {"nothing has waited for the asynchronous copy (a cooperative_groups::wait() before the access would "
                "do; a "
                "barrier alone does not end a copy)"};
    const WatchedGrid* const left = grids_[first.grid].get();
    const WatchedGrid* const right = grids_[second.grid].get();
    const SeenAtomic* const atomic = would_order(first, *thread);
    if (left != right) {
        // Of the launching block, the launch is what orders; of other blocks, it may be an atomic before the launch.
        if (const WatchedGrid* child = launched_from(right, left);
            child != nullptr && (atomic == nullptr || first.block == child->parent_block))
            return {between_parent_and(*child, first, second, false), child->site == right->site ? nullptr : child};
        if (const WatchedGrid* child = launched_from(left, right);
            child != nullptr && (atomic == nullptr || second.block == child->parent_block))
            return {between_parent_and(*child, second, first, true), child->site == left->site ? nullptr : child};
    }
    if (atomic != nullptr)
        return {missing_fence(*atomic, first)};
    if (left == right && first.block == second.block && first.phase < thread->block->phase &&
        thread->block->threads[first.thread].ended_phase == first.phase)
        return {
            fmt::format("thread {} has ended after its {}: a __syncthreads() orders only the threads that meet at it",
                        first.thread, verb(first))};
    if (left == right)
        return {between_threads(first, second,
                                writes(first.kind) && writes(second.kind) &&
                                    is_one_place(sites_.places(first.site), sites_.places(second.site)))};
    for (const WatchedGrid* above = left->parent;; above = above->parent) {
        const WatchedGrid* const other = launched_from(right, above);
        if (other != nullptr)
            return {between_siblings(*launched_from(left, above), *other)};
    }
}

// What is missing must hold for all pairs of a report: a barrier of a warp is not enough if one of them is of two warps.
void Detector::widen(Missing& missing, const Access& first, const Access& second)
{
    if (first.grid != second.grid || (first.block == second.block && are_of_one_warp(first, second)))
        return;
    if (missing.text == kNoWarpBarrier)
        missing.text = kNoBlockBarrier;
    if (first.block != second.block && (missing.text == kNoBlockBarrier || missing.text == kOneLine))
        missing.text = between_threads(first, second, missing.text == kOneLine);
}

// Of a grid below, a report names its own launch, which is not the one that is not ordered.
std::string Detector::described(const Missing& missing) const
{
    if (missing.launched == nullptr)
        return missing.text;
    const SourcePlace place = sites_.places(missing.launched->site).front();
    return place.line == 0 ? missing.text
                           : fmt::format("{}; that launch is at {}:{}", missing.text, place.file, place.line);
}

RaceAccess Detector::described(const Access& access) const
{
    if (is_of_host_thread(access))
        return {.write = writes(access.kind),
                .atomic = is_atomic(access.kind),
                .is_volatile = access.kind == volatile_read || access.kind == volatile_write,
                .places = sites_.places(access.site),
                .by_host = true,
                .host_thread = access.grid == kHost ? "" : spelled_host(access)};
    const WatchedGrid& grid = *grids_[access.grid];
    RaceAccess out{.write = writes(access.kind),
                   .atomic = is_atomic(access.kind),
                   .asynchronous = is_copier(access.thread),
                   .is_volatile = access.kind == volatile_read || access.kind == volatile_write,
                   .places = sites_.places(access.site),
                   .depth = grid.depth,
                   .block = access.block,
                   .thread = access.thread % cpu::kMaxThreadsPerBlock};
    describe_grid(out, grid);
    return out;
}

void Detector::describe_grid(RaceAccess& access, const WatchedGrid& grid) const
{
    access.kernel = name_of(grid);
    if (grid.operation != nullptr)
        access.operation = fmt::format("{}, in {}", spelled_operation(grid), spelled_stream(grid));
    if (grid.parent != nullptr)
        access.launched_by = {.place = sites_.places(grid.site).front(),
                              .block = grid.parent_block,
                              .thread = grid.parent_thread,
                              .kernel = name_of(*grid.parent)};
    else if (grid.launch.line != 0)
        access.launched_at = place_of_call(grid.launch.file, grid.launch.line);
}

std::string Detector::last_access()
{
    if (accesses_ == 0)
        return "";
    const Region* const region = shadow_.find(last_.address);
    return last_access_of(
        region == nullptr ? "memory" : region->spelled(static_cast<std::ptrdiff_t>(last_.address - region->begin)));
}

std::string Detector::last_access_of(const std::string& memory) const
{
    const RaceAccess access = described(Access{.grid = last_.grid,
                                               .block = last_.block,
                                               .epoch = 0,
                                               .phase = 0,
                                               .site = last_.site,
                                               .thread = last_.thread,
                                               .kind = last_.kind});
    const SourcePlace& place = access.places.front();
    return fmt::format("{}{} of {} at {}:{} (depth {}, block {}, thread {})",
                       access.is_volatile ? "volatile "
                       : access.atomic    ? "atomic "
                                          : "",
                       access.write ? "write" : "read", memory, place.file, place.line, access.depth, access.block,
                       access.thread);
}

cpu::LastRead Detector::last_read(void* thread)
{
    const Busy busy;
    const WatchedThread::Read& read = static_cast<const WatchedThread*>(thread)->last_read;
    const Region* const region = read.address == 0 ? nullptr : shadow_.find(read.address);
    if (region == nullptr)
        return {};
    const SourcePlace place = sites_.places(read.site).front();
    return {.memory = region->spelled(static_cast<std::ptrdiff_t>(read.address - region->begin)),
            .place = place.line == 0 ? "" : fmt::format("{}:{}", place.file, place.line),
            .is_plain = read.is_plain};
}

std::string Detector::access_without_memory(const void* at)
{
    const Busy busy;
    auto address = reinterpret_cast<std::uintptr_t>(at);
    std::string text = "an access";
    std::string where;
    // Of an address that no program can have, the signal says 0.
    if (cpu::current_thread != nullptr && tried_.thread == cpu::current_thread->observed &&
        tried_.thread != nullptr && (address == 0 || address - tried_.address < tried_.bytes)) {
        address = tried_.address;
        const WatchedBlock& block = *tried_.thread->block;
        const SourcePlace place = sites_.places(sites_.at(tried_.thread->node, tried_.place)).front();
        text = verb({.grid = 0, .block = 0, .epoch = 0, .phase = 0, .site = 0, .thread = 0, .kind = tried_.kind});
        text += tried_.kind == atomic_read || tried_.kind == atomic_write ? " access" : "";
        where = fmt::format(" at {}:{} (depth {}, block {}, thread {})", place.file, place.line, block.grid->depth,
                            block.index, tried_.thread->index);
    }
    text += fmt::format(" of address {:#x}{}, where no memory is", address, where);
    constexpr std::uint64_t kFar = std::uint64_t{1} << 40U; // bytes: no index of 32 bits leads there
    const Region* const near = shadow_.nearest(address);
    const bool is_behind = near != nullptr && address > near->begin;
    const std::uintptr_t distance = near == nullptr ? kFar
                                    : is_behind     ? address - near->begin - near->bytes
                                                    : near->begin - address;
    if (distance >= kFar)
        return text;
    return text + fmt::format("; the nearest is '{}', which has {} {} and {} {} bytes {} it", near->name, near->bytes,
                              near->bytes == 1 ? "byte" : "bytes", is_behind ? "ends" : "begins", distance,
                              is_behind ? "before" : "after");
}

// Calls that differ further out are one place.
std::vector<Race> Detector::described_races() const
{
    std::vector<Race> races;
    const auto names = [](const RaceAccess& left, const RaceAccess& right) {
        const auto name = [](const RaceAccess& access) {
            // An atomic operation that fails only reads.
            const bool is_update = access.atomic && !access.is_volatile;
            return std::tuple(access.places.front(), access.write || is_update, access.atomic, access.is_volatile);
        };
        return std::minmax({name(left), name(right)}, std::less{});
    };
    for (const auto& [key, pairs] : found_) {
        Race race{.memory = pairs.memory,
                  .bytes = pairs.bytes,
                  .first = described(pairs.first),
                  .second = described(pairs.second),
                  .missing = described(pairs.missing),
                  .same_value = pairs.same.holds && pairs.same.bytes != 0
                                    ? spelled_value(pairs.same.value, pairs.same.bytes)
                                    : "",
                  .is_one_value = pairs.same.is_one,
                  .pairs = pairs.pairs};
        const auto same = std::ranges::find_if(races, [&](const Race& other) {
            return names(other.first, other.second) == names(race.first, race.second);
        });
        if (same == races.end()) {
            races.push_back(std::move(race));
            continue;
        }
        const std::uint64_t sum = same->pairs + race.pairs;
        if (same->missing == kNoBlockBarrier && race.missing == kNoWarpBarrier)
            race.missing = same->missing;
        else if (same->missing == kNoWarpBarrier && race.missing == kNoBlockBarrier)
            same->missing = race.missing;
        const bool is_known = !same->same_value.empty() && !race.same_value.empty();
        const bool is_one = same->is_one_value && race.is_one_value && same->same_value == race.same_value;
        if (race.first.write && race.second.write)
            *same = std::move(race);
        same->pairs = sum;
        same->is_one_value = is_one;
        if (!is_known)
            same->same_value.clear();
    }
    std::ranges::stable_sort(races, std::ranges::greater{}, &Race::pairs);
    return races;
}

std::vector<Race> Detector::described_notes() const
{
    std::vector<Race> notes;
    for (const auto& [key, note] : notes_)
        notes.push_back({.memory = note.memory,
                         .bytes = note.bytes,
                         .first = described(note.first),
                         .second = described(note.second),
                         .missing = described(note.missing),
                         .pairs = note.pairs});
    return notes;
}

std::vector<BadAccess> Detector::described_bad_accesses() const
{
    std::vector<BadAccess> all;
    for (const auto& [key, found] : found_bad_) {
        BadAccess bad{.kind = std::get<0>(key),
                      .memory = found.memory,
                      .bytes = found.bytes,
                      .beyond = found.beyond,
                      .allocation = found.allocation,
                      .freed = found.freed,
                      .access = described(found.access),
                      .count = found.count};
        const auto same = std::ranges::find_if(all, [&](const BadAccess& other) {
            return other.kind == bad.kind && other.access.places.front() == bad.access.places.front() &&
                   other.access.write == bad.access.write && other.access.atomic == bad.access.atomic;
        });
        if (same == all.end())
            all.push_back(std::move(bad));
        else
            same->count += bad.count;
    }
    for (BadAccess& misuse : described_misuses(false))
        all.push_back(std::move(misuse));
    return all;
}

} // namespace nestbed::races
