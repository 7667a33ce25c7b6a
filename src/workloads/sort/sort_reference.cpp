#include "workloads/sort/sort_reference.hpp"

#include "base/parallel.hpp"
#include "base/split_mix.hpp"
#include "workloads/sort/descriptor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kFewKeys = 16;

// In [0, 1), in steps of 2^-53.
double unit_number(std::uint64_t drawn)
{
    return static_cast<double>(drawn >> 11) * 0x1p-53;
}

// A key over the whole range of the type. float32: whole multiples of 2^-23, without -0.
std::uint32_t uniform_key(ElementType type, std::uint64_t drawn)
{
    constexpr int kBits = 24;
    if (type != ElementType::float32)
        return static_cast<std::uint32_t>(drawn >> 32);
    const auto step = static_cast<std::int32_t>(drawn >> (64 - kBits)) - (1 << (kBits - 1));
    return std::bit_cast<std::uint32_t>(static_cast<float>(step) * 0x1p-23F);
}

std::uint32_t whole_number_key(ElementType type, std::uint64_t number)
{
    return type == ElementType::float32 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
                                        : static_cast<std::uint32_t>(number);
}

std::uint32_t drawn_key(const Case& point, std::uint64_t index)
{
    const std::uint64_t drawn = split_mix(point.seed, index);
    if (point.input == SortInput::equal)
        return uniform_key(point.type, split_mix(point.seed, 0));
    if (point.input == SortInput::few)
        return uniform_key(point.type, split_mix(point.seed, drawn % kFewKeys));
    if (point.input == SortInput::zipf) // of a continuous distribution with density 1 / x
        return whole_number_key(point.type, static_cast<std::uint64_t>(
                                                std::pow(static_cast<double>(point.elements), unit_number(drawn))));
    return uniform_key(point.type, drawn);
}

// The parts of a recursion as items: an item is the index of a part, and its task.
constexpr unsigned kStepBits = 3;

class SortRecursion
{
  public:
    SortRecursion(const Case& point, SortForm form, const std::vector<std::uint32_t>& ranks)
        : point_(point), form_(form), ranks_(ranks)
    {
        const SortPart whole = whole_input(static_cast<std::uint32_t>(point.elements));
        add(whole, step_of(whole, point[SortParameter::grain]));
    }

    std::uint64_t divisions() const { return divisions_; }

    // The last block of an item to arrive requests what follows; for the oracle it is the item's last one.
    void requests(const ItemBlock& block, std::vector<ChildRequest>& out)
    {
        if (block.depth != 0 && block.block + 1 != block.blocks)
            return;
        const std::uint64_t item = block.depth == 0 ? root_ : block.item;
        const SortPart part = parts_[item >> kStepBits];
        const auto step = static_cast<SortStep>(item & ((1U << kStepBits) - 1));
        out_ = &out;
        if (step == SortStep::divide && form_ == SortForm::kway)
            count(item, part);
        else if (step == SortStep::divide)
            divide_by_two(part);
        else if (step == SortStep::scatter)
            scatter(part);
    }

  private:
    std::uint64_t add(const SortPart& part, SortStep step)
    {
        divisions_ += step == SortStep::divide ? 1 : 0;
        parts_.push_back(part);
        const std::uint64_t item = (parts_.size() - 1) << kStepBits | static_cast<std::uint64_t>(step);
        root_ = parts_.size() == 1 ? item : root_;
        return item;
    }
    void want(std::uint32_t thread, const SortPart& part)
    {
        if (const SortStep step = step_of(part, point_[SortParameter::grain]); step != SortStep::none)
            out_->push_back({thread, add(part, step), sort_threads(part.count)});
    }

    std::uint32_t below(const SortPart& part, std::uint64_t rank) const // index of the first key that is not
    {
        const auto begin = ranks_.begin() + part.first;
        return static_cast<std::uint32_t>(std::lower_bound(begin, begin + part.count, rank) - ranks_.begin());
    }
    SortPart narrowed(SortPart part) const
    {
        part.least = ranks_[part.first];
        part.most = ranks_[part.first + part.count - 1];
        return part;
    }

    void count(std::uint64_t item, const SortPart& part)
    {
        const SortDigits digits = digits_of(part, point_[SortParameter::fanout], point_[SortParameter::grain]);
        const SortPart narrow = narrowed(part);
        if (digit_of(part, digits, narrow.least) == digit_of(part, digits, narrow.most)) {
            want(0, narrow);
            return;
        }
        const std::uint64_t scatter =
            (item >> kStepBits) << kStepBits | static_cast<std::uint64_t>(SortStep::scatter);
        out_->push_back({0, scatter, sort_threads(part.count)});
    }
    void scatter(const SortPart& part)
    {
        const SortDigits digits = digits_of(part, point_[SortParameter::fanout], point_[SortParameter::grain]);
        std::uint32_t first = part.first;
        for (std::uint32_t digit = 0; digit < digits.parts; ++digit) {
            const std::uint64_t end = part.least + (std::uint64_t{digit + 1} << digits.shift);
            const std::uint32_t next = end > part.most ? part.first + part.count : below(part, end);
            if (next != first)
                want(digit, part_of(part, digits, digit, first, next - first));
            first = next;
        }
    }
    void divide_by_two(const SortPart& part)
    {
        const std::uint32_t middle = below(part, std::uint64_t{middle_of(part)} + 1);
        const std::uint32_t lower = middle - part.first;
        const auto half = [&](const SortPart& range) { return form_ == SortForm::binary ? narrowed(range) : range; };
        if (lower != 0)
            want(0, half({part.first, lower, part.least, middle_of(part), next_place(part.place)}));
        if (lower != part.count)
            want(1, half({middle, part.count - lower, middle_of(part) + 1, part.most, next_place(part.place)}));
    }

