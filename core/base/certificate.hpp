// Evidence for a claim: what was claimed, by which method it was decided, and what a person can step through or re-run.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aicf {

/// One step of a derivation: `before` becomes `after` by `rule`. Texts are in the operator language.
struct Step {
  std::string rule, before, after;
};

/// Inputs on which a claim fails, by name, flattened in row-major order; what it should give and what it gives.
struct Witness {
  std::map<std::string, std::vector<double>> inputs;
  std::string expected, observed;
};

struct Certificate {
  enum class Verdict { proven, probably, refuted, unknown } verdict = Verdict::unknown;
  std::string id, claim, method;
  int trials = 0;
  double bound = 1; ///< probability that a `probably` is false; 0 for proven and refuted
  std::uint64_t seed = 0;
  std::vector<Step> steps;
  std::optional<Witness> witness;
};

[[nodiscard]] std::string_view name_of(Certificate::Verdict verdict);
[[nodiscard]] nlohmann::json to_json(const Certificate& certificate);

} // namespace aicf
