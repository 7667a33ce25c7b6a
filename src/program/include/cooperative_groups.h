// Cooperative groups of a warp, a block, a cluster and a grid. Not supported: grids of several devices.
#pragma once

#include "nestbed/program.hpp"

namespace cooperative_groups
{

// NOLINTBEGIN: these names are CUDA's.
class thread_block
{
  public:
    static unsigned long long size() { return num_threads(); }
    static unsigned num_threads()
    {
        return nestbed::cpu::current_thread->block_dim.x * nestbed::cpu::current_thread->block_dim.y *
               nestbed::cpu::current_thread->block_dim.z;
    }
    static unsigned thread_rank() { return nestbed::cpu::linear_thread(); }
    static dim3 group_index() { return nestbed::cpu::current_thread->block_index; }
    static dim3 thread_index() { return nestbed::cpu::current_thread->thread_index; }
    static dim3 group_dim() { return nestbed::cpu::current_thread->block_dim; }
    static dim3 dim_threads() { return nestbed::cpu::current_thread->block_dim; }
    static void sync(NESTBED_PLACE) { __syncthreads(file, line); }
    struct arrival_token {
    };
    static arrival_token barrier_arrive()
    {
        nestbed::cpu::arrive();
        return {};
    }
    static void barrier_wait(arrival_token&&, NESTBED_PLACE) { sync(file, line); }
};
inline thread_block this_thread_block()
{
    return {};
}
// For tiles of several warps. Here they need no memory of the block.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
    char unused;
};
template <unsigned MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>&)
{
    return {};
}

// What the barriers of a cluster and of a grid have in common.
template <nestbed::cpu::BlockGroup group>
struct group_barrier {
    struct arrival_token {
    };
    static void sync(NESTBED_PLACE)
    {
        nestbed::cpu::arrive_at_group(group, true, file, line);
        nestbed::cpu::wait_for_group(group, file, line);
    }
    static arrival_token barrier_arrive(NESTBED_PLACE)
    {
        nestbed::cpu::arrive_at_group(group, true, file, line);
        return {};
    }
    static void barrier_wait(arrival_token&&, NESTBED_PLACE) { nestbed::cpu::wait_for_group(group, file, line); }
};

class grid_group : public group_barrier<nestbed::cpu::BlockGroup::grid>
{
  public:
    static unsigned long long size() { return num_threads(); }
    static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
    static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    static unsigned long long num_blocks()
    {
        const dim3 grid = nestbed::cpu::current_thread->grid_dim;
        return (unsigned long long)grid.x * grid.y * grid.z;
    }
    static unsigned long long block_rank()
    {
        const dim3 grid = nestbed::cpu::current_thread->grid_dim;
        const uint3 block = nestbed::cpu::current_thread->block_index;
        return block.x + (unsigned long long)grid.x * (block.y + (unsigned long long)grid.y * block.z);
    }
    static unsigned long long num_clusters() { return num_blocks() / __clusterSizeInBlocks(); }
    static unsigned long long cluster_rank()
    {
        const dim3 grid = dim_clusters(), cluster = cluster_index();
        return cluster.x + (unsigned long long)grid.x * (cluster.y + (unsigned long long)grid.y * cluster.z);
    }
    static dim3 thread_index()
    {
        const uint3 block = nestbed::cpu::current_thread->block_index,
                    thread = nestbed::cpu::current_thread->thread_index;
        const dim3 of = nestbed::cpu::current_thread->block_dim;
        return {block.x * of.x + thread.x, block.y * of.y + thread.y, block.z * of.z + thread.z};
    }
    static dim3 block_index() { return nestbed::cpu::current_thread->block_index; }
    static dim3 cluster_index() { return __clusterIdx(); }
    static dim3 dim_threads()
    {
        const dim3 grid = nestbed::cpu::current_thread->grid_dim, block = nestbed::cpu::current_thread->block_dim;
        return {grid.x * block.x, grid.y * block.y, grid.z * block.z};
    }
    static dim3 dim_blocks() { return nestbed::cpu::current_thread->grid_dim; }
    static dim3 dim_clusters() { return __clusterGridDimInClusters(); }
    static dim3 group_dim() { return nestbed::cpu::current_thread->grid_dim; }
    static bool is_valid() { return true; } // as on a GPU, also where sync() is not allowed
};
inline grid_group this_grid()
{
    return {};
}

