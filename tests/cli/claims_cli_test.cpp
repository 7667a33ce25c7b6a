// `nestbed claims` on a small folder of results, and on the repository's own.
#include "support/cli_support.hpp"
#include "support/support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sha2.h>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCsv = "experiment,run_id,strategy,gpu_us,launches,status,gpu,git,utc\r\n"
                             "e,r1,fast,10,0,ok,Some GPU,abc,2026-01-01T00:00:30Z\r\n"
                             "e,r1,fast,12,0,ok,Some GPU,abc,2026-01-01T00:00:50Z\r\n"
                             "e,r1,slow,55,8,ok,Some GPU,abc,2026-01-01T00:01:30Z\r\n";
constexpr const char* kManifest = R"({"runs": {"r1": {"started_utc": "2026-01-01T00:00:00Z",
                                               "command": ["nestbed", "run", "experiments/e.cfg"]}}})";
constexpr const char* kClaims = R"({
    "logs": {"m/e.csv": {"figure": "m/e.svg"}},
    "claims": [
        {"id": "quick", "claim": "`fast` takes {us}.", "log": "m/e.csv", "rows": {"strategy": "fast"},
         "numbers": {"us": {"median": "gpu_us", "unit": "us", "within": 0.1}}},
        {"id": "slowly", "claim": "`slow` makes {launches} launches and is {times} times as slow.", "log": "m/e.csv",
         "rows": {"strategy": "slow"},
         "numbers": {"launches": {"same": "launches", "within": 0},
                     "times": {"ratio": "gpu_us", "to": {"strategy": "fast"}, "within": 0.2}}}
    ]})";
constexpr const char* kReadme =
    "# Some\n\nIt takes [11.0 µs](results/README.md#quick.us), [five](results/README.md#quick)\n"
    "times less: [5.00](results/README.md#slowly.times) and [8](results/README.md#slowly.launches).\n";
constexpr const char* kPage =
    "# Results\n\n<!-- claims: begin (nestbed claims write) -->\n<!-- claims: end -->\n\nMore.\n";

class ClaimsCommand : public testing::Test
{
  protected:
    void SetUp() override
    {
        fs::create_directories(scratch_.path("results/m"));
        scratch_.write("results/claims.json", kClaims);
        scratch_.write("results/README.md", kPage);
        scratch_.write("README.md", kReadme);
        scratch_.write("results/m/e.json", kManifest);
        scratch_.write("results/m/e.svg", "<svg/>");
        write_csv(kCsv);
        write_sum();
        ASSERT_EQ(claims({"write"}).exit_code, 0);
    }

    void write_csv(const std::string& text) const { scratch_.write("results/m/e.csv", text); }
    void write_sum() const
    {
        char digest[SHA256_DIGEST_STRING_LENGTH];
        const std::string text = scratch_.read("results/m/e.csv");
        SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digest);
        scratch_.write("results/m/SHA256SUMS", fmt::format("{}  e.csv\n", digest));
    }
    void replace_in(const std::string& file, const std::string& from, const std::string& to) const
    {
        std::string text = scratch_.read(file);
        ASSERT_NE(text.find(from), std::string::npos) << text;
        scratch_.write(file, text.replace(text.find(from), from.size(), to));
    }
    Outcome claims(std::vector<std::string> words) const
    {
        words.insert(words.begin(), "claims");
        words.insert(words.end(), {"--results", scratch_.path("results")});
        return nestbed(words);
    }

    ScratchFolder scratch_;
};

TEST_F(ClaimsCommand, AgreeAsTheyWereWritten)
{
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.err, "");
    EXPECT_EQ(checked.exit_code, 0);
    EXPECT_THAT(checked.out, HasSubstr("2 claims, 3 numbers: "));
    EXPECT_EQ(scratch_.read("README.md"), kReadme); // it was right
}

