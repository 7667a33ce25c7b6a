// How rows of CSV files are written and read (RFC 4180).
#include "base/csv.hpp"

#include "support/support.hpp"

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
    EXPECT_EQ(csv_line({"a\rb", "\""}), "\"a\rb\",\"\"\"\"\r\n");
}

std::vector<std::size_t> lines_of(std::string_view text)
{
    std::vector<std::size_t> lines;
    for (const CsvRow& row : parse_csv_rows(text))
        lines.push_back(row.line);
    return lines;
}

TEST(Csv, HasRowsOfCells)
{
    EXPECT_THAT(parse_csv(""), IsEmpty());
    EXPECT_THAT(parse_csv("a,b\r\n1,\r\n"), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "")));
    EXPECT_THAT(parse_csv("a\nb"), ElementsAre(ElementsAre("a"), ElementsAre("b"))); // the last without a line end
    EXPECT_THAT(parse_csv("\"\"\r\n"), ElementsAre(ElementsAre("")));
    EXPECT_THAT(parse_csv("\"a,b\",\"say \"\"so\"\"\"\n"), ElementsAre(ElementsAre("a,b", "say \"so\"")));
}

// Rows use the same memory one after another: nothing is left of the longer row before.
TEST(Csv, RowsMayGetShorterAndLonger)
{
    EXPECT_THAT(parse_csv("a,b,c\r\nd\r\nlong text,f\r\ng,h,i,j\r\n"),
                ElementsAre(ElementsAre("a", "b", "c"), ElementsAre("d"), ElementsAre("long text", "f"),
                            ElementsAre("g", "h", "i", "j")));
    CsvReader reader(std::string_view("a,b,c\r\nd\r\n"));
    CsvRow row;
    ASSERT_TRUE(reader.next(row));
    ASSERT_TRUE(reader.next(row));
    EXPECT_THAT(row.cells, ElementsAre("d"));
    EXPECT_FALSE(reader.next(row));
    EXPECT_FALSE(reader.next(row)); // and it stays at the end
}

TEST(Csv, ARowBeginsInTheLineOfItsFirstCell)
{
    EXPECT_THAT(lines_of("a\r\nb\r\nc\r\n"), ElementsAre(1, 2, 3));
    EXPECT_THAT(lines_of("a,\"two\nlines\"\r\nb\r\n"), ElementsAre(1, 3));
    EXPECT_THAT(lines_of("\"three\n\nlines\",a\r\nb"), ElementsAre(1, 4));
    EXPECT_THAT(lines_of("\r\n\na\r\n\r\nb\n"), ElementsAre(3, 5)); // blank lines are no rows
}

// libcsv takes a CR alone for the end of a row.
TEST(Csv, ALineMayHaveSeveralRows)
{
    EXPECT_THAT(parse_csv("a,b\rc,d\re\r\nf\r\n"),
                ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"), ElementsAre("e"), ElementsAre("f")));
    EXPECT_THAT(lines_of("a\rb\rc\r\nd\r\n"), ElementsAre(1, 1, 1, 2));
    EXPECT_THAT(parse_csv("a\rb"), ElementsAre(ElementsAre("a"), ElementsAre("b")));
}

TEST(Csv, ThatIsNoneIsRefusedAtItsByte)
{
    const auto refusal = [](std::string_view text) {
        return text_of<CsvError>([&] { static_cast<void>(parse_csv(text)); });
    };
    EXPECT_THAT(refusal("a,b\r\nc\"d,e\r\n"), StartsWith("byte 6 of the CSV: "));
    EXPECT_THAT(refusal("a\r\n\"b\"c\r\n"), StartsWith("byte 6 of the CSV: "));
    EXPECT_THAT(refusal("a\r\n\"never closed"), StartsWith("byte 16 of the CSV: "));
}

// A line that is longer than what is read of a file at once.
TEST(Csv, OfAFileIsReadInPieces)
{
    const ScratchFolder folder;
    const std::string cell((std::size_t{1} << 20) + 5, 'x');
    CsvReader reader(TextSource::of_file(folder.write("a.csv", "a,b\r\n" + cell + ",c\r\nd,e\r\n")));
    CsvRow row;
    ASSERT_TRUE(reader.next(row));
    EXPECT_THAT(row.cells, ElementsAre("a", "b"));
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row.line, 2U);
    EXPECT_THAT(row.cells, ElementsAre(cell, "c"));
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row.line, 3U);
    EXPECT_THAT(row.cells, ElementsAre("d", "e"));
    EXPECT_FALSE(reader.next(row));
}

} // namespace
} // namespace nestbed
