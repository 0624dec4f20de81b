// The only way a number travels: with its unit, how it was come by, its spread and the evidence row behind it.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace aicf {

struct Metric {
  enum class Source {
    measured,
    exact,
    estimated,
    not_measured,
    not_permitted,
    not_supported
  } source = Source::not_measured;
  std::string id, unit, method, evidence; ///< evidence: row id, empty while not stored
  double value = 0, lo = 0, hi = 0;       ///< lo, hi: the spread that `method` names; equal to value when exact
  int samples = 0;
};

[[nodiscard]] std::string_view name_of(Metric::Source source);
[[nodiscard]] Metric exact_metric(std::string id, std::string unit, double value, std::string method = {});
[[nodiscard]] nlohmann::json to_json(const Metric& metric); ///< value is null unless measured, exact or estimated

} // namespace aicf