TEST_F(ClaimsCommand, PageSaysHowToMakeANumberAgain)
{
    EXPECT_EQ(
        scratch_.read("results/README.md"),
        "# Results\n\n<!-- claims: begin (nestbed claims write) -->\n\n"
        "### `m/e.csv`\n\n"
        "`nestbed run experiments/e.cfg` · Some GPU, 1.5 minutes (nestbed abc) · [CSV](m/e.csv) · "
        "[figure](m/e.svg)\n\n"
        "| claim | number | 95 % interval | how it comes about | a second run |\n|---|---|---|---|---|\n"
        "| <a id=\"quick\"></a>`fast` takes 11.0 µs. | <a id=\"quick.us\"></a>11.0 µs | 10.0 to 12.0 µs | median of "
        "gpu_us where strategy = fast; 2 rows | within 10 % |\n"
        "| <a id=\"slowly\"></a>`slow` makes 8 launches and is 5.00 times as slow. | <a id=\"slowly.launches\"></a>8 "
        "|  | "
        "launches of every row where strategy = slow; 1 row | the same |\n"
        "|  | <a id=\"slowly.times\"></a>5.00 | 4.58 to 5.50 | ratio of the medians of gpu_us where strategy = slow, "
        "to "
        "strategy = fast; 3 rows | within 20 % |\n\n"
        "<!-- claims: end -->\n\nMore.\n");
}

TEST_F(ClaimsCommand, NameTheClaimWhoseNumberInTheReadmeIsAnother)
{
    replace_in("README.md", "[5.00]", "[6.00]");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_EQ(checked.out, "");
    EXPECT_EQ(checked.err,
              fmt::format("nestbed: {}:4: claim slowly.times: it says 6.00, the CSV gives 5.00 (ratio of the medians "
                          "of gpu_us where strategy = slow, to strategy = fast)\n",
                          scratch_.path("README.md")));
    EXPECT_EQ(claims({"write"}).exit_code, 0);
    EXPECT_EQ(scratch_.read("README.md"), kReadme);
}

TEST_F(ClaimsCommand, NameTheClaimsWhoseCsvIsAnother)
{
    replace_in("results/m/e.csv", "fast,12", "fast,13");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(
        checked.err,
        AllOf(HasSubstr("claims quick, slowly: "),
              HasSubstr("m/e.csv is not the file that was measured: its SHA-256 is not"),
              HasSubstr("README.md:3: claim quick.us: it says 11.0 µs, the CSV gives 11.5 µs"),
              HasSubstr("results/README.md: claim quick.us: the CSVs give another line: | <a id=\"quick\">")));
}

TEST_F(ClaimsCommand, SeeACellThatChangesNoNumber)
{
    replace_in("results/m/e.csv", "00:00:30Z", "00:00:31Z");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(checked.err, HasSubstr("claims quick, slowly: "));
    EXPECT_EQ(claims({"write"}).exit_code, 3); // and make nothing of it
}

TEST_F(ClaimsCommand, NameTheClaimWhoseLineInThePageIsAnother)
{
    replace_in("results/README.md", "4.58 to", "4.85 to");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(checked.err, HasSubstr("results/README.md: claim slowly.times: the CSVs give another line: |"));
}

TEST_F(ClaimsCommand, SeeAPageThatDiffersBetweenTheClaims)
{
    replace_in("results/README.md", "Some GPU, 1.5 minutes", "Some GPU, 1.4 minutes");
    EXPECT_THAT(claims({"check"}).err, HasSubstr("README.md: what is between the claims is not what the CSVs give"));
    EXPECT_EQ(claims({"check"}).exit_code, 3);
}

TEST_F(ClaimsCommand, MissWhatTheReadmeDoesNotSay)
{
    replace_in("README.md", "[8](results/README.md#slowly.launches)", "8");
    replace_in("README.md", "quick.us", "quick.ms");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(
        checked.err,
        AllOf(HasSubstr("README.md: claim slowly.launches: there is no link to results/README.md#slowly.launches"),
              HasSubstr("README.md:3: there is no claim quick.ms")));
}