    const Case& point_;
    SortForm form_;
    const std::vector<std::uint32_t>& ranks_;
    std::vector<SortPart> parts_;
    std::vector<ChildRequest>* out_ = nullptr;
    std::uint64_t root_ = 0;
    std::uint64_t divisions_ = 0;
};

// Quicksort in place by the middle key, as the device does it: a launch for each side that is longer than one key.
RequestOracle count_simple(const Case& point, const std::vector<std::uint32_t>& keys, KeyOrder order)
{
    struct Side {
        std::uint32_t first, count;
        unsigned depth;
    };
    std::vector<std::uint32_t> ranks(keys.size());
    std::ranges::transform(keys, ranks.begin(), [&](std::uint32_t bits) { return order.rank(bits); });
    RequestOracle oracle;
    std::deque<Side> sides{{0, static_cast<std::uint32_t>(ranks.size()), 0}};
    for (; !sides.empty(); sides.pop_front()) {
        const Side side = sides.front();
        if (side.count <= point[SortParameter::grain] || (point.depth && side.depth >= *point.depth))
            continue;
        std::uint32_t* const begin = ranks.data() + side.first;
        const SortHalves halves = divide_in_place(
            side.count, [begin](std::uint32_t index) { return begin[index]; },
            [begin](std::uint32_t one, std::uint32_t other) { std::swap(begin[one], begin[other]); });
        oracle.launches.by_depth.resize(std::max<std::size_t>(oracle.launches.by_depth.size(), side.depth + 1));
        for (const auto& [first, count] : {std::pair<std::uint32_t, std::uint32_t>{side.first, halves.lower},
                                           {side.first + halves.upper, side.count - halves.upper}}) {
            if (count < 2)
                continue;
            ++oracle.launches.by_depth[side.depth];
            sides.push_back({first, count, side.depth + 1});
        }
    }
    if (!oracle.launches.by_depth.empty() && oracle.launches.by_depth.back() == 0)
        oracle.launches.by_depth.pop_back();
    oracle.launches.by_root.assign(1, oracle.launches.total());
    for (const std::uint64_t launches : oracle.launches.by_depth)
        oracle.counts.widest = std::max(oracle.counts.widest, launches);
    return oracle;
}

} // namespace

std::vector<std::uint32_t> sort_keys(const Case& point)
{
    std::vector<std::uint32_t> keys(point.elements);
    for_ranges(keys.size(), [&](std::size_t first, std::size_t end) {
        for (std::size_t index = first; index < end; ++index)
            keys[index] = drawn_key(point, index);
    });
    const KeyOrder order = key_order(point.type);
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return order.rank(a) < order.rank(b); };
    if (point.input == SortInput::sorted || point.input == SortInput::reversed)
        std::ranges::sort(keys, before);
    if (point.input == SortInput::reversed)
        std::ranges::reverse(keys);
    if (point.input == SortInput::organ_pipe) {
        const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2);
        std::sort(keys.begin(), middle, before);
        std::sort(middle, keys.end(), [&](std::uint32_t a, std::uint32_t b) { return before(b, a); });
    }
    return keys;
}

std::vector<std::uint32_t> sorted_ranks(const std::vector<std::uint32_t>& keys, KeyOrder order)
{
    std::vector<std::uint32_t> ranks(keys.size());
    std::ranges::transform(keys, ranks.begin(), [&](std::uint32_t bits) { return order.rank(bits); });
    std::ranges::sort(ranks);
    return ranks;
}

std::uint32_t sort_roots(const Case& point)
{
    return blocks_for(sort_threads(static_cast<std::uint32_t>(point.elements)), point.block,
                      std::max(1U, point.coarsen));
}

std::uint64_t useful_sort_blocks(const Case& point)
{
    return sort_roots(point) + 8 * point.elements / (3 * std::uint64_t{point[SortParameter::grain]});
}

RequestOracle count_sort(const Case& point, SortForm form, const std::vector<std::uint32_t>& keys,
                         const std::vector<std::uint32_t>& ranks)
{
    if (form == SortForm::flat)
        return {};
    if (form == SortForm::simple)
        return count_simple(point, keys, key_order(point.type));
    SortRecursion recursion(point, form, ranks);
    Case of = point;
    if (form == SortForm::sample)
        of.aggregate = Aggregate::none;
    RequestOracle oracle = count_requests(of, 1, [&](const ItemBlock& block, std::vector<ChildRequest>& requests) {
        recursion.requests(block, requests);
    });
    oracle.divisions = recursion.divisions();
    return oracle;
}

} // namespace nestbed
