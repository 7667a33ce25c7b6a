#include "workloads/tenants/tenants_reference.hpp"

#include "base/parallel.hpp"
#include "base/split_mix.hpp"
#include "workloads/tenants/descriptor.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 28;
constexpr std::size_t kEveryCore = std::size_t{1} << 24; // more than for_ranges() gives one thread

// Numbers that the seed decides.
enum Drawn : std::uint8_t { root_number, level_count, first_width, gap, numbers };
std::uint64_t drawn(const Case& point, std::uint64_t tenant, Drawn what)
{
    return split_mix(point.seed, tenant * numbers + what);
}

std::uint32_t uniform(std::uint64_t drawn, std::uint32_t least, std::uint32_t most)
{
    return least + static_cast<std::uint32_t>(drawn % (most - least + 1));
}

Tenant draw_tenant(const Case& point, std::uint64_t tenant)
{
    Tenant made{};
    made.root = static_cast<std::uint32_t>(drawn(point, tenant, root_number));
    made.levels = uniform(drawn(point, tenant, level_count), (point[TenantsParameter::levels] + 1) / 2,
                          point[TenantsParameter::levels]);
    made.width = uniform(drawn(point, tenant, first_width), (point[TenantsParameter::level_nodes] + 1) / 2,
                         point[TenantsParameter::level_nodes] + point[TenantsParameter::level_nodes] / 2);
    return made;
}

// The levels of a tenant, one after another.
void follow(const Tenant& tenant, std::uint32_t rounds, std::vector<std::uint32_t>& widths, std::uint64_t& sum)
{
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t index = 0; index < tenant.width; ++index)
        nodes.push_back(child_of(tenant.root, index, true));
    std::vector<std::uint32_t> next;
    for (std::uint32_t level = 1; level <= tenant.levels; ++level) {
        widths.push_back(static_cast<std::uint32_t>(nodes.size()));
        const std::uint64_t rate = child_rate(tenant.width, widths.back());
        next.clear();
        for (const std::uint32_t node : nodes) {
            const std::uint32_t value = value_of_node(node, rounds);
            sum += term_of(value);
            for (std::uint32_t child = 0; child < children_of(node, value, rate); ++child)
                next.push_back(child_of(value, child, (node & kKeeper) != 0));
        }
        nodes.swap(next);
    }
}

} // namespace

std::string why_no_tenants(const Case& point)
{
    if (point[TenantsParameter::tenant_count] > kMaxTenants)
        return std::to_string(point[TenantsParameter::tenant_count]) + " tenants; allowed: at most " +
               std::to_string(kMaxTenants);
    if (const std::uint64_t nodes = std::uint64_t{point[TenantsParameter::tenant_count]} *
                                    point[TenantsParameter::level_nodes] * point[TenantsParameter::levels];
        nodes > kMaxNodes)
        return "about " + std::to_string(nodes) + " nodes of all tenants; allowed: at most " +
               std::to_string(kMaxNodes);
    return "";
}

std::uint64_t TenantsReference::nodes(std::size_t tenant) const
{
    return std::accumulate(widths[tenant].begin(), widths[tenant].end(), std::uint64_t{0});
}

std::uint64_t TenantsReference::nodes() const
{
    std::uint64_t all = 0;
    for (std::size_t tenant = 0; tenant < tenants.size(); ++tenant)
        all += nodes(tenant);
    return all;
}

std::vector<std::uint64_t> tenant_arrivals_ns(const Case& point)
{
    std::vector<std::uint64_t> arrivals(point[TenantsParameter::tenant_count], 0);
    if (point.input != TenantsInput::poisson)
        return arrivals;
    constexpr double kNsPerUs = 1000; // the gaps: inversion of their distribution
    double now = 0;
    for (std::uint64_t tenant = 0; tenant < point[TenantsParameter::tenant_count]; ++tenant) {
        const double uniform = (static_cast<double>(drawn(point, tenant, gap) >> 11) + 1) * 0x1p-53; // (0, 1]
        now -= std::log(uniform) * point[TenantsParameter::arrival_gap_us] * kNsPerUs;
        arrivals[tenant] = static_cast<std::uint64_t>(now);
    }
    return arrivals;
}

TenantsReference tenants_reference(const Case& point)
{
    TenantsReference reference;
    for (std::uint64_t tenant = 0; tenant < point[TenantsParameter::tenant_count]; ++tenant)
        reference.tenants.push_back(draw_tenant(point, tenant));
    reference.widths.resize(point[TenantsParameter::tenant_count]);
    reference.sums.assign(point[TenantsParameter::tenant_count], 0);
    std::atomic<std::size_t> next = 0;
    for_ranges(kEveryCore, [&](std::size_t /*first*/, std::size_t /*end*/) {
        for (std::size_t tenant = next++; tenant < point[TenantsParameter::tenant_count]; tenant = next++)
            follow(reference.tenants[tenant], point[TenantsParameter::node_work], reference.widths[tenant],
                   reference.sums[tenant]);
    });
    for (std::size_t tenant = 0; tenant < point[TenantsParameter::tenant_count]; ++tenant) {
        reference.tenants[tenant].first = static_cast<std::uint32_t>(reference.places);
        reference.tenants[tenant].capacity = *std::ranges::max_element(reference.widths[tenant]);
        reference.places += 2 * std::uint64_t{reference.tenants[tenant].capacity};
    }
    return reference;
}

ExpectedLaunches count_tenant_launches(const TenantsReference& reference, std::uint32_t threshold)
{
    ExpectedLaunches form;
    form.root_blocks = static_cast<std::uint32_t>(reference.tenants.size());
    for (const std::vector<std::uint32_t>& widths : reference.widths) {
        const auto launches = static_cast<std::size_t>(
            std::ranges::count_if(widths, [&](std::uint32_t width) { return width > threshold; }));
        if (form.by_depth.size() < launches)
            form.by_depth.resize(launches, 0);
        for (std::size_t depth = 0; depth < launches; ++depth)
            ++form.by_depth[depth];
    }
    return form;
}

std::uint64_t count_tenant_blocks(const TenantsReference& reference, std::uint32_t threads, std::uint32_t threshold)
{
    std::uint64_t blocks = reference.tenants.size();
    for (const std::vector<std::uint32_t>& widths : reference.widths)
        for (const std::uint32_t width : widths)
            if (width > threshold)
                blocks += (width - 1) / threads + 1;
    return blocks;
}

} // namespace nestbed