// Nothing is made of a document whose links cannot be told apart.
TEST_F(ClaimsCommand, MendNoBrokenLink)
{
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"[8](results", "8](results"},                  // no bracket: the one before is another link's
             {"[5.00](results", "[5.00] and 5.00](results"}, // one that is closed
             {"#slowly.launches).", "#slowly.launches"},     // no end
             {"[8](results",
              "[6.00](results/README.md#slowly.times), 9](results"}}) { // behind a link that would be mended
        scratch_.write("README.md", kReadme);
        replace_in("README.md", from, to);
        const std::string before = scratch_.read("README.md");
        const Outcome checked = claims({"check"});
        EXPECT_EQ(checked.exit_code, 3);
        EXPECT_THAT(checked.err, HasSubstr("README.md:4: claim slowly."));
        EXPECT_THAT(checked.err, HasSubstr(": the link is not whole; allowed: [NUMBER](results/README.md#slowly."));
        EXPECT_EQ(claims({"write"}).exit_code, 3);
        EXPECT_EQ(scratch_.read("README.md"), before);
    }
}

TEST_F(ClaimsCommand, SeeWhatGoesOnBehindALink)
{
    for (const std::string more : {"0", ".5", "x"}) {
        scratch_.write("README.md", kReadme);
        replace_in("README.md", "#slowly.launches)", "#slowly.launches)" + more);
        EXPECT_THAT(claims({"check"}).err,
                    HasSubstr("README.md:4: claim slowly.launches: what it says goes on behind the link"));
    }
}

TEST_F(ClaimsCommand, ReadNoCommentsAndNoCode)
{
    replace_in("README.md", "[8](results/README.md#slowly.launches)",
               "9 <!-- [8](results/README.md#slowly.launches) -->");
    EXPECT_THAT(claims({"check"}).err, HasSubstr("claim slowly.launches: there is no link"));
    scratch_.write("README.md",
                   std::string(kReadme) + "```\n3.5 ms and [9](results/README.md#slowly.launches)\n```\n`4.5 ms`\n");
    EXPECT_EQ(claims({"check"}).exit_code, 0);
}

TEST_F(ClaimsCommand, WantALinkForWhatHasAUnit)
{
    scratch_.write("README.md", std::string(kReadme) + "Also 12.25 ms, of version 3.5, in 20 ms.\n");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_EQ(checked.err, fmt::format("nestbed: {}:5: 12.25 with a unit is of no claim; allowed: "
                                       "[12.25](results/README.md#CLAIM.NUMBER)\n",
                                       scratch_.path("README.md")));
}

TEST_F(ClaimsCommand, WantTheFilesThatTheReadmeShows)
{
    scratch_.write("README.md",
                   std::string(kReadme) + "![It](results/m/e.svg) ![Not](results/m/f.svg) [web](https://a.b/c)\n");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_EQ(checked.err, fmt::format("nestbed: {}:5: there is no results/m/f.svg\n", scratch_.path("README.md")));
}

TEST_F(ClaimsCommand, CheckEveryFileThatWasSummed)
{
    scratch_.write("results/m/SHA256SUMS", scratch_.read("results/m/SHA256SUMS") + "00  other.csv\n00  e.svg\n");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(checked.err, AllOf(HasSubstr("m/other.csv: there is no "),
                                   HasSubstr("m/e.svg is not the file that was measured")));
}

TEST_F(ClaimsCommand, FindTheReadmeFromAnywhere)
{
    const fs::path before = fs::current_path();
    fs::current_path(scratch_.path("results"));
    const Outcome inside = nestbed({"claims", "check", "--results", "."});
    fs::current_path(scratch_.path("results/m"));
    const Outcome below = nestbed({"claims", "check", "--results", "../"});
    fs::current_path(before);
    EXPECT_EQ(inside.err, "");
    EXPECT_EQ(below.err, "");
    fs::create_directories(scratch_.path("elsewhere"));
    fs::create_symlink(scratch_.path("results"), scratch_.path("elsewhere/link"));
    EXPECT_EQ(nestbed({"claims", "check", "--results", scratch_.path("elsewhere/link")}).err, "");
}

