// A case as settings that reproduce it, and as the name of its NVTX range.
#include "model/case_text.hpp"

#include "support/matchers.hpp"

#include <set>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

// What a user would type to get this case.
std::string typed(const Case& point)
{
    std::string text;
    for (const auto& [key, value] : settings_of(point))
        text += (text.empty() ? "" : " ") + std::string("--") + key + " " + value;
    return text;
}

TEST(CaseText, LeavesOutWhatMeansNothing)
{
    EXPECT_EQ(typed({.strategy = "nosync",
                     .mechanism = Mechanism::named_stream,
                     .elements = 32768,
                     .grid = 64,
                     .block = 512}),
              "--strategy nosync --backend cpu --mechanism named --type int32 --grid 64 --block 512 --elements 32768 "
              "--seed 1");
    EXPECT_EQ(typed({.strategy = "hello", .type = ElementType::none, .grid = 2, .block = 8, .depth = 3, .seed = 0}),
              "--strategy hello --backend cpu --mechanism null_stream --grid 2 --block 8 --depth 3");
    EXPECT_EQ(typed({.strategy = "naive_row",
                     .type = ElementType::float32,
                     .elements = 6,
                     .grid = 0,
                     .block = 0,
                     .nx = 3,
                     .ny = 2,
                     .shape = {8, 32}}),
              "--strategy naive_row --backend cpu --type float32 --nx 3 --ny 2 --block-shape 8x32 --seed 1");
}

TEST(CaseText, IsReadAgain)
{
    const Case point{.strategy = "nosync", .mechanism = Mechanism::named_stream, .grid = 64, .block = 512};
    const auto settings = settings_of(point);
    EXPECT_THAT(settings_in(settings_text(point)),
                testing::UnorderedElementsAreArray(settings.begin(), settings.end()));
}

TEST(ShapeText, IsOfTheSidesTheGridOrTheSize)
{
    EXPECT_EQ(shape_text({.elements = 64, .grid = 4, .block = 16}), "4 x 16");
    EXPECT_EQ(shape_text({.grid = 4, .block = 0}), "4");
    EXPECT_EQ(shape_text({.block = 64, .nx = 70, .ny = 50}, "x"), "70x50");
    EXPECT_EQ(shape_text({.grid = 4, .nx = 512}), "512");
    EXPECT_EQ(shape_text({.strategy = "nosync", .elements = 1024, .grid = 0, .block = 64}), "1024");
}

TEST(RangeName, IsTheExperimentTheStrategyAndTheSettings)
{
    EXPECT_EQ(range_name("book", {.strategy = "nosync",
                                  .mechanism = Mechanism::named_stream,
                                  .elements = 32768,
                                  .grid = 64,
                                  .block = 512,
                                  .depth = 2}),
              "book:nosync:mechanism=named type=int32 grid=64 block=512 elements=32768 depth=2 seed=1");
}

// ncu --nvtx-include gives these characters a special meaning.
TEST(RangeName, HasNoCharacterThatMeansSomethingToNcu)
{
    const std::string name = range_name(R"(a,b/c[d]e@f*g+h"i\j)", {.strategy = "hello", .grid = 2, .block = 8});
    EXPECT_EQ(name.substr(0, name.find(':')), "a_b_c_d_e_f_g_h_i_j");
    EXPECT_EQ(name.find_first_of(",/[]@*+\"\\"), std::string::npos);
}

// The key of a case must not change, because old rows would not belong to any case any more. The expected value is
// from sha256sum of the text.
TEST(KeyOf, IsAHashOfWhatDecidesWhatIsMeasured)
{
    const Case point{.strategy = "nosync", .elements = 6000, .grid = 100, .block = 64, .seed = 7};
    EXPECT_EQ(settings_text(point),
              "strategy=nosync backend=cpu mechanism=null_stream type=int32 grid=100 block=64 elements=6000 seed=7");
    EXPECT_EQ(key_of(point, "fifo"), "52ac530f56ee8b20");
    Case on_a_gpu = point;
    on_a_gpu.backend = BackendKind::cuda;
    EXPECT_EQ(key_of(on_a_gpu, ""), key_of(on_a_gpu, "a schedule is the executor's"));
    EXPECT_NE(key_of(on_a_gpu, ""), key_of(point, "fifo"));
    EXPECT_NE(key_of(point, "eager"), key_of(point, "fifo"));
}

TEST(KeyOf, IsAnotherForEveryOtherCase)
{
    const Case point{.strategy = "nosync", .elements = 6000, .grid = 100, .block = 64, .seed = 7};
    std::vector<Case> others(12, point);
    others[1].strategy = "synced";
    others[2].mechanism = Mechanism::fire_and_forget;
    others[3].type = ElementType::float32;
    others[4].elements = 6001;
    others[5].depth = 3;
    others[6].pending_limit = 100;
    others[7].wave = 10;
    others[8].delay_us = 5;
    others[9].seed = 8;
    others[10].input = InputKind("index");
    others[11].op = Operator::max;
    std::set<std::string> keys;
    for (const Case& other : others)
        keys.insert(key_of(other, "fifo"));
    EXPECT_EQ(keys.size(), others.size());
    Case default_mechanism = point;
    default_mechanism.mechanism = Mechanism::null_stream; // the mechanism that the case uses anyway
    EXPECT_EQ(key_of(default_mechanism, "fifo"), key_of(point, "fifo"));
}

} // namespace
} // namespace nestbed
