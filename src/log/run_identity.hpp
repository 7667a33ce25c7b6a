// The identity of a run, as its manifest records it: everything that must be equal for rows to belong to one log.
// Pure.
#pragma once

#include "base/json.hpp"
#include "log/row.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

struct PlannedCase {
    std::string key;      // key_of()
    std::string settings; // settings_text()
    Repeats repeat;       // number of rows, if none of them ends the case (ends_case)

    friend bool operator==(const PlannedCase&, const PlannedCase&) = default;
};

struct RunIdentity {
    struct Backend {
        std::string name, driver, runtime; // name and versions of the device
        std::string machine;               // machine_of()
        std::uint32_t multiprocessors = 0; // on the executor: the number of its workers
        std::string schedule;
        Repeats repeat;
        unsigned warmup = 0;
    };
    std::string nestbed, git,
        build; // version; the build with its compilers and, if git does not identify it, its program
    std::string experiment;
    std::string title;
    std::vector<std::string> figures; // Plan::figures
    std::string expect;
    std::uint64_t order_seed = 0;
    bool untimed = false;
    bool ranges = true; // SessionOptions::ranges
    std::map<std::string, Backend> backends;
    std::map<std::string, std::string> modules; // of users' own workloads: SHA-256 by file
    std::vector<PlannedCase> cases;             // of the whole experiment, in the order of its plan
    std::string shard;                          // "2/4", the shard that the run measures; empty: all cases

    // A digest of the cases: 16 hexadecimal digits.
    std::string plan_digest() const;
};

// `whole` is the plan before it is divided into shards.
RunIdentity identity_of(const Plan& whole, const std::map<BackendKind, RunFacts>& runs, const std::string& shard,
                        bool ranges = true);

// Describes the running build, and the programs of the user that it runs. Two builds that measure differently have different texts.
std::string build_text(const std::set<std::string>& strategies, const std::set<std::string>& programs = {});

enum class Differing : std::uint8_t {
    experiment, // experiment and version, but not the devices
    device, // also the kind of device, but not which one it was; and the other run may repeat its cases more often
    anything,
};

// The reasons why rows of the two runs cannot be in one log, one line each: "repeat on cpu: 3 there, 5 here". Empty
// if they can. Shards, the title and the figures are ignored.
std::vector<std::string> differences(const RunIdentity& there, const RunIdentity& here,
                                     Differing what = Differing::anything);

// "NVIDIA H200 (132 multiprocessors, driver 580.159.04, CUDA 13.0)": the devices of a run.
std::string devices_text(const RunIdentity& record);

// The JSON of a manifest. It stores the cases separately from the run, once per plan, because a log may have many
// runs.
Json to_json(const RunIdentity& record);
Json cases_to_json(const RunIdentity& record);
// What an earlier version did not record is empty. Throws Json::exception if the JSON is something else.
RunIdentity identity_from_json(const Json& run, const Json& plans);

} // namespace nestbed
