// Bulk copies, and the maps of tensors whose tiles they copy.
#include "program/include/nestbed/program/tensor_maps.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

namespace nestbed::program
{

namespace
{

constexpr std::size_t kChunk = 16; // bytes of all addresses and sizes
constexpr std::uint32_t kMapMark = 0x544D4150;

// What a CUtensorMap has.
struct Map {
    std::uint64_t address = 0;
    std::array<std::uint64_t, kMaxTensorRank> strides{}; // in bytes, from the second dimension on
    std::array<std::uint32_t, kMaxTensorRank> last{};    // of each dimension, one less than its elements
    std::array<std::uint16_t, kMaxTensorRank> box{};     // elements of a tile
    std::array<std::uint8_t, kMaxTensorRank> steps{};
    std::uint8_t rank = 0;
    std::uint8_t number = 0; // a CUtensorMapDataType
    std::uint8_t swizzle = 0;
    std::uint8_t fills_with_nan = 0;
    std::uint32_t mark = 0;
};
static_assert(sizeof(Map) <= sizeof(CUtensorMap));

std::size_t bytes_of_number(unsigned number)
{
    static constexpr std::array<std::uint8_t, 13> kBytes = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return number < kBytes.size() ? kBytes.at(number) : 0;
}
bool is_floating(unsigned number)
{
    return number >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && number <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}
BulkNumber bulk_number(unsigned number)
{
    return number <= CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ? static_cast<BulkNumber>(number) : BulkNumber::f32;
}

// ---- changes of numbers in memory ----

template <class Bits, class Change>
void change(void* at, const Change& next)
{
    const std::atomic_ref<Bits> object(*static_cast<Bits*>(at));
    for (Bits old = object.load(std::memory_order_relaxed); !object.compare_exchange_weak(old, next(old));) {
    }
}
// As double, in which the sum of two is exact.
double half_of(std::uint16_t bits)
{
    const int exponent = bits >> 10U & 0x1F;
    const int rest = bits & 0x3FF;
    const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
    if (exponent == 0x1F)
        return rest != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    return sign * std::ldexp(exponent == 0 ? rest : rest + 0x400, (exponent == 0 ? 1 : exponent) - 25);
}
std::uint16_t bits_of_half(double number)
{
    constexpr double kInfinite = 65520; // what is rounded to infinity, and all above
    constexpr int kLeast = -14;         // the exponent of the smallest normal number
    if (std::isnan(number))
        return 0x7FFF;
    const unsigned sign = std::signbit(number) ? 0x8000U : 0;
    const double size = std::fabs(number);
    if (size >= kInfinite)
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    const int exponent = size == 0 ? kLeast : std::max(std::ilogb(size), kLeast);
    const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    return static_cast<std::uint16_t>(sign | (units + (static_cast<unsigned>(exponent - kLeast) << 10U)));
}
template <class Number, class Bits>
Number number_of_bits(Bits bits)
{
    if constexpr (sizeof(Number) == sizeof(Bits))
        return std::bit_cast<Number>(bits);
    else if constexpr (std::is_same_v<Number, double>)
        return half_of(bits);
    else // bfloat16, as a float
        return std::bit_cast<Number>(static_cast<std::uint32_t>(bits) << 16U);
}
template <class Bits, class Number>
Bits bits_of(Number number)
{
    if constexpr (sizeof(Number) == sizeof(Bits)) {
        return std::bit_cast<Bits>(number);
    } else if constexpr (std::is_same_v<Number, double>) {
        return bits_of_half(number);
    } else {
        const auto bits = std::bit_cast<std::uint32_t>(number);
        return static_cast<Bits>(std::isnan(number) ? 0x7FFFU : (bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
    }
}
template <class Number>
bool is_nan(Number number)
{
    if constexpr (std::is_floating_point_v<Number>)
        return std::isnan(number);
    else
        return false;
}
// `Sum`: the type in which numbers are added.
template <class Bits, class Number, class Sum = Number>
void reduce(void* at, const void* from, BulkOperation operation)
{
    Bits given = 0;
    std::memcpy(&given, from, sizeof given);
    change<Bits>(at, [&](Bits bits) -> Bits {
        const auto old = number_of_bits<Number>(bits);
        const auto value = number_of_bits<Number>(given);
        switch (operation) {
        case BulkOperation::add:
            return bits_of<Bits>(static_cast<Number>(static_cast<Sum>(old) + static_cast<Sum>(value)));
        case BulkOperation::min:
            return bits_of<Bits>(value < old || is_nan(old) ? value : old);
        case BulkOperation::max:
            return bits_of<Bits>(old < value || is_nan(old) ? value : old);
        case BulkOperation::inc:
            return bits >= given ? 0 : bits + 1;
        case BulkOperation::dec:
            return bits == 0 || bits > given ? given : bits - 1;
        case BulkOperation::bit_and:
            return bits & given;
        case BulkOperation::bit_or:
            return bits | given;
        case BulkOperation::bit_xor:
            return bits ^ given;
        case BulkOperation::copy:
            break;
        }
        return given;
    });
}
void reduce_number(void* at, const void* from, BulkOperation operation, BulkNumber number)
{
    switch (number) {
    case BulkNumber::u32:
        return reduce<std::uint32_t, std::uint32_t>(at, from, operation);
    case BulkNumber::s32:
        return reduce<std::uint32_t, std::int32_t, std::uint32_t>(at, from, operation);
    case BulkNumber::u64:
        return reduce<std::uint64_t, std::uint64_t>(at, from, operation);
    case BulkNumber::s64:
        return reduce<std::uint64_t, std::int64_t, std::uint64_t>(at, from, operation);
    case BulkNumber::f16:
        return reduce<std::uint16_t, double>(at, from, operation);
    case BulkNumber::bf16:
        return reduce<std::uint16_t, float>(at, from, operation);
    case BulkNumber::f32:
        return reduce<std::uint32_t, float>(at, from, operation);
    case BulkNumber::f64:
        return reduce<std::uint64_t, double>(at, from, operation);
    case BulkNumber::u8:
    case BulkNumber::u16:
        break;
    }
    fault(cudaErrorIllegalInstruction, "a bulk copy changes numbers of 8 bits or integers of 16");
}

// ---- parts of a copy, each of one piece of memory ----

struct BulkTransfer {
    const void* completes = nullptr;
    const void* place = nullptr; // in the program's code
    BulkOperation operation = BulkOperation::copy;
    BulkNumber number = BulkNumber::u8;

    // `from` nullptr: `fill`, over and over.
    void part(void* to, const void* from, std::size_t bytes, std::uint64_t fill = 0, std::size_t fill_bytes = 8) const
    {
        if (operation == BulkOperation::copy) {
            cpu::bulk_copies({to, from, bytes, completes, place});
            if (from != nullptr)
                std::memmove(to, from, bytes);
            for (std::size_t at = 0; from == nullptr && at < bytes; at += fill_bytes)
                std::memcpy(static_cast<std::byte*>(to) + at, &fill, std::min(fill_bytes, bytes - at));
            return;
        }
        const std::size_t each = bytes_of_number(static_cast<unsigned>(number));
        for (std::size_t at = 0; at < bytes; at += each) {
            void* const into = static_cast<std::byte*>(to) + at;
            const void* const of = static_cast<const std::byte*>(from) + at;
            cpu::bulk_copies({into, of, each, completes, place, true});
            reduce_number(into, of, operation, number);
        }
    }
};

void check_multiple(Place place, const char* what, std::uint64_t value, std::size_t of)
{
    if (value % of != 0)
        fault_at(place, cudaErrorMisalignedAddress,
                 fmt::format("{} of a bulk copy is {:#x}; allowed: multiples of {}", what, value, of).c_str());
}
std::uint64_t number_of_address(const void* address)
{
    return reinterpret_cast<std::uintptr_t>(address);
}

// Where 16 bytes of shared memory are: their number within the span is changed by that of the span.
std::byte* swizzled(std::byte* at, unsigned swizzle)
{
    const std::uint64_t address = number_of_address(at);
    const std::uint64_t mask = (1U << swizzle) - 1; // CU_TENSOR_MAP_SWIZZLE_32B, 64B and 128B are 1, 2 and 3
    return at + static_cast<std::ptrdiff_t>((address ^ (address >> 7U & mask) << 4U) - address);
}

const Map& map_of(const TileAt& tile, Place place, Map& map)
{
    std::memcpy(static_cast<void*>(&map), tile.map, sizeof map);
    if (map.mark != kMapMark)
        fault_at(place, cudaErrorIllegalInstruction,
                 "the tensor map of a bulk copy is not one of cuTensorMapEncodeTiled()");
    if (map.rank != tile.rank)
        fault_at(place, cudaErrorIllegalInstruction,
                 fmt::format("a bulk copy of {} dimensions has a tensor map of {}", tile.rank, map.rank).c_str());
    // Not in the guide: an H200 ends with this error, for loads and stores.
    const auto each = static_cast<std::int64_t>(bytes_of_number(map.number));
    if (tile.at[0] * each % static_cast<std::int64_t>(kChunk) != 0)
        fault_at(place, cudaErrorIllegalInstruction,
                 fmt::format("a tile begins at element {} of dimension 0, of {} bytes each; allowed: multiples of {}",
                             tile.at[0], each, static_cast<std::int64_t>(kChunk) / each)
                     .c_str());
    return map;
}

// Calls `row` for each row of the tile, with its first byte in global memory (if `is_inside`) and the number of the row.
template <class Row>
void for_each_row(const Map& map, const TileAt& tile, const Row& row)
{
    std::array<unsigned, kMaxTensorRank> index{};
    for (std::size_t number = 0;; ++number) {
        std::int64_t address = static_cast<std::int64_t>(map.address);
        bool is_inside = true;
        for (unsigned dimension = 1; dimension < map.rank; ++dimension) {
            const std::int64_t at = tile.at[dimension] + std::int64_t{index.at(dimension)} * map.steps.at(dimension);
            is_inside = is_inside && at >= 0 && at <= map.last.at(dimension);
            address += at * static_cast<std::int64_t>(map.strides.at(dimension));
        }
        row(number, address, is_inside);
        unsigned dimension = 1;
        for (; dimension < map.rank; ++dimension) {
            if (++index.at(dimension) * map.steps.at(dimension) < map.box.at(dimension))
                break;
            index.at(dimension) = 0;
        }
        if (dimension >= map.rank)
            return;
    }
}

// Calls `part` for each piece of the tile that is in one piece in shared memory too: its first byte there, its first one in global memory
// (nullptr: it is outside of the tensor) and its size.
template <class Part>
std::size_t for_each_part(const Map& map, const TileAt& tile, std::byte* shared, const Part& part)
{
    const auto each = static_cast<std::int64_t>(bytes_of_number(map.number));
    const std::int64_t bytes = map.box[0] * each;
    std::size_t rows = 0;
    for_each_row(map, tile, [&](std::size_t number, std::int64_t address, bool is_inside) {
        ++rows;
        const std::int64_t first = tile.at[0] * each;                    // of the row, in the tensor
        const std::int64_t end = (std::int64_t{map.last[0]} + 1) * each; // of the tensor
        const std::int64_t from = is_inside ? std::clamp(-first, std::int64_t{0}, bytes) : bytes;
        const std::int64_t to = is_inside ? std::clamp(end - first, from, bytes) : bytes;
        const std::int64_t piece = map.swizzle == 0 ? bytes : static_cast<std::int64_t>(kChunk);
        for (std::int64_t at = 0; at < bytes;) {
            const std::int64_t edge = at < from ? from : at < to ? to : bytes;
            const std::int64_t size = std::min(edge, (at / piece + 1) * piece) - at;
            std::byte* const chunk = shared + number * static_cast<std::size_t>(bytes) + at / piece * piece;
            part((map.swizzle == 0 ? chunk : swizzled(chunk, map.swizzle)) + at % piece,
                 at >= from && at < to
                     ? reinterpret_cast<std::byte*>(address + first + at) // NOLINT(performance-no-int-to-ptr)
                     : nullptr,
                 static_cast<std::size_t>(size));
            at += size;
        }
    });
    return rows * static_cast<std::size_t>(bytes);
}

} // namespace

void bulk_copy(void* to, const void* from, std::size_t bytes, cpu::BarrierObject* completes, Place place,
               BulkOperation operation, BulkNumber number)
{
    check_multiple(place, "the destination", number_of_address(to), kChunk);
    check_multiple(place, "the source", number_of_address(from), kChunk);
    check_multiple(place, "the size", bytes, kChunk);
    BulkTransfer{completes, __builtin_return_address(0), operation, number}.part(to, from, bytes);
    if (completes != nullptr)
        cpu::bulk_completes_at(completes, bytes);
}

void tile_to_shared(void* to, const TileAt& tile, cpu::BarrierObject* completes, Place place)
{
    Map map;
    map_of(tile, place, map);
    check_multiple(place, "the address in shared memory", number_of_address(to), 128);
    // What is outside of the tensor, of any number: a NaN has all bits set.
    const std::size_t each = bytes_of_number(map.number);
    const std::uint64_t fill = map.fills_with_nan == 0 ? 0
                               : each == 2             ? 0x7FFF
                               : each == 4             ? 0x7FFFFFFF
                                                       : ~0ULL >> 1U;
    const BulkTransfer copy{completes, __builtin_return_address(0)};
    const std::size_t bytes = for_each_part(map, tile, static_cast<std::byte*>(to),
                                            [&](std::byte* shared, const std::byte* global, std::size_t size) {
                                                copy.part(shared, global, size, fill, each);
                                            });
    cpu::bulk_completes_at(completes, bytes);
}

void tile_to_global(const TileAt& tile, const void* from, Place place, BulkOperation operation)
{
    Map map;
    map_of(tile, place, map);
    check_multiple(place, "the address in shared memory", number_of_address(from), 128);
    // Programming guide, "Using TMA to transfer multi-dimensional arrays": a stored tile may end outside of the tensor, but not begin there.
    for (unsigned dimension = 0; dimension < map.rank; ++dimension)
        if (tile.at[dimension] < 0)
            fault_at(place, cudaErrorIllegalInstruction,
                     fmt::format("a tile is stored from element {} of dimension {} on; allowed: from 0 on",
                                 tile.at[dimension], dimension)
                         .c_str());
    const BulkTransfer copy{nullptr, __builtin_return_address(0), operation, bulk_number(map.number)};
    auto* const shared = static_cast<std::byte*>(const_cast<void*>(from)); // NOLINT: it is only read
    for_each_part(map, tile, shared, [&](const std::byte* of, std::byte* global, std::size_t size) {
        if (global != nullptr)
            copy.part(global, of, size);
    });
}

} // namespace nestbed::program

using nestbed::program::kMaxTensorRank;

// NOLINTBEGIN: these names are CUDA's.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dimensions, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    using namespace nestbed::program;
    const auto refused = [](const std::string& what) {
        say(fmt::format("cuTensorMapEncodeTiled(): {}", what));
        return CUDA_ERROR_INVALID_VALUE;
    };
    const std::size_t bytes = bytes_of_number(type);
    if (map == nullptr || dimensions == nullptr || box == nullptr || steps == nullptr ||
        (rank > 1 && strides == nullptr))
        return refused("a pointer is null");
    if (number_of_address(map) % 64 != 0)
        return refused("the address of the map is not a multiple of 64");
    if (bytes == 0)
        return refused(fmt::format("the executor has no data type {}", static_cast<int>(type)));
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
        return refused("the executor has no interleaved layouts");
    if (rank == 0 || rank > kMaxTensorRank)
        return refused(fmt::format("{} dimensions; allowed: 1 to {}", rank, kMaxTensorRank));
    if (address == nullptr || number_of_address(address) % kChunk != 0)
        return refused("the address of the tensor is null, or is not a multiple of 16");
    if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return refused(fmt::format("swizzle {}; allowed on compute capability 9.0: none, 32, 64, 128 bytes",
                                   static_cast<int>(swizzle)));
    if (promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
        return refused("no such promotion");
    if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && !is_floating(type))
        return refused("integers outside of the tensor cannot be NaN");
    Map made{.address = number_of_address(address),
             .rank = static_cast<std::uint8_t>(rank),
             .number = static_cast<std::uint8_t>(type),
             .swizzle = static_cast<std::uint8_t>(swizzle),
             .fills_with_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ? std::uint8_t{0} : std::uint8_t{1},
             .mark = kMapMark};
    for (cuuint32_t at = 0; at < rank; ++at) {
        constexpr cuuint64_t kMaxElements = cuuint64_t{1} << 32U, kMaxStride = cuuint64_t{1} << 40U;
        if (dimensions[at] == 0 || dimensions[at] > kMaxElements)
            return refused(
                fmt::format("dimension {} has {} elements; allowed: 1 to {}", at, dimensions[at], kMaxElements));
        if (box[at] == 0 || box[at] > 256)
            return refused(fmt::format("the box has {} elements of dimension {}; allowed: 1 to 256", box[at], at));
        if (at != 0 && (steps[at] == 0 || steps[at] > 8))
            return refused(
                fmt::format("the elements of dimension {} have steps of {}; allowed: 1 to 8", at, steps[at]));
        if (at != 0 && (strides[at - 1] % kChunk != 0 || strides[at - 1] >= kMaxStride))
            return refused(fmt::format("the stride of dimension {} is {} bytes; allowed: multiples of 16 below 2^40",
                                       at, strides[at - 1]));
        made.last.at(at) = static_cast<std::uint32_t>(dimensions[at] - 1);
        made.box.at(at) = static_cast<std::uint16_t>(box[at]);
        made.steps.at(at) = at == 0 ? std::uint8_t{1} : static_cast<std::uint8_t>(steps[at]);
        made.strides.at(at) = at == 0 ? bytes : strides[at - 1];
    }
    const std::size_t row = box[0] * bytes;
    if (row % kChunk != 0)
        return refused(fmt::format("a row of the box has {} bytes; allowed: multiples of 16", row));
    if (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && row > std::size_t{16} << static_cast<unsigned>(swizzle))
        return refused(fmt::format("a row of the box has {} bytes; allowed with this swizzle: {}", row,
                                   std::size_t{16} << static_cast<unsigned>(swizzle)));
    *map = {};
    std::memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address)
{
    nestbed::program::Map made;
    if (map == nullptr || address == nullptr ||
        nestbed::program::number_of_address(address) % nestbed::program::kChunk != 0)
        return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(static_cast<void*>(&made), map, sizeof made);
    made.address = nestbed::program::number_of_address(address);
    std::memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long /*flags*/,
                                    cudaDriverEntryPointQueryResult* result)
{
    if (name == nullptr || function == nullptr)
        return nestbed::program::noted(cudaErrorInvalidValue, "cudaGetDriverEntryPoint() of a null pointer");
    *function = nullptr;
    if (std::string_view(name) == "cuTensorMapEncodeTiled")
        *function = reinterpret_cast<void*>(&cuTensorMapEncodeTiled);
    else if (std::string_view(name) == "cuTensorMapReplaceAddress")
        *function = reinterpret_cast<void*>(&cuTensorMapReplaceAddress);
    else
        nestbed::program::say(fmt::format("cudaGetDriverEntryPoint(): the executor has no {}", name));
    if (result != nullptr)
        *result = *function == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
    return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned /*version*/,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult* result)
{
    return cudaGetDriverEntryPoint(name, function, flags, result);
}
// NOLINTEND
