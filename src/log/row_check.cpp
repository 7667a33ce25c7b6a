#include "log/row_check.hpp"

#include "base/error.hpp"
#include "log/launch_rules.hpp"
#include "log/time_rules.hpp"

#include <fmt/format.h>

namespace nestbed
{

Status status_of(const ParsedLog& log, const LogRow& row)
{
    const std::string& text = row.cells[log.column("status")];
    for (const Status status : kStatuses)
        if (text == name_of(status))
            return status;
    throw RunError(fmt::format("{}:{}: status is '{}'; allowed: {}", log.path, row.line, text,
                               form_text(Form::status, nullptr)));
}

void RowCheck::begin(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs)
{
    cells_.emplace(log);
    cases_.begin(log, runs);
    runs_.begin(runs);
}

void RowCheck::check(const LogRow& row)
{
    cells_->read(row);
    runs_.check(*cells_);
    cases_.check(*cells_);
    for (const std::span<const RowRule> rules : {time_rules(), launch_rules()})
        for (const RowRule& rule : rules)
            rule.check(*cells_);
}

void RowCheck::check_once(const LogRow& row)
{
    check(row);
    cases_.check_first(*cells_);
}

std::vector<RuleText> all_row_rules()
{
    std::vector<RuleText> all;
    for (const std::vector<RuleText>& rules :
         {texts_of(time_rules()), texts_of(launch_rules()), CaseRules::rules(), RunRules::rules()})
        all.insert(all.end(), rules.begin(), rules.end());
    return all;
}

} // namespace nestbed
