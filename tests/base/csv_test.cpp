// Tests how rows of CSV files are written (RFC 4180).
#include "base/csv.hpp"

#include <gtest/gtest.h>

namespace nestbed
{
namespace
{

TEST(CsvLine, QuotesWhatNeedsItAndNothingElse)
{
    EXPECT_EQ(csv_line({"nosync", "", "12.5", "a b"}), "nosync,,12.5,a b\r\n");
    EXPECT_EQ(csv_line({"a,b", "say \"so\"", "two\nlines", " blank", "blank\t"}),
              "\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\" blank\",\"blank\t\"\r\n");
    EXPECT_EQ(csv_line({""}), "\"\"\r\n"); // an empty line would not be a row
}

} // namespace
} // namespace nestbed
