#include "base/csv.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nestbed
{

std::string csv_line(const std::vector<std::string>& cells)
{
    std::string line;
    for (std::size_t index = 0; index < cells.size(); ++index) {
        const std::string& cell = cells[index];
        if (index > 0)
            line += ',';
        // Also quote cells with blanks at their ends: the blanks belong to the cell, and readers remove unquoted
        // ones.
        const bool blank_end = !cell.empty() && (std::isblank(static_cast<unsigned char>(cell.front())) != 0 ||
                                                 std::isblank(static_cast<unsigned char>(cell.back())) != 0);
        const bool blank_line = cell.empty() && cells.size() == 1; // unquoted, it would not be a row
        if (!blank_end && !blank_line && cell.find_first_of(",\"\r\n") == std::string::npos) {
            line += cell;
            continue;
        }
        std::string quoted(2 * cell.size() + 2, '\0');
        quoted.resize(csv_write(quoted.data(), quoted.size(), cell.data(), cell.size()));
        line += quoted;
    }
    return line + "\r\n";
}

class CsvReader::State
{
  public:
    explicit State(TextSource text) : text_(std::move(text))
    {
        if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0)
            throw RunError("the CSV parser could not be started");
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { csv_free(&parser_); }

    bool next(CsvRow& row)
    {
        if (complete_ != 0 && taken_ == complete_) {
            std::swap(rows_.front(), rows_[complete_]); // the row that has begun
            taken_ = complete_ = 0;
        }
        while (complete_ == 0 && !ended_)
            parse_line();
        if (taken_ == complete_)
            return false;
        std::swap<CsvRow>(row, rows_[taken_]);
        rows_[taken_++].cells_read = 0;
        return true;
    }

  private:
    // A row whose cells are replaced one by one, so that their memory is used again.
    struct OpenRow : CsvRow {
        std::size_t cells_read = 0;
    };

    // Parses up to the end of a line: libcsv does not report the current line, and skips blank lines.
    void parse_line()
    {
        if (piece_.empty())
            piece_ = text_.piece(parsed_, buffer_);
        if (piece_.empty()) {
            ended_ = true;
            if (csv_fini(&parser_, on_field, on_row, this) != 0)
                fail();
            return;
        }
        const std::size_t size = std::min(piece_.find('\n'), piece_.size() - 1) + 1;
        const std::size_t taken = csv_parse(&parser_, piece_.data(), size, on_field, on_row, this);
        parsed_ += taken;
        if (taken != size)
            fail();
        line_ += piece_[size - 1] == '\n' ? 1 : 0;
        piece_.remove_prefix(size);
    }

    [[noreturn]] void fail()
    {
        throw CsvError(fmt::format("byte {} of the CSV: {}", parsed_, csv_strerror(csv_error(&parser_))));
    }

    static void on_field(void* field, std::size_t size, void* data)
    {
        auto* const state = static_cast<State*>(data);
        OpenRow& row = state->rows_[state->complete_];
        const std::string_view cell(static_cast<const char*>(field), size);
        if (row.cells_read == 0) // libcsv reports a cell in the line in which it ends
            row.line = state->line_ - static_cast<std::size_t>(std::ranges::count(cell, '\n'));
        if (row.cells_read == row.cells.size())
            row.cells.emplace_back();
        row.cells[row.cells_read++].assign(cell);
    }

    static void on_row(int /*terminator*/, void* data)
    {
        auto* const state = static_cast<State*>(data);
        OpenRow& row = state->rows_[state->complete_++];
        row.cells.resize(row.cells_read);
        if (state->complete_ == state->rows_.size()) // a CR that does not end a line ends a row
            state->rows_.emplace_back();
    }

    TextSource text_;
    std::string buffer_;
    std::string_view piece_; // what is left of it
    std::size_t parsed_ = 0; // bytes
    std::size_t line_ = 1;
    bool ended_ = false;
    csv_parser parser_{};
    std::vector<OpenRow> rows_{1}; // those of the line that are complete, and the one that has begun
    std::size_t complete_ = 0;
    std::size_t taken_ = 0; // by next()
};

CsvReader::CsvReader(TextSource text) : state_(std::make_unique<State>(std::move(text))) {}
CsvReader::~CsvReader() = default;

bool CsvReader::next(CsvRow& row)
{
    return state_->next(row);
}

std::vector<CsvRow> parse_csv_rows(std::string_view text)
{
    CsvReader reader(text);
    std::vector<CsvRow> rows;
    for (CsvRow row; reader.next(row);)
        rows.push_back(std::exchange(row, {}));
    return rows;
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text)
{
    std::vector<std::vector<std::string>> rows;
    for (CsvRow& row : parse_csv_rows(text))
        rows.push_back(std::move(row.cells));
    return rows;
}

} // namespace nestbed
