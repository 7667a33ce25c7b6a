// The keys of cases never change: every case of every manifest that is kept in results/ has the same text and the same
// key today. It needs the real strategies.
#include "log/logged_case.hpp"
#include "log/run_identity.hpp"
#include "model/case_text.hpp"
#include "support/support.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
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

} // namespace
} // namespace nestbed
