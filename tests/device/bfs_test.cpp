// The workload `bfs` on the executor: every form on every graph, in every order.
#include "device/cpu/observer.hpp"
#include "support/graph_support.hpp"
#include "support/plan_support.hpp"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestbed
{
namespace
{

using Bfs = InFolder;

TEST_F(Bfs, IsRightOnEveryGraph)
{
    expect_right_on(every_graph(), "bfs", folder, takes_long);
}

TEST_F(Bfs, IsRightByEveryMechanismAndBlock)
{
    const auto session = session_of("random:1");
    const GraphShape smaller{"smaller_rmat", InputKind("rmat"), 2048, 8};
    for (const std::string& strategy : graph_strategies(BackendKind::cpu, "bfs"))
        expect_all_right_by_mechanism(*session,
                                      graph_case(strategy, is_thorough() ? large_graphs()[1] : smaller, folder),
                                      all_or_few<std::string>("block 32 256", "block 256"));
}

TEST_F(Bfs, IsRightAtEveryDepth)
{
    const auto session = session_of("random:1");
    for (const std::string strategy : {"bfs_tail", "bfs_children", "bfs_queue_children", "bfs_recursive"})
        expect_all_right(*session, graph_case(strategy, large_graphs()[0], folder), "depth 0 1 2 50");
}

// A recursion whose launches are refused puts vertices aside.
TEST_F(Bfs, RecursesUnderAnyPendingLimitAndThreshold)
{
    const auto session = session_of("fifo");
    std::uint64_t replaced = 0;
    for (const std::uint32_t limit : {1U, 3U, 100U})
        for (const std::uint32_t threshold : {0U, 6U, 100000U}) {
            Case point = graph_case("bfs_recursive", large_graphs()[1], folder);
            point.pending_limit = limit;
            point.threshold = threshold;
            const Sample sample = session->sample(point, 0);
            ASSERT_EQ(sample.status, Status::ok) << limit << " " << threshold << ": " << sample.detail;
            EXPECT_EQ(sample.launches->attempted, sample.requests->items);
            EXPECT_EQ(sample.launches->failed, sample.requests->replaced);
            EXPECT_EQ(sample.launches->attempted == 0, threshold == 100000U);
            replaced += sample.requests->replaced;
        }
    EXPECT_GT(replaced, 0U);
}

// A block does itself what was refused. The ledger counts it at its depth.
TEST_F(Bfs, DoesARefusedLevelInTheBlockThatPlannedIt)
{
    const auto session = session_of("fifo");
    for (const Mechanism mechanism : {Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream}) {
        Case point = graph_case("bfs_tail", large_graphs()[0], folder);
        point.mechanism = mechanism;
        const Sample free = session->sample(point, 0);
        ASSERT_GT(free.launches->attempted, 1U);
        point.pending_limit = 1; // which the first launch takes until all after it are complete
        const Sample sample = session->sample(point, 0);
        ASSERT_EQ(sample.status, Status::ok) << sample.detail;
        EXPECT_EQ(sample.launches->attempted_by_depth, free.launches->attempted_by_depth);
        EXPECT_EQ(sample.launches->failed, sample.launches->attempted - 1);
        ASSERT_TRUE(sample.requests);
        EXPECT_EQ(sample.requests->replaced, sample.launches->failed);
    }
}

// A level is launched if it needs more than one block, which depends on the size of the block.
TEST_F(Bfs, LaunchesWhatTheOracleCountsWhereALevelHasFewEdges)
{
    const auto session = session_of("fifo");
    Case few = graph_case("bfs_tail", wide_level_of_one_edge(), folder);
    expect_right(*session, few);
    EXPECT_EQ(session->sample(few, 0).launches->attempted, 0U);
    Case large = graph_case("bfs_tail", {"", InputKind("rmat"), 65536, 12}, folder);
    large.seed = 1;
    large.block = 1024;
    expect_right(*session, large);
    EXPECT_EQ(session->sample(large, 0).launches->attempted, 2U);
}

// What a run does on the executor: the grids that the host launches, and the memory.
class RunSeen final : public cpu::Observer
{
  public:
    RunSeen() { cpu::observer = this; }
    ~RunSeen() override { cpu::observer = nullptr; }
    RunSeen(const RunSeen&) = delete;
    RunSeen& operator=(const RunSeen&) = delete;

    std::vector<std::uint64_t> blocks; // of each grid
    std::set<std::string> names;       // of memory

  private:
    void begin() override {}
    Races end() override { return {}; }
    Races watch(const std::function<void()>& /*work*/) override { return {}; }
    void memory(const cpu::Memory& memory) override { names.emplace(memory.name); }
    void host_wrote(const void* /*begin*/, std::size_t /*bytes*/) override {}
    void forget(const void* /*begin*/) override {}
    void freed(const void* /*begin*/, const void* /*place*/) override {}
    void synchronized() override {}
    void* operation_begins(std::uint64_t /*stream*/, const char* /*name*/, const void* /*place*/) override
    {
        return nullptr;
    }
    void operation_accesses(void* /*operation*/, const cpu::Rows& /*rows*/, bool /*write*/) override {}
    void operation_runs_on_host(void* /*operation*/) override {}
    void operation_ends(void* /*operation*/) override {}
    void stream_synchronized(std::uint64_t /*stream*/) override {}
    void event_synchronized(const cpu::Captured& /*captured*/) override {}
    cpu::Captured captures(void* /*thread*/, std::uint64_t /*stream*/) override { return {}; }
    cpu::Captured captures_thread(void* /*thread*/) override { return {}; }
    void stream_made(void* /*thread*/, std::uint64_t /*stream*/, const void* /*place*/,
                     std::uint64_t /*graph*/) override
    {
    }
    void stream_waits(void* /*thread*/, std::uint64_t /*stream*/, const cpu::Captured& /*captured*/) override {}
    void stream_overlaps(std::uint64_t /*stream*/, const cpu::Captured& /*captured*/,
                         cpu::Overlap /*overlap*/) override
    {
    }
    void stream_ends(std::uint64_t /*stream*/) override {}
    void* launched(void* /*thread*/, Mechanism /*mechanism*/, std::uint64_t /*stream*/, const void* /*place*/,
                   const cpu::CallPlace& /*launch*/) override
    {
        blocks.push_back(0);
        return this;
    }
    void starts(void* /*grid*/) override {}
    void done(void* /*grid*/) override {}
    void complete(void* /*grid*/) override {}
    void abandoned(void* /*root*/) override {}
    void* block_begins(void* /*grid*/, std::uint64_t /*index*/, std::uint32_t /*threads*/,
                       std::uint64_t /*cluster*/) override
    {
        ++blocks.back();
        return this;
    }
    void* thread_of(void* /*block*/, std::uint32_t /*index*/) override { return this; }
    void barrier(void* /*block*/) override {}
    void arrives_at_group(void* /*thread*/, std::uint64_t /*group*/) override {}
    void group_opens(void* /*grid*/, std::uint64_t /*group*/) override {}
    void waited_for_group(void* /*thread*/, std::uint64_t /*group*/) override {}
    void warp_barrier(std::span<void* const> /*threads*/) override {}
    void misused(void* /*thread*/, const cpu::Misuse& /*misuse*/) override {}
    void thread_ends(void* /*thread*/) override {}
    void arrived(void* /*thread*/) override {}
    void copies_beside(void* /*thread*/, const void* /*to*/, const void* /*from*/, std::size_t /*bytes*/,
                       const void* /*place*/) override
    {
    }
    void commits_copies(void* /*thread*/) override {}
    void waited_for_copies(void* /*thread*/, std::size_t /*prior*/) override {}
    void bulk_copies(void* /*thread*/, const cpu::BulkCopy& /*copy*/) override {}
    void commits_bulk_copies(void* /*thread*/) override {}
    void waited_for_bulk_copies(void* /*thread*/, std::size_t /*prior*/, bool /*only_reads*/) override {}
    void bulk_completes_at(void* /*thread*/, const void* /*at*/) override {}
    void fences_async_proxy(void* /*thread*/) override {}
    void forgets_barrier(const void* /*at*/) override {}
    void uses_barrier(void* /*thread*/, const void* /*at*/, bool /*writes*/, const void* /*place*/) override {}
    void arrives_at(void* /*thread*/, const void* /*at*/) override {}
    void copies_arrive_at(void* /*thread*/, const void* /*at*/) override {}
    void opens(const void* /*at*/) override {}
    void waited_at(void* /*thread*/, const void* /*at*/) override {}
    void waited(void* /*thread*/) override {}
    void lets_next_grid_begin(void* /*thread*/) override {}
    void waited_for_previous_grid(void* /*thread*/) override {}
    void block_ends(void* /*block*/) override {}
    void shared_memory(void* /*block*/, const cpu::Memory& /*memory*/) override {}
};

// The source has edges for more blocks than run at once: two on each multiprocessor.
TEST_F(Bfs, StartsWithAsManyBlocksAsTheFirstLevelNeeds)
{
    for (const std::string strategy : {"bfs_balanced", "bfs_direction", "bfs_tail", "sssp_balanced"}) {
        const auto session = session_of("fifo");
        const RunSeen seen;
        const Case point = graph_case(strategy, large_graphs()[4], folder);
        EXPECT_EQ(session->sample(point, 0).status, Status::ok);
        ASSERT_FALSE(seen.blocks.empty());
        EXPECT_EQ(seen.blocks.front(), 2 * session->facts().multiprocessors) << strategy;
    }
}

TEST_F(Bfs, HasTheEdgesBackwardsOnlyWhereAStrategyNeedsThem)
{
    const auto session = session_of("fifo");
    for (const auto& [strategy, backwards] : {std::pair("bfs_balanced", false), std::pair("bfs_children", false),
                                              std::pair("bfs_direction", true), std::pair("bfs_tail", false)}) {
        const RunSeen seen;
        EXPECT_EQ(session->sample(graph_case(strategy, large_graphs()[0], folder), 0).status, Status::ok);
        EXPECT_EQ(seen.names.contains("in_ends"), backwards) << strategy; // bfs_tail uses those that are there
    }
    const RunSeen seen;
    EXPECT_EQ(session->sample(graph_case("bfs_tail", large_graphs()[1], folder), 0).status, Status::ok);
    EXPECT_FALSE(seen.names.contains("in_ends")); // edges lead both ways
}

TEST_F(Bfs, LooksAtEachEdgeOnceTopDownAndAtFewerFromBelow)
{
    const auto session = session_of("fifo");
    const Sample balanced = session->sample(graph_case("bfs_balanced", large_graphs()[1], folder), 0);
    EXPECT_EQ(balanced.work, session->sample(graph_case("bfs_frontier", large_graphs()[1], folder), 0).work);
    EXPECT_EQ(balanced.work, session->sample(graph_case("bfs_children", large_graphs()[1], folder), 0).work);
    EXPECT_LT(session->sample(graph_case("bfs_direction", large_graphs()[1], folder), 0).work, *balanced.work / 2);
}

TEST_F(Bfs, SaysWhatIsWrongWithAFile)
{
    const auto session = session_of("fifo");
    Case point = graph_case("bfs_tail", small_graphs()[14], folder);
    const std::string path = path_in(graph_file_of(point));
    folder.write("two_components.txt", "0 1\n");
    EXPECT_THAT(why_unsupported(*session, point), HasSubstr("the file has changed"));
    folder.write("two_components.txt", "0 1\n1 x\n");
    set_graph_file(point, graph_file_id(path));
    EXPECT_THAT(why_unsupported(*session, point),
                HasSubstr(path + ":2: 'x' is not a vertex; allowed: 0 to 4294967294"));
    folder.write("two_components.txt", "# no edges, and so no vertex\n");
    set_graph_file(point, graph_file_id(path));
    EXPECT_THAT(session->sample(point, 0).detail, HasSubstr(path + ":2: the list has no edge, so a search"));
    std::filesystem::remove(path);
    EXPECT_EQ(session->sample(point, 0).status, Status::unsupported);
    point.input = InputKind("uniform");
    point.elements = std::uint64_t{1} << 30;
    point["edge-factor"] = 4;
    EXPECT_THAT(session->sample(point, 0).detail, HasSubstr("fewer than 4294967295 edges"));
}

TEST(GraphPlan, HasOneCasePerGraph)
{
    const ScratchFolder folder;
    const std::string one = folder.write("one.txt", "0 1\n");
    const std::string two = folder.write("two.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n");
    const Plan plan = plan_of({{"strategy", "bfs_tail"},
                               {"input", "path,file,uniform"},
                               {"graph-file", one + "," + two},
                               {"edge-factor", "4,8"},
                               {"elements", "100"}});
    std::vector<std::string> cases;
    for (const Case& point : cases_of(plan))
        cases.push_back(std::string(name_of(point.input)) + " " + std::to_string(point.elements) + " " +
                        std::to_string(point["edge-factor"]) + " " + graph_file_of(point));
    EXPECT_THAT(cases,
                testing::UnorderedElementsAre("path 100 0 ", "uniform 100 4 ", "uniform 100 8 ",
                                              "file 0 0 " + graph_file_id(one), "file 0 0 " + graph_file_id(two)));
}

TEST(GraphPlan, RefusesWhatItCannotRead)
{
    const ScratchFolder folder;
    const std::string file = folder.write("one.txt", "0 1\n");
    const std::string spaced = folder.write("a file.txt", "0 1\n");
    EXPECT_EQ(refusal("--strategy bfs_tail --input file"),
              "--input file: no file is named; allowed: with --graph-file PATH");
    EXPECT_EQ(refusal({{"strategy", "bfs_tail"}, {"graph-file", file}}),
              "--graph-file " + file + ": graph-file requires --input file");
    EXPECT_THAT(refusal({{"strategy", "sssp_tail"}, {"input", "file"}, {"graph-file", folder.path("none.gr")}}),
                HasSubstr("none.gr"));
    EXPECT_THAT(refusal({{"strategy", "sssp_tail"}, {"input", "file"}, {"graph-file", spaced}}),
                HasSubstr("cannot be part of a key; allowed: a name of printable ASCII characters"));
    EXPECT_THAT(refusal("--strategy bfs_tail --edge-factor 0"), HasSubstr("edge-factor"));
    EXPECT_THAT(refusal("--strategy sssp_near_far --bucket-width 0"), HasSubstr("bucket-width"));
}

} // namespace
} // namespace nestbed
