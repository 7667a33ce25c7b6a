#include "workloads/mandelbrot/mandelbrot_reference.hpp"

#include "base/parallel.hpp"
#include "workloads/mandelbrot/descriptor.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace nestbed
{

namespace
{

// The corners of the window: left, right, bottom, top.
struct Corners {
    double left, right, bottom, top;
};
Corners corners_of(InputKind input)
{
    if (input == MandelbrotInput::interior) // of the cardioid: one dwell everywhere
        return {-0.4, 0.0, -0.2, 0.2};
    if (input == MandelbrotInput::exterior) // no point of the set
        return {0.5, 1.5, 0.5, 1.5};
    if (input == MandelbrotInput::dust) // a valley between the cardioid and the disk: fine structure at every scale
        return {-0.76, -0.74, 0.09, 0.11};
    return {-1.5, 0.5, -1.0, 1.0};
}

// The dwell of a point: the iterations of z = z * z + c from 0 until |z| >= 2, at most `most`. Every rounding is fixed
// by fma(), so that device and host agree bit by bit. `fma` makes GCC use the instruction where the processor has it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("fma", "default")))
#endif
unsigned
dwell_at(float cx, float cy, unsigned most)
{
    float x = 0;
    float y = 0;
    unsigned dwell = 0;
    while (dwell < most && __builtin_fmaf(x, x, y * y) < 4.0F) {
        const float rest = __builtin_fmaf(y, y, -cx);
        y = __builtin_fmaf(x + x, y, cy);
        x = __builtin_fmaf(x, x, -rest);
        ++dwell;
    }
    return dwell;
}

class Recursion
{
  public:
    explicit Recursion(const Case& point)
        : point_(point), window_(window_of(point)), dwells_(point.elements, kUnknown)
    {
    }

    MandelbrotReference run()
    {
        const Region whole{0, 0, point_.nx, point_.ny};
        const std::size_t roots =
            std::size_t{point_[MandelbrotParameter::division]} * point_[MandelbrotParameter::division];
        // Every part of the image has a tree of its own: they are made on all cores, then joined.
        std::vector<std::vector<RegionNode>> trees(roots);
        std::atomic<std::size_t> next = 0;
        std::atomic<std::uint64_t> iterations = 0;
        for_ranges(kEveryCore, [&](std::size_t /*first*/, std::size_t /*end*/) {
            std::uint64_t mine = 0;
            for (std::size_t root = next++; root < roots; root = next++) {
                std::vector<RegionNode>& tree = trees[root];
                tree.push_back({.region = part_of_region(whole, point_[MandelbrotParameter::division],
                                                         static_cast<unsigned>(root)),
                                .depth = 0});
                for (std::size_t index = 0; index < tree.size(); ++index)
                    visit(tree, index, mine);
            }
            iterations += mine;
        });
        MandelbrotReference reference;
        reference.nodes.resize(roots);
        for (std::size_t root = 0; root < roots; ++root) {
            // All nodes of a tree but its root go behind what is there.
            const auto base = static_cast<std::uint32_t>(reference.nodes.size() - 1);
            for (std::size_t index = 0; index < trees[root].size(); ++index) {
                RegionNode node = trees[root][index];
                node.first_part += base;
                if (index == 0)
                    reference.nodes[root] = node;
                else
                    reference.nodes.push_back(node);
            }
        }
        reference.dwells = std::move(dwells_);
        reference.iterations = iterations;
        return reference;
    }

  private:
    static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
    static constexpr std::size_t kEveryCore = std::size_t{1} << 24; // more than for_ranges() gives one thread

    std::uint32_t dwell(unsigned x, unsigned y, std::uint64_t& iterations)
    {
        std::uint32_t& known = dwells_[std::size_t{y} * point_.nx + x];
        if (known == kUnknown) {
            known = dwell_at(__builtin_fmaf(static_cast<float>(x), window_.step_x, window_.left),
                             __builtin_fmaf(static_cast<float>(y), window_.step_y, window_.bottom), max_dwell_);
            iterations += known;
        }
        return known;
    }

    bool uniform(const Region& region, std::uint64_t& iterations)
    {
        const std::uint32_t first = dwell(region.x, region.y, iterations);
        bool same = true;
        for (unsigned x = 0; x < region.width && same; ++x)
            same = dwell(region.x + x, region.y, iterations) == first &&
                   dwell(region.x + x, region.y + region.height - 1, iterations) == first;
        for (unsigned y = 0; y < region.height && same; ++y)
            same = dwell(region.x, region.y + y, iterations) == first &&
                   dwell(region.x + region.width - 1, region.y + y, iterations) == first;
        return same;
    }

    void visit(std::vector<RegionNode>& tree, std::size_t index, std::uint64_t& iterations)
    {
        const Region region = tree[index].region;
        const std::uint8_t depth = tree[index].depth;
        if (is_empty(region)) {
            tree[index].fate = RegionFate::filled;
        } else if (uniform(region, iterations)) {
            tree[index].fate = RegionFate::filled;
            const std::uint32_t value = dwell(region.x, region.y, iterations);
            for (unsigned y = 0; y < region.height; ++y)
                for (unsigned x = 0; x < region.width; ++x)
                    dwells_[std::size_t{region.y + y} * point_.nx + region.x + x] = value;
        } else if (!may_divide(region, fanout_, point_[MandelbrotParameter::grain])) {
            tree[index].fate = RegionFate::computed;
            for (unsigned y = 0; y < region.height; ++y)
                for (unsigned x = 0; x < region.width; ++x)
                    dwell(region.x + x, region.y + y, iterations);
        } else {
            tree[index].fate = RegionFate::divided;
            tree[index].first_part = static_cast<std::uint32_t>(tree.size());
            for (unsigned part = 0; part < fanout_ * fanout_; ++part)
                if (const Region smaller = part_of_region(region, fanout_, part); !is_empty(smaller)) {
                    tree.push_back({.region = smaller, .depth = static_cast<std::uint8_t>(depth + 1)});
                    ++tree[index].parts;
                }
        }
    }

    const Case& point_;
    std::uint32_t max_dwell_ = point_[MandelbrotParameter::dwell];
    std::uint32_t fanout_ = point_[MandelbrotParameter::fanout];
    PlaneWindow window_;
    std::vector<std::uint32_t> dwells_;
};

} // namespace

PlaneWindow window_of(const Case& point)
{
    const Corners corners = corners_of(point.input);
    return {.left = static_cast<float>(corners.left),
            .bottom = static_cast<float>(corners.bottom),
            .step_x = static_cast<float>((corners.right - corners.left) / point.nx),
            .step_y = static_cast<float>((corners.top - corners.bottom) / point.ny)};
}

MandelbrotReference mandelbrot_reference(const Case& point)
{
    return Recursion(point).run();
}

std::uint32_t max_mandelbrot_levels(const Case& point)
{
    std::uint32_t levels = 0;
    Region region =
        part_of_region({0, 0, point.nx, point.ny}, point[MandelbrotParameter::division], 0); // no part is larger
    for (; may_divide(region, point[MandelbrotParameter::fanout], point[MandelbrotParameter::grain]); ++levels)
        region = part_of_region(region, point[MandelbrotParameter::fanout], 0);
    return levels;
}

std::uint32_t dwell_of_pixel(const Case& point, std::uint64_t index)
{
    const PlaneWindow window = window_of(point);
    const std::uint64_t row = index / point.nx;
    return dwell_at(__builtin_fmaf(static_cast<float>(index % point.nx), window.step_x, window.left),
                    __builtin_fmaf(static_cast<float>(row), window.step_y, window.bottom),
                    point[MandelbrotParameter::dwell]);
}

void mandelbrot_requests(const MandelbrotReference& reference, const Case& point, bool naive, const ItemBlock& block,
                         std::vector<ChildRequest>& requests)
{
    constexpr std::uint64_t kTasks = 4;
    const auto item_of = [](std::uint64_t node, RegionTask task) {
        return node * kTasks + static_cast<std::uint64_t>(task);
    };
    const std::uint64_t index = block.depth == 0 ? block.item : block.item / kTasks;
    const auto task = block.depth == 0 ? RegionTask::test : static_cast<RegionTask>(block.item % kTasks);
    const RegionNode& node = reference.nodes[index];
    if (task != RegionTask::test || is_empty(node.region) || block.block != 0)
        return;
    const std::uint64_t pixels = std::uint64_t{node.region.width} * node.region.height;
    if (node.fate == RegionFate::divided) {
        std::uint32_t next = node.first_part;
        const unsigned fanout = point[MandelbrotParameter::fanout];
        for (unsigned part = 0; part < fanout * fanout; ++part)
            if (!is_empty(part_of_region(node.region, fanout, part))) {
                const unsigned border = border_pixels(reference.nodes[next].region);
                requests.push_back({part, item_of(next, RegionTask::test), std::min(border, point.block)});
                ++next;
            }
    } else if (naive) {
        requests.push_back(
            {0, item_of(index, node.fate == RegionFate::filled ? RegionTask::fill : RegionTask::compute), pixels});
    }
}

} // namespace nestbed
