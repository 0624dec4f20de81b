#include "app/aicf/counter_table.hpp"

#include "app/aicf/command.hpp"
#include "app/aicf/document.hpp"

#include <algorithm>

namespace aicf::cli {

std::string counter_table(const nlohmann::json& metrics) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> reasons;
  for (const nlohmann::json& m : metrics) {
    const nlohmann::json& value = member(m, "value");
    std::string state = text_in(member(m, "source"));
    std::replace(state.begin(), state.end(), '_', ' ');
    const bool known = value.is_number();
    rows.push_back({text_in(member(m, "id")), known ? value.dump() : state, text_in(member(m, "unit")),
                    known ? state : std::string()});
    const std::string reason = state + ": " + text_in(member(m, "method"));
    if (!known && std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  std::string text = table({"counter", "value", "unit", "source"}, rows);
  for (const std::string& reason : reasons) text += reason + "\n";
  return text;
}

} // namespace aicf::cli