class cluster_group : public group_barrier<nestbed::cpu::BlockGroup::cluster>
{
    using barriers = group_barrier<nestbed::cpu::BlockGroup::cluster>;

  public:
    static void barrier_wait(NESTBED_PLACE) { barriers::barrier_wait({}, file, line); }
    static void barrier_wait(arrival_token&&, NESTBED_PLACE) { barriers::barrier_wait({}, file, line); }
    template <class T>
    static T* map_shared_rank(T* address, int rank)
    {
        return (T*)nestbed::cpu::shared_of_cluster((const void*)address, (unsigned)rank);
    }
    static unsigned query_shared_rank(const void* address) { return nestbed::cpu::rank_of_shared(address); }
    static unsigned long long size() { return num_threads(); }
    static unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
    static unsigned thread_rank() { return block_rank() * thread_block::num_threads() + thread_block::thread_rank(); }
    static unsigned num_blocks() { return __clusterSizeInBlocks(); }
    static unsigned block_rank() { return __clusterRelativeBlockRank(); }
    static dim3 thread_index()
    {
        const dim3 block = block_index(), of = nestbed::cpu::current_thread->block_dim;
        const uint3 thread = nestbed::cpu::current_thread->thread_index;
        return {block.x * of.x + thread.x, block.y * of.y + thread.y, block.z * of.z + thread.z};
    }
    static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static dim3 dim_threads()
    {
        const dim3 cluster = __clusterDim(), block = nestbed::cpu::current_thread->block_dim;
        return {cluster.x * block.x, cluster.y * block.y, cluster.z * block.z};
    }
    static dim3 dim_blocks() { return __clusterDim(); }
};
inline cluster_group this_cluster()
{
    return {};
}

// A shuffle of a value of more than 8 bytes, one word after another.
template <class T, class Shuffle>
T shuffled_by_words(const T& value, const Shuffle& shuffle)
{
    if constexpr (sizeof(T) <= sizeof(unsigned long long)) {
        return shuffle(value);
    } else {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 32, "a group shuffles at most 32 bytes");
        unsigned long long words[(sizeof(T) + 7) / 8] = {};
        __builtin_memcpy(words, &value, sizeof(T));
        for (unsigned long long& word : words)
            word = shuffle(word);
        T result = value;
        __builtin_memcpy(&result, words, sizeof(T));
        return result;
    }
}

