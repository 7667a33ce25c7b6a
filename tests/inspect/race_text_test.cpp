// What the race detector found, as text and as JSON.
#include "inspect/race_text.hpp"

#include "support/matchers.hpp"

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace nestbed
{
namespace
{

RaceAccess access_at(std::vector<SourcePlace> places)
{
    return {.places = std::move(places), .depth = 1, .block = 2, .thread = 3};
}

Race some_race()
{
    Race race{.memory = "in[3]",
              .bytes = 4,
              .first = access_at({{"a.cu", 7}, {"b.cu", 9}}),
              .second = access_at({{"a.cu", 8}, {"a.cu", 20}}),
              .missing = "a barrier",
              .pairs = 1};
    race.first.write = true;
    race.second.launched_by = {.place = {}, .block = 4, .thread = 5};
    return race;
}

BadAccess bad_access(BadAccess::Kind kind, std::ptrdiff_t beyond, std::uint64_t count)
{
    return {.kind = kind,
            .memory = "in[-1]",
            .bytes = 4,
            .beyond = beyond,
            .access = access_at({{"a.cu", 7}}),
            .count = count};
}

TEST(RaceText, NamesBothAccessesAndWhatIsMissing)
{
    Races races{
        .sample = {.status = Status::ok}, .races = {some_race()}, .grids = 1, .threads = 64, .accesses = 1000};
    EXPECT_EQ(races_text(races), "race: write and read of in[3] (4 bytes)\n"
                                 "  write  a.cu:7  depth 1, block 2, thread 3\n"
                                 "         called at b.cu:9\n"
                                 "  read   a.cu:8  depth 1, block 2, thread 3\n"
                                 "         launched at unknown place, block 4, thread 5\n"
                                 "  missing: a barrier\n"
                                 "  1 pair\n\n"
                                 "1 kind of races, 1 pair: 1000 accesses of 64 threads in 1 grid\n");
    Race& second = races.races.emplace_back(some_race());
    second.first.atomic = second.second.atomic = true;
    second.bytes = 1;
    second.pairs = 30;
    races.grids = 2;
    EXPECT_THAT(races_text(races), HasSubstr("race: atomic update and atomic read of in[3] (1 byte)\n"));
    EXPECT_THAT(races_text(races),
                EndsWith("  30 pairs\n\n2 kinds of races, 31 pairs: 1000 accesses of 64 threads in 2 grids\n"));
}

TEST(RaceText, CountsBadAccesses)
{
    using enum BadAccess::Kind;
    Races races{.sample = {.status = Status::crashed}};
    EXPECT_EQ(races_text(races), "no races in what ran: 0 accesses of 0 threads in 0 grids\n");
    races.bad_accesses = {bad_access(out_of_bounds, -4, 1)};
    EXPECT_EQ(races_text(races), "out of bounds: read of in[-1], 4 bytes before its beginning\n"
                                 "  read   a.cu:7  depth 1, block 2, thread 3\n"
                                 "  1 access\n\n"
                                 "no races, 1 place with accesses out of bounds: 0 accesses of 0 threads in 0\n"
                                 "grids\n");
    races.bad_accesses = {bad_access(uninitialized, 0, 2)};
    EXPECT_THAT(races_text(races), StartsWith("uninitialized: read of in[-1], which nothing has written\n"));
    EXPECT_THAT(
        races_text(races),
        EndsWith("  2 accesses\n\nno races, 1 place with reads of uninitialized memory: 0 accesses of 0 threads "
                 "in\n0 grids\n"));
    races.bad_accesses = {bad_access(out_of_bounds, 1, 1), bad_access(out_of_bounds, 1, 1),
                          bad_access(uninitialized, 0, 1), bad_access(uninitialized, 0, 1)};
    EXPECT_THAT(races_text(races), HasSubstr("in[-1], 1 byte past its end\n"));
    EXPECT_THAT(races_text(races),
                HasSubstr("\nno races, 2 places with accesses out of bounds, 2 places with reads of\n"
                          "uninitialized memory: "));
}

TEST(RaceText, BeginsWithWrongAccessesAndGroupsRacesByLaunch)
{
    const auto race_of = [](const char* memory, unsigned depth, SourcePlace launch) {
        Race race = some_race();
        race.memory = memory;
        race.second.depth = depth;
        race.second.kernel = "child";
        race.second.launched_by->place = std::move(launch);
        return race;
    };
    Races races{.sample = {.status = Status::ok},
                .races = {race_of("second", 4, {"a.cu", 5}), race_of("deep", 3, {"a.cu", 9}),
                          race_of("first", 2, {"a.cu", 5}), race_of("deep too", 3, {"a.cu", 9})},
                .bad_accesses = {bad_access(BadAccess::Kind::uninitialized, 0, 1),
                                 bad_access(BadAccess::Kind::out_of_bounds, 4, 1)}};
    std::vector<std::string> order;
    std::istringstream lines(races_text(races));
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && !line.starts_with(' '))
            order.push_back(line.substr(0, line.find(" (4")));
    order.resize(8);
    EXPECT_THAT(order, ElementsAre("out of bounds: read of in[-1], 4 bytes past its end",
                                   "races of kernel child, launched at a.cu:5:", "race: write and read of first",
                                   "race: write and read of second", "races of kernel child, launched at a.cu:9:",
                                   "race: write and read of deep", "race: write and read of deep too",
                                   "uninitialized: read of in[-1], which nothing has written"));
    races.races.erase(races.races.begin() + 1);
    races.races.resize(2); // of one launch
    EXPECT_THAT(races_text(races), Not(HasSubstr("races of kernel")));
}

TEST(RaceText, HasColoursForATerminal)
{
    EXPECT_EQ(
        in_colours("kernel  from host\n\nrace: a: b\n  missing: c\nout of bounds: d\nwarning: e\nno races: f\n"),
        "kernel  from host\n\n\033[31mrace\033[0m: a: b\n\033[32m  missing\033[0m: c\n"
        "\033[31mout of bounds\033[0m: d\n\033[33mwarning\033[0m: e\n\033[32mno races\033[0m: f\n");
    EXPECT_EQ(in_colours("not read-only: 1 misaligned: 2\nmisaligned: 3"),
              "\033[31mnot read-only\033[0m: 1 misaligned: 2\n\033[31mmisaligned\033[0m: 3");
}

TEST(RaceText, SaysWhereMemoryWasAllocatedAndFreedAndWhatTheHostDid)
{
    BadAccess bad = bad_access(BadAccess::Kind::freed, 0, 1);
    bad.allocation = "400 bytes, allocated at a.cu:3";
    bad.freed = {"a.cu", 5};
    Races races{.sample = {.status = Status::ok}, .bad_accesses = {bad}};
    EXPECT_EQ(races_text(races), "use after free: read of in[-1], freed at a.cu:5\n"
                                 "  read   a.cu:7  depth 1, block 2, thread 3\n"
                                 "  memory 400 bytes, allocated at a.cu:3\n"
                                 "  1 access\n\n"
                                 "no races, 1 place with accesses to freed memory: 0 accesses of 0 threads in 0\n"
                                 "grids\n");
    EXPECT_EQ(bad_access_json(bad).at("freed"), "a.cu:5");
    EXPECT_EQ(bad_access_json(bad).at("allocation"), "400 bytes, allocated at a.cu:3");
    bad = bad_access(BadAccess::Kind::by_host, 0, 1);
    bad.access.by_host = true;
    races.bad_accesses = {bad};
    EXPECT_THAT(races_text(races),
                StartsWith("access by the host: read of in[-1], which is memory of the device (cudaMemcpy()\n"
                           "copies it)\n"
                           "  read   a.cu:7  the host\n"));
    EXPECT_EQ(bad_access_json(bad).at("access").dump(), R"({"kind":"read","host":true,"places":["a.cu:7"]})");
}

TEST(RaceText, HasNoLineThatIsTooLongForATerminal)
{
    using enum BadAccess::Kind;
    const std::string path = "a/folder/of/somebody/who/likes/folders/with/names/a.cu";
    Races races{
        .sample = {.status = Status::ok}, .grids = 1'000'000, .threads = 1'000'000'000, .accesses = 1u << 30U};
    Race race{.memory = "a_variable_with_a_name_that_says_very_much_of_what_it_is_for[1234567]",
              .bytes = 16,
              .first = access_at({{path, 12}, {"b/" + path, 3456}}),
              .second = access_at({{path, 1234}}),
              .missing = "a barrier",
              .pairs = 1'000'000'000};
    race.first.atomic = race.first.write = race.second.atomic = true;
    race.second.launched_by = {.place = {path, 99}, .block = 123456, .thread = 1023};
    races.races = {race, race};
    for (const BadAccess::Kind kind : {out_of_bounds, uninitialized, freed, by_host, of_host, misaligned}) {
        BadAccess bad = bad_access(kind, 123456789, 1'000'000'000);
        bad.memory = race.memory;
        bad.allocation = "123456789 bytes, allocated at " + path + ":5";
        bad.freed = {path, 7};
        bad.access = race.first;
        races.bad_accesses.push_back(bad);
    }
    std::istringstream lines(races_text(races));
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 80U) << line;
    EXPECT_THAT(races_text(races), HasSubstr("\n  atomic update " + path +
                                             ":12\n"
                                             "         depth 1, block 2, thread 3\n"
                                             "         called at b/" +
                                             path + ":3456\n"));
    EXPECT_THAT(races_text(races), HasSubstr("         launched at " + path +
                                             ":99,\n"
                                             "         block 123456, thread 1023\n"));
}

TEST(RaceText, HasTheSameAsJson)
{
    const auto race = race_json(some_race());
    EXPECT_EQ(race.dump(),
              R"-({"message":"race: write and read of in[3] (4 bytes)","memory":"in[3]","bytes":4,)-"
              R"("first":{"kind":"write","depth":1,"block":2,"thread":3,)"
              R"("places":["a.cu:7","b.cu:9"]},"second":{"kind":"read","depth":1,"block":2,"thread":3,)"
              R"("places":["a.cu:8","a.cu:20"],"launched_by":{"place":"unknown place","block":4,"thread":5}},)"
              R"("missing":"a barrier","pairs":1})");
    EXPECT_EQ(bad_access_json(bad_access(BadAccess::Kind::out_of_bounds, -4, 2)).dump(),
              R"({"kind":"out of bounds","message":"out of bounds: read of in[-1], 4 bytes before its beginning",)"
              R"("memory":"in[-1]","bytes":4,"beyond":-4,)"
              R"("access":{"kind":"read","depth":1,"block":2,"thread":3,"places":["a.cu:7"]},"count":2})");
    EXPECT_FALSE(bad_access_json(bad_access(BadAccess::Kind::uninitialized, 0, 2)).contains("beyond"));
}

} // namespace
} // namespace nestbed
