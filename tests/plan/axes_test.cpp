// What each key of a sweep means, one by one: defaults, block shapes. plan_refusals_test.cpp has other refused values.
#include "plan/axes.hpp"
#include "workloads/matrix/descriptor.hpp"
#include "workloads/reduce/descriptor.hpp"

#include "support/plan_support.hpp"

#include <array>
#include <optional>

namespace nestbed
{
namespace
{

Axes axes_of(Said said, std::size_t devices = 1, const std::string& strategy = "naive_row")
{
    said.emplace_back("strategy", strategy);
    return read_axes(settings_of(said), devices);
}

std::string axes_refusal(const Said& said, std::size_t devices = 1)
{
    return text_of<UsageError>([&] { static_cast<void>(axes_of(said, devices)); });
}

std::vector<std::optional<std::uint64_t>> numbers_of(const std::vector<AxisValue>& values)
{
    std::vector<std::optional<std::uint64_t>> found;
    for (const AxisValue& value : values)
        found.push_back(value.number);
    return found;
}

std::vector<std::string> shapes(const Said& said)
{
    std::vector<std::string> found;
    const Axes axes = axes_of(said);
    for (const AxisValue& value : axes.of("block-shape"))
        found.push_back(text_of(axis_named("block-shape"), value.number));
    return found;
}

std::vector<std::string> names(const std::vector<NameValue>& values)
{
    std::vector<std::string> found;
    for (const NameValue& value : values)
        found.push_back(value.first);
    return found;
}

TEST(BlockShape, HasTheThreadsOfBothSidesAndAName)
{
    EXPECT_EQ((BlockShape{8, 32}.threads()), 256U);
    EXPECT_EQ(name_of(BlockShape{8, 32}), "8x32");
    EXPECT_EQ(name_of(BlockShape{1024, 1}), "1024x1");
    EXPECT_NE((BlockShape{8, 32}), (BlockShape{32, 8}));
}

TEST(BlockShape, ThatIsNoneHasNoThreadsAndNoName)
{
    EXPECT_EQ(BlockShape{}.threads(), 0U);
    EXPECT_EQ(name_of(BlockShape{}), "");
}

// A default value has no setting that a message could begin with.
TEST(Axes, OfWhatIsNotSaidHaveOneValueWithoutASetting)
{
    const Axes axes = axes_of({});
    EXPECT_THAT(numbers_of(axes.of("nx")), ElementsAre(2048));
    EXPECT_THAT(numbers_of(axes.of("ny")), ElementsAre(2048));
    EXPECT_THAT(shapes({}), ElementsAre("16x16"));
    EXPECT_THAT(numbers_of(axes.of("delay-us")), ElementsAre(0));
    EXPECT_THAT(numbers_of(axes.of("graphs")), ElementsAre(1));
    EXPECT_THAT(numbers_of(axes.of("seed")), ElementsAre(1));
    for (const char* name : {"grid", "block", "elements", "depth", "pending-limit", "wave", "streams"})
        EXPECT_THAT(numbers_of(axes.of(name)), ElementsAre(std::nullopt)) << name;
    EXPECT_THAT(numbers_of(axes.of("type")), ElementsAre(static_cast<unsigned>(ElementType::int32)));
    EXPECT_THAT(names(axes.mechanisms), IsEmpty());
    EXPECT_EQ(axes.of("nx")[0].setting->value, "");
    EXPECT_EQ(axes.of("block-shape")[0].setting->value, "");
}

TEST(Axes, OfAMatrixTakeSidesAsAnyAxis)
{
    const Axes axes = axes_of("--nx 64:256:*2,1 --ny 3:5 --ny 65535");
    EXPECT_THAT(numbers_of(axes.of("nx")), ElementsAre(64, 128, 256, 1));
    EXPECT_THAT(numbers_of(axes.of("ny")), ElementsAre(3, 4, 5, 65535));
    EXPECT_EQ(axes.of("ny")[3].setting->place(), "--ny 65535");
}

TEST(BlockShapes, AreWidthByHeightInOrderDoublesRemoved)
{
    EXPECT_THAT(shapes("--block-shape 8x32"), ElementsAre("8x32"));
    EXPECT_THAT(shapes({{"block-shape", "32x8, 8x32 ,32x8"}, {"block-shape", "8x32,16x16"}}),
                ElementsAre("32x8", "8x32", "16x16"));
    EXPECT_THAT(shapes({{"block-shape", "8 x 4"}}), ElementsAre("8x4"));
    EXPECT_THAT(shapes("--block-shape 7x11,08x04"), ElementsAre("7x11", "8x4")); // any number of threads
}

TEST(BlockShapes, HaveFrom1To1024ThreadsInAll)
{
    EXPECT_THAT(shapes("--block-shape 1x1,1024x1,1x1024,32x32"), ElementsAre("1x1", "1024x1", "1x1024", "32x32"));
    for (const std::string shape : {"33x32", "1025x1", "1x1025", "1024x2", "65536x65536", "4294967295x4294967295",
                                    "4294967297x1", "0x8", "8x0", "0x0", "-8x8", "18446744073709551617x1"})
        EXPECT_EQ(axes_refusal({{"block-shape", shape}}), "--block-shape " + shape + ": '" + shape +
                                                              "' is not a block shape; allowed: WIDTHxHEIGHT, at "
                                                              "most 1024 threads in all, separated by commas");
}

TEST(BlockShapes, OfAnotherFormAreRefusedByThePartThatIsWrong)
{
    for (const std::string part :
         {"8", "", "x", "8x", "x8", "8x8x1", "8*8", "8X8", "axb", "8xb", "+8x8", "8.0x8", "8x8 9", "0x8x8"})
        EXPECT_THAT(axes_refusal({{"block-shape", "16x16," + part + ",4x4"}}),
                    AllOf(StartsWith("--block-shape 16x16," + part + ",4x4: '" + part + "' is not a block shape; "),
                          EndsWith("allowed: WIDTHxHEIGHT, at most 1024 threads in all, separated by commas")));
}

TEST(BlockShapes, KnowTheirPlaceInAFile)
{
    const ScratchFolder folder;
    Settings settings;
    const std::string path =
        folder.write("one.cfg", "strategy = naive_row\nblock_shape = 8x32, 16x16\nblock-shape = 4x4\n");
    settings.read_file(path);
    const std::vector<AxisValue> values = read_axes(settings, 1).of("block-shape");
    ASSERT_EQ(values.size(), 3U);
    EXPECT_EQ(values[1].setting->place(), path + ":2: block-shape = 8x32, 16x16");
    EXPECT_EQ(values[2].setting->place(), path + ":3: block-shape = 4x4");
}

TEST(Names, AreThoseOfTheListInOrderDoublesRemoved)
{
    const Settings settings = settings_of({{"type", "b, a,b"}, {"type", "c,a"}});
    const std::vector<NameValue> values = names_of(settings, "type", {"a", "b", "c"}, "letter", "nestbed list");
    EXPECT_THAT(names(values), ElementsAre("b", "a", "c"));
    EXPECT_EQ(values[1].second.place(), "--type b, a,b");
    EXPECT_EQ(values[2].second.place(), "--type c,a");
    EXPECT_THAT(names_of(settings, "backend", {"a"}, "letter", "nestbed list"), IsEmpty());
}

constexpr std::array kTwo{Mechanism::fire_and_forget, Mechanism::tail};

TEST(MechanismsOf, AStrategyAreItsFirstUnlessSomeAreAskedFor)
{
    const StrategyInfo two{.name = "two", .workload = &workloads::reduce, .mechanisms = kTwo};
    EXPECT_THAT(mechanisms_of(axes_of({}), two), ElementsAre(Mechanism::fire_and_forget));
    EXPECT_THAT(mechanisms_of(axes_of("--mechanism tail", 1, "barrier"), two), ElementsAre(Mechanism::tail));
    EXPECT_THAT(mechanisms_of(axes_of("--mechanism all"), two), ElementsAre(kTwo[0], kTwo[1]));
    EXPECT_THAT(mechanisms_of(axes_of("--mechanism tail,null_stream,fire_and_forget", 1, "barrier"), two),
                ElementsAre(kTwo[0], kTwo[1])); // in the order of the second section
}

TEST(MechanismsOf, AStrategyThatHasOneAreThatWhateverIsAskedFor)
{
    const StrategyInfo flat{.name = "flat", .workload = &workloads::transpose};
    EXPECT_THAT(mechanisms_of(axes_of("--mechanism tail", 1, "barrier"), flat), ElementsAre(Mechanism::none));
    EXPECT_THAT(mechanisms_of(axes_of("--mechanism all"), flat), ElementsAre(Mechanism::none));
}

TEST(Axes, OfSidesAndShapesCountAmongTheMillionCasesAtMost)
{
    EXPECT_EQ(axes_of("--nx 1:1000 --ny 1:1000").of("nx").size(), 1000U);
    EXPECT_EQ(axes_refusal("--nx 1:1000 --ny 1:1000 --block-shape 8x8,8x16"),
              "the axes multiply to 2000000 cases: 1 strategies and mechanisms, 1000 nx, 1000 ny, 2 block-shapes; "
              "allowed: at most 1000000");
    EXPECT_THAT(axes_refusal("--nx 1:1000 --ny 1:1000", 2), StartsWith("the axes multiply to 2000000 "));
}

} // namespace
} // namespace nestbed