// Lanes of a warp. A rank is the position among them.
class coalesced_group
{
  public:
    explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    unsigned long long size() const { return num_threads(); }
    unsigned num_threads() const { return (unsigned)__popc(mask_); }
    unsigned thread_rank() const { return (unsigned)__popc(mask_ & ((1U << nestbed::cpu::lane()) - 1)); }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }
    unsigned mask() const { return mask_; }
    void sync(NESTBED_PLACE) const { __syncwarp(mask_, file, line); }
    int any(int predicate, NESTBED_PLACE) const { return __any_sync(mask_, predicate, file, line); }
    int all(int predicate, NESTBED_PLACE) const { return __all_sync(mask_, predicate, file, line); }
    unsigned ballot(int predicate, NESTBED_PLACE) const { return ranks(__ballot_sync(mask_, predicate, file, line)); }
    template <class T>
    unsigned match_any(T value, NESTBED_PLACE) const
    {
        return ranks(__match_any_sync(mask_, value, file, line));
    }
    template <class T>
    unsigned match_all(T value, int& all, NESTBED_PLACE) const
    {
        return ranks(__match_all_sync(mask_, value, &all, file, line));
    }
    template <class T>
    T shfl(T value, int rank, NESTBED_PLACE) const
    {
        return shuffled_by_words(value, [&](auto word) {
            return __shfl_sync(mask_, word, (int)lane_of((unsigned)rank % num_threads()), 32, file, line);
        });
    }
    template <class T>
    T shfl_up(T value, unsigned by, NESTBED_PLACE) const
    {
        const unsigned rank = thread_rank();
        return shuffled_by_words(value, [&](auto word) {
            return __shfl_sync(mask_, word, (int)lane_of(rank >= by ? rank - by : rank), 32, file, line);
        });
    }
    template <class T>
    T shfl_down(T value, unsigned by, NESTBED_PLACE) const
    {
        const unsigned rank = thread_rank();
        return shuffled_by_words(value, [&](auto word) {
            return __shfl_sync(mask_, word, (int)lane_of(rank + by < num_threads() ? rank + by : rank), 32, file,
                               line);
        });
    }

  private:
    unsigned lane_of(unsigned rank) const
    {
        unsigned rest = mask_;
        for (; rank > 0; --rank)
            rest &= rest - 1;
        return (unsigned)__builtin_ctz(rest);
    }
    unsigned ranks(unsigned lanes) const
    {
        unsigned bits = 0;
        for (unsigned rank = 0; rank < num_threads(); ++rank)
            bits |= (lanes >> lane_of(rank) & 1U) << rank;
        return bits;
    }

    unsigned mask_, meta_rank_, meta_size_;
};
// CUDA gives those lanes that are together at this point: here those that wait for each other here.
inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

template <unsigned Size, class Parent = void>
class thread_block_tile;

// A tile of a block, or of a larger tile.
template <unsigned Size, class Parent>
class tile_shape
{
    template <class Group>
    struct threads_of {
        static unsigned count() { return thread_block::num_threads(); }
    };
    template <unsigned Other, class Above>
    struct threads_of<thread_block_tile<Other, Above>> {
        static unsigned count() { return Other; }
    };

  public:
    static constexpr unsigned long long size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static unsigned thread_rank() { return nestbed::cpu::linear_thread() % Size; }
    static unsigned meta_group_rank() { return nestbed::cpu::linear_thread() % threads_of<Parent>::count() / Size; }
    static unsigned meta_group_size() { return (threads_of<Parent>::count() + Size - 1) / Size; }
};

// What the threads of a tile of several warps give each other.
template <class T>
class tile_values
{
  public:
    NESTBED_UNWATCHED tile_values(unsigned threads, const T& value)
        : threads_(threads),
          given_(nestbed::cpu::given_in_block() + nestbed::cpu::linear_thread() / threads * threads)
    {
        static_assert(std::is_trivially_copyable<T>::value, "a group exchanges bytes");
        given_[nestbed::cpu::linear_thread() % threads] = &value;
        nestbed::cpu::meet_in_tile(threads, false);
    }
    tile_values(const tile_values&) = delete;
    tile_values& operator=(const tile_values&) = delete;
    NESTBED_UNWATCHED ~tile_values() { nestbed::cpu::meet_in_tile(threads_, false); }
    NESTBED_UNWATCHED T of(unsigned rank) const
    {
        T value;
        __builtin_memcpy(&value, given_[rank], sizeof value);
        return value;
    }

  private:
    unsigned threads_;
    const void** given_;
};
// Of the threads of the ranks up to `last`.
template <class T, class Operator>
T combined(const tile_values<T>& values, unsigned last, Operator combine)
{
    T all = values.of(0);
    for (unsigned rank = 1; rank <= last; ++rank)
        all = combine(all, values.of(rank));
    return all;
}

// Of several warps.
template <unsigned Size, class Parent, bool = (Size > 32)>
class tile_functions : public tile_shape<Size, Parent>
{
  public:
    static void sync(NESTBED_PLACE) { nestbed::cpu::meet_in_tile(Size, true); }
    static int any(int predicate)
    {
        return combined(tile_values<int>(Size, predicate != 0), Size - 1, [](int a, int b) { return a | b; });
    }
    static int all(int predicate)
    {
        return combined(tile_values<int>(Size, predicate != 0), Size - 1, [](int a, int b) { return a & b; });
    }
    template <class T>
    static T shfl(T value, int rank)
    {
        return tile_values<T>(Size, value).of((unsigned)rank % Size);
    }
};

