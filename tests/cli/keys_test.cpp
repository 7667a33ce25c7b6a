// The keys of cases never change: every case of every manifest that is kept in results/ has the same text and the same
// key today. The defaults of workloads, which are part of them. It needs the real strategies.
#include "log/logged_case.hpp"
#include "log/run_identity.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "support/plan_support.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace nestbed
{
namespace
{

TEST(Keys, OfEveryCaseOfEveryKeptManifestAreThoseThatItHas)
{
    std::size_t manifests = 0;
    std::set<std::string> keys;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(NESTBED_EXPERIMENTS "/../results")) {
        const std::string path = entry.path().string();
        // quadrature is the workload of the tutorial, which this program does not have.
        if (!path.ends_with(".csv.json") || path.find("/local/") != std::string::npos ||
            path.ends_with("/quadrature.csv.json"))
            continue;
        SCOPED_TRACE(path);
        ++manifests;
        const nlohmann::ordered_json manifest = nlohmann::ordered_json::parse(std::ifstream(path));
        for (const auto& run : manifest.at("runs")) {
            const RunIdentity identity = identity_from_json(run, manifest.at("plans"));
            const auto executor = identity.backends.find("cpu");
            const std::string schedule = executor == identity.backends.end() ? "" : executor->second.schedule;
            for (const PlannedCase& planned : identity.cases) {
                const Case point = case_of_settings(planned.settings, path);
                ASSERT_EQ(settings_text(point), planned.settings);
                ASSERT_EQ(key_of(point, schedule), planned.key) << planned.settings;
                keys.insert(planned.key);
            }
        }
    }
    EXPECT_GE(manifests, 42U);
    EXPECT_GE(keys.size(), 7000U);
}

TEST(Defaults, OfAWorkloadAreItsOwn)
{
    const std::vector<std::pair<std::string, std::string>> defaults{
        {"icp_launches",
         "elements=4194304 block=1024 leaves=128 leaf-points=20480 near-every=64 iterations=16 input=waves"},
        {"refine_children", "time-steps=8 block=128 division=16 levels=6 cell-work=64 input=front"},
        {"tenants_children",
         "tenant-count=64 block=128 level-nodes=256 levels=16 node-work=64 input=together arrival-gap-us= "
         "wave=auto"}, // they arrive at once
        {"tenants_streams", "streams=16"},
        {"tenants_levels", "streams="},
        {"tenants_children --input poisson", "arrival-gap-us=10 wave=1 streams=64"}};
    for (const auto& [said, cells] : defaults) {
        SCOPED_TRACE(said);
        const Case point = plan_of(("--backend cpu --strategy " + said).c_str()).groups.front().cases.front();
        std::map<std::string, std::string> row;
        for (const Axis& axis : plain_axes())
            row.emplace(axis.name, cell_of(axis, point));
        expect_cells(row, cells);
    }
}

} // namespace
} // namespace nestbed
