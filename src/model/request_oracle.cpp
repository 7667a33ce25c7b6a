#include "model/request_oracle.hpp"

#include <algorithm>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kWarpThreads = 32;

struct RequestedItem {
    std::uint64_t item;
    std::uint32_t blocks;
};

// A grid of the recursion: its blocks are those of its items, one item after another.
struct RequestGrid {
    std::uint64_t root; // the root block that it descends from
    std::vector<RequestedItem> items;
};

// Collects the items of a group, in the order of blocks and threads, and launches them as one grid.
class RequestLevel
{
  public:
    explicit RequestLevel(RequestCounts& counts) : counts_(counts) {}

    void add(const RequestedItem& item) { group_.push_back(item); }
    void launch(std::uint64_t root)
    {
        if (group_.empty())
            return;
        for (const RequestedItem& item : group_)
            counts_.blocks += item.blocks;
        grids_.push_back({root, std::move(group_)});
        group_.clear();
    }
    std::vector<RequestGrid> take() { return std::move(grids_); }

  private:
    RequestCounts& counts_;
    std::vector<RequestedItem> group_;
    std::vector<RequestGrid> grids_;
};

} // namespace

RequestOracle count_requests(const Case& point, std::uint32_t roots,
                             const std::function<void(const ItemBlock&, std::vector<ChildRequest>&)>& requests)
{
    RequestOracle oracle;
    const std::uint32_t group_blocks = blocks_per_group(point.aggregate);
    const std::uint32_t coarsen = std::max(1U, point.coarsen);
    oracle.launches.by_root.assign(roots, 0);
    RequestGrid root_grid{0, {}};
    for (std::uint32_t block = 0; block < roots; ++block)
        root_grid.items.push_back({block, 1});
    std::vector<RequestGrid> level{std::move(root_grid)};
    std::vector<ChildRequest> wanted;
    for (unsigned depth = 0; !level.empty(); ++depth) {
        RequestLevel next(oracle.counts);
        for (const RequestGrid& grid : level) {
            std::uint64_t block_of_grid = 0;
            std::uint64_t root = grid.root;
            for (const RequestedItem& item : grid.items) {
                root = depth == 0 ? item.item : grid.root;
                for (std::uint32_t block = 0; block < item.blocks; ++block) {
                    wanted.clear();
                    requests({.depth = depth, .item = item.item, .block = block, .blocks = item.blocks}, wanted);
                    oracle.counts.items += wanted.size();
                    std::uint32_t warp = 0;
                    for (const ChildRequest& request : wanted) {
                        if (request.threads < point.threshold || (point.depth && depth >= *point.depth))
                            continue;
                        if (point.aggregate == Aggregate::warp && request.thread / kWarpThreads != warp) {
                            next.launch(root);
                            warp = request.thread / kWarpThreads;
                        }
                        next.add({request.item, blocks_for(request.threads, point.block, coarsen)});
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
        for (const RequestGrid& grid : level)
            ++oracle.launches.by_root[grid.root];
    }
    for (const std::uint64_t launches : oracle.launches.by_depth)
        oracle.counts.widest = std::max(oracle.counts.widest, launches);
    return oracle;
}

RequestOracle
count_rounds(const Case& point, std::uint32_t roots, std::size_t rounds,
             const std::function<void(std::size_t round, std::uint32_t block, std::vector<ChildRequest>&)>& requests)
{
    RequestOracle all;
    all.launches.by_root.assign(roots, 0);
    for (std::size_t round = 0; round < rounds; ++round) {
        const RequestOracle one =
            count_requests(point, roots, [&](const ItemBlock& block, std::vector<ChildRequest>& out) {
                if (block.depth == 0)
                    requests(round, static_cast<std::uint32_t>(block.item), out);
            });
        all.counts.items += one.counts.items;
        all.counts.blocks += one.counts.blocks;
        all.counts.widest = std::max(all.counts.widest, one.counts.widest);
        all.launches.by_depth.resize(std::max(all.launches.by_depth.size(), one.launches.by_depth.size()));
        for (std::size_t depth = 0; depth < one.launches.by_depth.size(); ++depth)
            all.launches.by_depth[depth] += one.launches.by_depth[depth];
        for (std::uint32_t root = 0; root < roots; ++root)
            all.launches.by_root[root] = std::max(all.launches.by_root[root], one.launches.by_root[root]);
    }
    return all;
}

} // namespace nestbed