template <unsigned Size, class Parent>
class tile_functions<Size, Parent, false> : public tile_shape<Size, Parent>
{
  public:
    static unsigned mask() { return Size == 32 ? ~0U : ((1U << Size % 32) - 1) << first(); }
    static void sync(NESTBED_PLACE) { __syncwarp(mask(), file, line); }
    static int any(int predicate, NESTBED_PLACE) { return __any_sync(mask(), predicate, file, line); }
    static int all(int predicate, NESTBED_PLACE) { return __all_sync(mask(), predicate, file, line); }
    static unsigned ballot(int predicate, NESTBED_PLACE)
    {
        return __ballot_sync(mask(), predicate, file, line) >> first();
    }
    template <class T>
    static unsigned match_any(T value, NESTBED_PLACE)
    {
        return __match_any_sync(mask(), value, file, line) >> first();
    }
    template <class T>
    static unsigned match_all(T value, int& all, NESTBED_PLACE)
    {
        return __match_all_sync(mask(), value, &all, file, line) >> first();
    }
    template <class T>
    static T shfl(T value, int rank, NESTBED_PLACE)
    {
        return shuffled_by_words(value,
                                 [&](auto word) { return __shfl_sync(mask(), word, rank, (int)Size, file, line); });
    }
    template <class T>
    static T shfl_up(T value, unsigned by, NESTBED_PLACE)
    {
        return shuffled_by_words(value,
                                 [&](auto word) { return __shfl_up_sync(mask(), word, by, (int)Size, file, line); });
    }
    template <class T>
    static T shfl_down(T value, unsigned by, NESTBED_PLACE)
    {
        return shuffled_by_words(
            value, [&](auto word) { return __shfl_down_sync(mask(), word, by, (int)Size, file, line); });
    }
    template <class T>
    static T shfl_xor(T value, unsigned by, NESTBED_PLACE)
    {
        return shuffled_by_words(
            value, [&](auto word) { return __shfl_xor_sync(mask(), word, (int)by, (int)Size, file, line); });
    }

  private:
    static unsigned first() { return nestbed::cpu::lane() / Size * Size; }
};

template <unsigned Size, class Parent>
class thread_block_tile : public tile_functions<Size, Parent>
{
    static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads");

  public:
    thread_block_tile() = default;
    template <class Other>
    thread_block_tile(const thread_block_tile<Size, Other>&)
    {
    }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&)
{
    return {};
}
namespace experimental
{
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
} // namespace experimental
template <class Group>
struct is_of_several_warps : std::false_type {
};
template <unsigned Size, class Parent>
struct is_of_several_warps<thread_block_tile<Size, Parent>> : std::integral_constant<bool, (Size > 32)> {
};
// The dynamic form: of a block, or of the lanes of a group.
inline coalesced_group tiled_partition(const thread_block&, unsigned size)
{
    const unsigned first = nestbed::cpu::lane() / size * size;
    const unsigned rest = thread_block::num_threads() - (nestbed::cpu::linear_thread() - nestbed::cpu::lane());
    const unsigned lanes = rest >= 32 ? ~0U : (1U << rest) - 1;
    return coalesced_group((size >= 32 ? ~0U : ((1U << size) - 1) << first) & lanes,
                           nestbed::cpu::linear_thread() / size, (thread_block::num_threads() + size - 1) / size);
}
// Any group of the others, by value.
class thread_group
{
    template <class Call>
    auto of_group(const Call& call) const
    {
        return kind_ == kBlock     ? call(thread_block())
               : kind_ == kCluster ? call(cluster_group())
               : kind_ == kGrid    ? call(grid_group())
                                   : call(lanes_);
    }

