// Inline PTX of bulk copies: what the rewriter puts in place of an instruction. Sources: PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk",
// "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor".
#pragma once

#include "bulk_copies.hpp"
#include "ptx_async.hpp"

namespace nestbed::program
{

template <bool>
struct PtxBulkLoad : PtxAtPlace {
    template <class To, class From, class Barrier>
    void operator()(Place place, To to, From from, unsigned bytes, Barrier completes) const
    {
        bulk_copy(ptx_pointer<void, true>(to), ptx_pointer<const void>(from), bytes, ptx_mbarrier<true>(completes),
                  place);
    }
};
// To each block of the mask, at the same addresses of its shared memory.
template <bool>
struct PtxBulkLoadMulticast : PtxAtPlace {
    template <class To, class From, class Barrier>
    void operator()(Place place, To to, From from, unsigned bytes, Barrier completes, unsigned ranks) const
    {
        for_ranks(ranks & 0xFFFF, [&](unsigned rank) {
            PtxBulkLoad<true>()(place, cpu::mapped_shared_address(to, rank), from, bytes,
                                cpu::mapped_shared_address(completes, rank));
        });
    }
};
// From the block's shared memory to another one's.
template <bool, BulkOperation operation = BulkOperation::copy, BulkNumber number = BulkNumber::u8>
struct PtxBulkSend : PtxAtPlace {
    template <class To, class From, class Barrier>
    void operator()(Place place, To to, From from, unsigned bytes, Barrier completes) const
    {
        bulk_copy(ptx_pointer<void, true>(to), ptx_pointer<const void, true>(from), bytes,
                  ptx_mbarrier<true>(completes), place, operation, number);
    }
};
template <bool, BulkOperation operation = BulkOperation::copy, BulkNumber number = BulkNumber::u8>
struct PtxBulkStore : PtxAtPlace {
    template <class To, class From>
    void operator()(Place place, To to, From from, unsigned bytes) const
    {
        bulk_copy(ptx_pointer<void>(to), ptx_pointer<const void, true>(from), bytes, nullptr, place, operation,
                  number);
    }
};
template <class Map, class... Coordinates>
TileAt ptx_tile(Map map, Coordinates... at)
{
    return {ptx_pointer<const CUtensorMap_st>(map), sizeof...(at), {ptx_converted<int>(at)...}};
}
// Operands are the coordinates between others.
template <unsigned rank>
struct PtxTileLoad : PtxAtPlace {
    template <class... Operands>
    void operator()(Place place, Operands&&... operands) const
    {
        load(place, std::forward_as_tuple(operands...), std::make_index_sequence<rank>());
    }

  private:
    template <class All, std::size_t... at>
    static void load(Place place, const All& all, std::index_sequence<at...>)
    {
        const TileAt tile = ptx_tile(std::get<1>(all), std::get<2 + at>(all)...);
        const auto to = ptx_converted<unsigned>(std::get<0>(all));
        const auto completes = ptx_converted<unsigned>(std::get<2 + rank>(all));
        if constexpr (std::tuple_size<All>::value == 3 + rank)
            tile_to_shared(ptx_pointer<void, true>(to), tile, ptx_mbarrier<true>(completes), place);
        else
            for_ranks(ptx_converted<unsigned>(std::get<3 + rank>(all)) & 0xFFFF, [&](unsigned block) {
                tile_to_shared(ptx_pointer<void, true>(cpu::mapped_shared_address(to, block)), tile,
                               ptx_mbarrier<true>(cpu::mapped_shared_address(completes, block)), place);
            });
    }
};
template <unsigned rank, BulkOperation operation = BulkOperation::copy>
struct PtxTileStore : PtxAtPlace {
    template <class... Operands>
    void operator()(Place place, Operands&&... operands) const
    {
        store(place, std::forward_as_tuple(operands...), std::make_index_sequence<rank>());
    }

  private:
    template <class All, std::size_t... at>
    static void store(Place place, const All& all, std::index_sequence<at...>)
    {
        tile_to_global(ptx_tile(std::get<0>(all), std::get<1 + at>(all)...),
                       ptx_pointer<const void, true>(ptx_converted<unsigned>(std::get<1 + rank>(all))), place,
                       operation);
    }
};
template <bool>
struct PtxCommitBulk {
    void operator()() const { cpu::commit_bulk_copies(); }
};
template <bool>
struct PtxWaitBulk {
    void operator()(unsigned prior) const { cpu::wait_for_bulk_copies(prior, false); }
};
template <bool>
struct PtxWaitBulkRead {
    void operator()(unsigned prior) const { cpu::wait_for_bulk_copies(prior, true); }
};
template <bool>
struct PtxFenceProxyAsync {
    void operator()() const { cpu::fence_async_proxy(); }
};

} // namespace nestbed::program
