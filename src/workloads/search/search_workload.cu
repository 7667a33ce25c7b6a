// The workload `search`: the tree of a case, as the host knows it, and what a search must find.
#include "workloads/search/search.hpp"

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

constexpr std::uint64_t kMaxBoards = std::uint64_t{1} << 26; // above the cutoff

bool of_queens(const Case& point)
{
    return point.input == SearchInput::queens;
}

// Why a case cannot be searched; empty if it can.
std::string why_no_search(const Case& point)
{
    const std::uint64_t most = max_search_size(point.input);
    if (search_size(point) == 0)
        return "a search with input " + std::string(name_of(point.input)) + " has no size; allowed: from 1 on";
    if (search_size(point) <= most)
        return "";
    const std::string what = of_queens(point) ? " queens"
                             : point.input == SearchInput::t1 || point.input == SearchInput::path
                                 ? " levels"
                                 : " children of the root";
    return std::to_string(search_size(point)) + what + " are too many for " + std::string(name_of(point.input)) +
           "; allowed: at most " + std::to_string(most);
}

// The reference, and the buffers.
class SearchData
{
  public:
    static auto key_of(const Case& point) { return std::tuple(point.input, search_size(point)); }

    SearchData(Context& context, const Case& point)
        : totals_(context.allocate<SearchTotals>(kTotals, "totals")),
          thresholds_(context.allocate<unsigned>(kMaxChildren, "thresholds"))
    {
        if (of_queens(point)) {
            found_ = search_queens(point[SearchParameter::queens]);
            queens_ = QueensTree{point[SearchParameter::queens]};
            return;
        }
        const TreeShape shape = tree_shape(point);
        tree_.emplace(shape);
        found_ = tree_->found();
        const std::vector<std::uint32_t> thresholds = tree_thresholds();
        context.upload(thresholds_, std::span<const std::uint32_t>(thresholds));
        hashes_ = HashTree{shape, thresholds_.data(), shape.root()};
    }

    RequestOracle oracle(const Case& point, SearchForm form) const
    {
        return count_search(point, form, tree_ ? &*tree_ : nullptr);
    }

    SearchJob job(Context& context, const RequestJob& of, std::uint64_t boards)
    {
        context.fill_bytes(totals_, 0, totals_.size());
        SearchJob job{of};
        job.hashes = tree_ ? &hashes_ : nullptr;
        job.queens = tree_ ? nullptr : &queens_;
        job.found = totals_.data();
        job.inner_nodes = found_.nodes - found_.leaves;
        job.root_children = tree_ ? tree_->children(0) : (queens_.queens + 1) / 2;
        job.widest = tree_ ? tree_->widest() : boards;
        job.levels = found_.depth;
        job.deep = tree_ && found_.depth > kChunk;
        return job;
    }

    void verify(Context& context, Sample& sample) const
    {
        std::array<SearchTotals, kTotals> parts{};
        context.download(std::span<SearchTotals>(parts), totals_);
        SearchFound found;
        for (const SearchTotals& part : parts) {
            found.nodes += part.nodes;
            found.leaves += part.leaves;
            found.answer += part.answer;
            found.depth = std::max(found.depth, part.depth);
        }
        sample.answer = std::to_string(found.answer);
        sample.reference = std::to_string(found_.answer);
        sample.work = found.nodes;
        if (found == found_)
            return;
        sample.status = Status::wrong;
        sample.detail = "found " + text_of(found) + "; there are " + text_of(found_);
    }

  private:
    std::string text_of(const SearchFound& found) const
    {
        return (tree_ ? "" : std::to_string(found.answer) + " solutions, ") + std::to_string(found.nodes) +
               " nodes, " + std::to_string(found.leaves) + " leaves, depth " + std::to_string(found.depth);
    }

    Buffer<SearchTotals> totals_;
    Buffer<unsigned> thresholds_;
    std::optional<KnownTree> tree_; // empty: queens
    SearchFound found_;
    HashTree hashes_{};
    QueensTree queens_{};
};

class SearchWorkload final : public RequestWorkloadOf<SearchData>
{
  public:
    using WorkloadTraits = SearchTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        constexpr std::array<std::string_view, 3> kForms{"flat", "children", "budget"};
        const SearchForm form = strategy_of<WorkloadTraits>(strategy).facts().form;
        if (const std::string why = why_no_search(point); !why.empty())
            throw Unsupported(why);
        boards_ = 0;
        if (of_queens(point) && strategy.info().has(SearchParameter::cutoff)) {
            boards_ = boards_within(point[SearchParameter::queens], point[SearchParameter::cutoff], kMaxBoards);
            if (boards_ > kMaxBoards)
                throw Unsupported("more than " + std::to_string(kMaxBoards) + " boards have at most " +
                                  std::to_string(point[SearchParameter::cutoff]) +
                                  " queens; allowed: a smaller cutoff");
        }
        prepare(point);
        return remember(strategy, point, kForms.at(static_cast<std::size_t>(form)),
                        [&](const Case& of) { return data().oracle(of, form); });
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& search = strategy_of<WorkloadTraits>(strategy);
        const SearchJob job = data().job(run.context, request_job(run, search_roots(run.point)), boards_);
        const std::function<void()> work = search.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sample);
        report(run, sample, *sample.work);
        return sample;
    }

  private:
    std::uint64_t boards_ = 0; // down to the cutoff of the current case
};

const RegisterWorkload<SearchWorkload> search_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