  public:
    thread_group(const thread_block&) : kind_(kBlock) {}
    thread_group(const cluster_group&) : kind_(kCluster) {}
    thread_group(const grid_group&) : kind_(kGrid) {}
    thread_group(const coalesced_group& lanes) : kind_(kLanes), lanes_(lanes) {}
    template <unsigned Size, class Parent>
    thread_group(const thread_block_tile<Size, Parent>& tile)
        : kind_(kLanes), lanes_(tile.mask(), tile.meta_group_rank(), tile.meta_group_size())
    {
    }
    unsigned long long size() const { return num_threads(); }
    unsigned long long num_threads() const
    {
        return of_group([](const auto& group) -> unsigned long long { return group.num_threads(); });
    }
    unsigned long long thread_rank() const
    {
        return of_group([](const auto& group) -> unsigned long long { return group.thread_rank(); });
    }
    void sync(NESTBED_PLACE) const
    {
        of_group([file, line](const auto& group) { group.sync(file, line); });
    }
    // Of a part: of a block or of the lanes of a group.
    bool is_block() const { return kind_ == kBlock; }
    const coalesced_group& lanes() const { return lanes_; }

  private:
    enum { kBlock, kCluster, kGrid, kLanes } kind_;
    coalesced_group lanes_{0};
};
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned size)
{
    const unsigned first = group.thread_rank() / size * size;
    unsigned lanes = group.mask(), part = 0;
    for (unsigned rank = 0; lanes != 0; ++rank, lanes &= lanes - 1)
        if (rank >= first && rank < first + size)
            part |= lanes & -lanes;
    return coalesced_group(part, group.thread_rank() / size, (group.num_threads() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned size)
{
    return parent.is_block() ? tiled_partition(thread_block(), size) : tiled_partition(parent.lanes(), size);
}

// The lanes of a group for which the label is the same.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label, NESTBED_PLACE)
{
    return coalesced_group(__match_any_sync(group.mask(), label, file, line));
}
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate, NESTBED_PLACE)
{
    return labeled_partition(group, (int)predicate, file, line);
}

// The barrier is that of the call in the program.
template <class Group>
void sync(const Group& group, NESTBED_PLACE)
{
    group.sync(file, line);
}
template <class Group>
auto thread_rank(const Group& group)
{
    return group.thread_rank();
}
template <class Group>
unsigned long long group_size(const Group& group)
{
    return group.size();
}

// Calls the function in one thread of the group.
template <class Group, class Function>
void invoke_one(const Group& group, Function function)
{
    if (group.thread_rank() == 0)
        function();
}

#define NESTBED_OPERATOR(name, combined)                                                                             \
    template <class T>                                                                                               \
    struct name {                                                                                                    \
        T operator()(T a, T b) const { return combined; }                                                            \
    };
NESTBED_OPERATOR(plus, a + b)
NESTBED_OPERATOR(less, b < a ? b : a)
NESTBED_OPERATOR(greater, a < b ? b : a)
NESTBED_OPERATOR(bit_and, a& b)
NESTBED_OPERATOR(bit_or, a | b)
NESTBED_OPERATOR(bit_xor, a ^ b)
#undef NESTBED_OPERATOR

// What the threads of a group give each other: all of them must.
template <class Group, class T>
nestbed::cpu::Exchange<T> exchange_of_group(const Group& group, T value, const nestbed::cpu::CallPlace& place)
{
    const nestbed::cpu::Exchange<T> exchange(group.mask(), value, place);
    nestbed::cpu::check_whole_group(group.mask(), exchange.present(), place);
    return exchange;
}
// The same of a value of more than 8 bytes, one word after another.
template <class T>
class exchanged_words
{
  public:
    template <class Group>
    exchanged_words(const Group& group, const T& value, const nestbed::cpu::CallPlace& place)
    {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 32, "a group exchanges at most 32 bytes");
        unsigned long long own[kWords] = {};
        __builtin_memcpy(own, &value, sizeof(T));
        for (unsigned word = 0; word < kWords; ++word) {
            const auto exchange = exchange_of_group(group, own[word], place);
            present_ = exchange.present();
            for (unsigned lane = 0; lane < 32; ++lane)
                if (exchange.has(lane))
                    words_[lane][word] = exchange.of(lane);
        }
    }
    bool has(unsigned lane) const { return (present_ >> lane & 1U) != 0; }
    T of(unsigned lane) const
    {
        T value;
        __builtin_memcpy(&value, words_[lane], sizeof(T));
        return value;
    }

  private:
    static constexpr unsigned kWords = (sizeof(T) + 7) / 8;
    unsigned long long words_[32][kWords] = {};
    unsigned present_ = 0;
};
template <class Group, class T>
auto whole_exchange(const Group& group, T value, const nestbed::cpu::CallPlace& place)
{
    if constexpr (sizeof(T) <= sizeof(unsigned long long))
        return exchange_of_group(group, value, place);
    else
        return exchanged_words<T>(group, value, place);
}
template <class Group, class T, class Operator>
T reduce(const Group& group, T value, Operator combine, NESTBED_PLACE)
{
    if constexpr (is_of_several_warps<Group>::value)
        return combined(tile_values<T>(Group::num_threads(), value), Group::num_threads() - 1, combine);
    else
        return nestbed::cpu::reduced(whole_exchange(group, value, {"reduce", file, line}), value, combine);
}
template <class Group, class T, class Operator>
T inclusive_scan(const Group& group, T value, Operator combine, NESTBED_PLACE)
{
    if constexpr (is_of_several_warps<Group>::value) {
        return combined(tile_values<T>(Group::num_threads(), value), Group::thread_rank(), combine);
    } else {
        const auto exchange = whole_exchange(group, value, {"inclusive_scan", file, line});
        const unsigned own = nestbed::cpu::lane();
        for (unsigned lane = own; lane-- > 0;)
            if (exchange.has(lane))
                value = combine(exchange.of(lane), value);
        return value;
    }
}
template <class Group, class T>
T inclusive_scan(const Group& group, T value, NESTBED_PLACE)
{
    return inclusive_scan(group, value, plus<T>(), file, line);
}
template <class Group, class T, class Operator>
T exclusive_scan(const Group& group, T value, Operator combine, NESTBED_PLACE)
{
    if constexpr (is_of_several_warps<Group>::value) {
        const unsigned rank = Group::thread_rank();
        const tile_values<T> values(Group::num_threads(), value);
        return rank == 0 ? T() : combined(values, rank - 1, combine);
    } else {
        const T inclusive = inclusive_scan(group, value, combine, file, line);
        const T before = group.shfl_up(inclusive, 1, file, line);
        return group.thread_rank() == 0 ? T() : before;
    }
}
template <class Group, class T>
T exclusive_scan(const Group& group, T value, NESTBED_PLACE)
{
    return exclusive_scan(group, value, plus<T>(), file, line);
}

