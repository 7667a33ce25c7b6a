#include "model/offers.hpp"

#include <algorithm>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kWarpThreads = 32;

struct OfferedItem {
    std::uint64_t item;
    std::uint32_t blocks;
};

// A grid of the recursion: its blocks are those of its items, one item after another.
struct OfferGrid {
    std::uint64_t root; // the root block that it descends from
    std::vector<OfferedItem> items;
};

// Collects the items of a group, in the order of blocks and threads, and launches them as one grid.
class OfferLevel
{
  public:
    explicit OfferLevel(OfferCounts& counts) : counts_(counts) {}

    void add(const OfferedItem& item) { group_.push_back(item); }
    void launch(std::uint64_t root)
    {
        if (group_.empty())
            return;
        for (const OfferedItem& item : group_)
            counts_.blocks += item.blocks;
        grids_.push_back({root, std::move(group_)});
        group_.clear();
    }
    std::vector<OfferGrid> take() { return std::move(grids_); }

  private:
    OfferCounts& counts_;
    std::vector<OfferedItem> group_;
    std::vector<OfferGrid> grids_;
};

} // namespace

OfferOracle count_offers(const Case& point, std::uint32_t roots,
                         const std::function<void(const ItemBlock&, std::vector<Wish>&)>& wishes)
{
    OfferOracle oracle;
    const std::uint32_t group_blocks = blocks_a_group(point.aggregate);
    const std::uint32_t coarsen = std::max(1U, point.coarsen);
    oracle.launches.by_root.assign(roots, 0);
    OfferGrid root_grid{0, {}};
    for (std::uint32_t block = 0; block < roots; ++block)
        root_grid.items.push_back({block, 1});
    std::vector<OfferGrid> level{std::move(root_grid)};
    std::vector<Wish> wanted;
    for (unsigned depth = 0; !level.empty(); ++depth) {
        OfferLevel next(oracle.counts);
        for (const OfferGrid& grid : level) {
            std::uint64_t block_of_grid = 0;
            std::uint64_t root = grid.root;
            for (const OfferedItem& item : grid.items) {
                root = depth == 0 ? item.item : grid.root;
                for (std::uint32_t block = 0; block < item.blocks; ++block) {
                    wanted.clear();
                    wishes({.depth = depth, .item = item.item, .block = block, .blocks = item.blocks}, wanted);
                    oracle.counts.items += wanted.size();
                    std::uint32_t warp = 0;
                    for (const Wish& wish : wanted) {
                        if (wish.threads < point.threshold || (point.depth && depth >= *point.depth))
                            continue;
                        if (point.aggregate == Aggregate::warp && wish.thread / kWarpThreads != warp) {
                            next.launch(root);
                            warp = wish.thread / kWarpThreads;
                        }
                        next.add({wish.item, blocks_wanted(wish.threads, point.block, coarsen)});
                        if (point.aggregate == Aggregate::none)
                            next.launch(root);
                    }
                    ++block_of_grid;
                    if (group_blocks != 0 && block_of_grid % group_blocks == 0)
                        next.launch(root);
                }
            }
            next.launch(root); // the last group, which may have fewer blocks
        }
        level = next.take();
        if (!level.empty())
            oracle.launches.by_depth.push_back(level.size());
        for (const OfferGrid& grid : level)
            ++oracle.launches.by_root[grid.root];
    }
    for (const std::uint64_t launches : oracle.launches.by_depth)
        oracle.counts.widest = std::max(oracle.counts.widest, launches);
    return oracle;
}

} // namespace nestbed
