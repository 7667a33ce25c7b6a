// How a run under a profiler can end. A script writes what ncu and nestbed would write. cli/profile_test.cpp uses
// nestbed itself.
#include "support/profile_support.hpp"

#include "base/csv.hpp"

namespace nestbed
{
namespace
{

class ProfileEnd : public Profile
{
  protected:
    // A profiler that writes a ledger with a wrong row and a report, and then ends like this.
    std::string wrong_row_and(const std::string& end) const
    {
        folder.write("row", csv_line({"strategy", "mechanism", "launches_expected", "launches_attempted", "status"}) +
                                csv_line({"hello", "null", "12", "12", "wrong"}));
        return ncu("cp '" + folder.path("row") + "' \"${report%.ncu-rep}.csv\"; echo report > \"$report\"; " + end);
    }
};

TEST_F(ProfileEnd, WithoutARowIsSaidInTheWordsOfNcu)
{
    EXPECT_EQ(reason(options(ncu("echo '==ERROR== the reason'; exit 9"))), "the reason");
}

TEST_F(ProfileEnd, OfARowThatIsNotOkIsCounted)
{
    const Reconciled one = profile({hello_case()}, options(wrong_row_and("exit 3"))).at(0);
    EXPECT_EQ(one.verdict, Verdict::equal) << one.detail;
    EXPECT_EQ(one.cell("status"), "wrong");
}

TEST_F(ProfileEnd, BySignalIsNotCountedWhateverItLeft)
{
    EXPECT_EQ(reason(options(wrong_row_and("kill -9 $$"))), "ncu ended with signal 9 (Killed)");
}

} // namespace
} // namespace nestbed