template <class Group>
void memcpy_async(const Group& group, void* to, const void* from, size_t bytes)
{
    if (group.thread_rank() == 0)
        nestbed::cpu::copy_beside(to, from, bytes);
    nestbed::cpu::commit_copies();
}
template <class Group, class T>
void memcpy_async(const Group& group, T* to, const T* from, size_t bytes)
{
    for (size_t at = group.thread_rank(); at < bytes / sizeof(T); at += group.size())
        nestbed::cpu::copy_beside(to + at, from + at, sizeof(T));
    nestbed::cpu::commit_copies();
}
// As many as both have.
template <class Group, class Value, class ToCount, class FromCount>
void memcpy_async(const Group& group, Value* to, const ToCount& to_count, const Value* from,
                  const FromCount& from_count)
{
    const size_t most = to_count, others = from_count;
    memcpy_async(group, to, from, (most < others ? most : others) * sizeof(Value));
}
// Waits for all copies but those of the last `prior` calls.
template <unsigned prior, class Group>
void wait_prior(const Group& group, NESTBED_PLACE)
{
    nestbed::cpu::wait_for_copies(prior);
    sync(group, file, line);
}
template <class Group>
void wait(const Group& group, NESTBED_PLACE)
{
    wait_prior<0>(group, file, line);
}
// NOLINTEND

} // namespace cooperative_groups