TEST_F(ClaimsCommand, WriteThroughALinkAndKeepPermissions)
{
    fs::rename(scratch_.path("README.md"), scratch_.path("real.md"));
    fs::permissions(scratch_.path("real.md"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("real.md", scratch_.path("README.md"));
    replace_in("real.md", "[5.00]", "[6.00]");
    EXPECT_EQ(claims({"write"}).exit_code, 0);
    EXPECT_TRUE(fs::is_symlink(scratch_.path("README.md")));
    EXPECT_EQ(scratch_.read("real.md"), kReadme);
    EXPECT_EQ(fs::status(scratch_.path("real.md")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ClaimsCommand, WritesWhereAnEndedRunHasLeftAPartialFile)
{
    replace_in("README.md", "[5.00]", "[6.00]");
    scratch_.write("README.md.partial", "half of it");
    EXPECT_EQ(claims({"write"}).exit_code, 0);
    EXPECT_FALSE(scratch_.has("README.md.partial"));
    EXPECT_THAT(scratch_.read("README.md"), HasSubstr("[5.00]"));
}

TEST_F(ClaimsCommand, NameAFolderInPlaceOfAFile)
{
    fs::remove(scratch_.path("results/m/e.csv"));
    fs::create_directories(scratch_.path("results/m/e.csv"));
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(checked.err, HasSubstr("claims quick, slowly: " + scratch_.path("results/m/e.csv") +
                                       ": it could not be read: Is a directory"));
}

TEST_F(ClaimsCommand, MissFiles)
{
    fs::remove(scratch_.path("results/m/e.svg"));
    EXPECT_THAT(claims({"check"}).err, HasSubstr("claims quick, slowly: there is no figure "));
    fs::remove(scratch_.path("results/m/SHA256SUMS"));
    EXPECT_THAT(claims({"check"}).err, HasSubstr("SHA256SUMS: it could not be read: No such file"));
    scratch_.write("results/m/SHA256SUMS", "00  other.csv\n");
    EXPECT_THAT(claims({"check"}).err, HasSubstr("SHA256SUMS has no line for "));
    scratch_.write("results/m/e.json", "{}");
    EXPECT_THAT(claims({"check"}).err, HasSubstr("e.json: it is no manifest of nestbed"));
    fs::remove(scratch_.path("results/m/e.csv"));
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 3);
    EXPECT_THAT(checked.err,
                HasSubstr("claims quick, slowly: " + scratch_.path("results/m/e.csv") + ": it could not be read"));
}

TEST_F(ClaimsCommand, WantAPlaceForThePage)
{
    scratch_.write("results/README.md", "# Nothing\n");
    const Outcome checked = claims({"check"});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_THAT(checked.err,
                HasSubstr("README.md: the claims have no place in it; allowed: a line <!-- claims: begin"));
}

TEST_F(ClaimsCommand, ListEveryNumber)
{
    const Outcome listed = claims({"list"});
    EXPECT_EQ(listed.exit_code, 0);
    EXPECT_THAT(listed.out, HasSubstr("slowly.times        5.00     4.58 to 5.50     3"));
    const nlohmann::json json = nlohmann::json::parse(claims({"list", "--json"}).out);
    const nlohmann::json& claim = json.at("claims").at(0);
    EXPECT_EQ(claim.at("claim"), "`fast` takes 11.0 µs.");
    EXPECT_EQ(claim.at("hardware"), "Some GPU");
    EXPECT_EQ(claim.at("minutes"), 1.5);
    EXPECT_EQ(claim.at("numbers").at(0).at("lines"), nlohmann::json({2, 3}));
    EXPECT_EQ(claim.at("numbers").at(0).at("value"), 11);
    EXPECT_TRUE(json.at("claims").at(1).at("numbers").at(0).at("low").is_null());
}

TEST_F(ClaimsCommand, CompareWithASecondRun)
{
    fs::create_directories(scratch_.path("again"));
    std::string again = kCsv;
    again.replace(again.find("slow,55"), 7, "slow,77");
    scratch_.write("again/e.csv", again);
    const Outcome compared = claims({"compare", scratch_.path("again"), "--csv", scratch_.path("second.csv")});
    EXPECT_EQ(compared.exit_code, 3);
    EXPECT_THAT(compared.out,
                AllOf(HasSubstr("within 10 %  near"), HasSubstr("the same     near"), HasSubstr("within 20 %  far")));
    EXPECT_THAT(scratch_.read("second.csv"),
                HasSubstr("slowly.times,,5,4.58333,5.5,7,6.41667,7.7,1.4000,0.2,far,\r\n"));
    const nlohmann::json json = nlohmann::json::parse(claims({"compare", scratch_.path("again"), "--json"}).out);
    EXPECT_EQ(json.at("claims").at(1).at("numbers").at(1).at("second").at("within"), false);
    scratch_.write("again/e.csv", kCsv);
    EXPECT_EQ(claims({"compare", scratch_.path("again")}).exit_code, 0);
    fs::remove(scratch_.path("again/e.csv"));
    const Outcome missing = claims({"compare", scratch_.path("again")});
    EXPECT_EQ(missing.exit_code, 3);
    EXPECT_THAT(missing.out, HasSubstr("not there"));
    EXPECT_EQ(missing.err, fmt::format("nestbed: {}: it could not be read: No such file or directory\n",
                                       scratch_.path("again/e.csv"))); // once
}

TEST_F(ClaimsCommand, CompareNothingThatNoHardwareMade)
{
    scratch_.write("results/m/e.csv", "strategy,gpu_us,launches,status\r\nfast,10,0,ok\r\nslow,50,8,ok\r\n");
    fs::remove(scratch_.path("results/m/e.json"));
    write_sum();
    const Outcome compared = claims({"compare", scratch_.path("results/m")});
    EXPECT_EQ(compared.err, "");
    EXPECT_THAT(compared.out, Not(HasSubstr("quick.us")));
}

TEST_F(ClaimsCommand, RefuseWhatIsNoAction)
{
    EXPECT_EQ(claims({"chekc"}).exit_code, 2);
    EXPECT_THAT(claims({"chekc"}).err,
                HasSubstr("claims chekc: there is no such action, did you mean 'check'?; allowed: check"));
    EXPECT_THAT(claims({}).err, HasSubstr("claims : there is no such action"));
    EXPECT_THAT(claims({"compare"}).err, HasSubstr("allowed: claims compare FOLDER"));
    EXPECT_THAT(claims({"check", "this"}).err, HasSubstr("claims check this: 2 words; allowed: claims check"));
    EXPECT_THAT(claims({"compare", "nowhere"}).err, HasSubstr("compare nowhere: there is no such folder"));
    EXPECT_THAT(claims({"check", "--json"}).err,
                HasSubstr("--json: claims check has none; allowed: with list, compare"));
    EXPECT_THAT(claims({"list", "--csv", "x.csv"}).err,
                HasSubstr("--csv x.csv: claims list writes none; allowed: with compare"));
    EXPECT_THAT(claims({"compare", scratch_.path("results"), "--csv", scratch_.path("README.md")}).err,
                HasSubstr("it is there already"));
    EXPECT_THAT(nestbed({"claims", "check", "--results", "nowhere"}).err,
                HasSubstr("nowhere/claims.json: it could not be read"));
    EXPECT_EQ(nestbed({"claims", "check", "--results", "nowhere"}).exit_code, 1);
    EXPECT_EQ(nestbed({"claims", "--help"}).exit_code, 0);
}

TEST(ClaimsOfTheRepository, AgreeWithItsDocumentsAndCsvs)
{
    const Outcome checked =
        nestbed({"claims", "check", "--results", (fs::path(NESTBED_EXPERIMENTS).parent_path() / "results").string()});
    EXPECT_EQ(checked.err, "");
    EXPECT_EQ(checked.exit_code, 0);
}

} // namespace
} // namespace nestbed
