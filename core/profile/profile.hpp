// A compiler profile: the rules that a user ticked, with parameters. "aicf.profile/1" (DESIGN.md, sections 10 and 14).
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/hash.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aicf {

/// What must stay the same from run to run, batch to batch, device to device: each contains the ones before.
enum class Order : std::uint8_t { any, run_to_run, batch_invariant, device_to_device };
/// How far results may move from the baseline: each contains the ones before.
enum class Arithmetic : std::uint8_t { bitwise, reassociated, rescaled, approximate };

struct Ticks {
  std::vector<std::string> require, forbid;
  bool operator==(const Ticks&) const = default;
};

struct CompilerProfile {
  std::string name = "default";
  Order order = Order::batch_invariant;
  Arithmetic arithmetic = Arithmetic::approximate;
  double epsilon = 1e-2; ///< acceptable relative bound under `approximate`, over the output's own magnitude
  Ticks properties, transformations;
  std::vector<std::string> primitives; ///< allowed ids; empty: all
  std::string accumulate = "f32";      ///< "f32" | "compensated" | "f64"
  /// For each: "same" (as the reference) or "any".
  std::string nan = "same", infinity = "same", empty = "same", fully_masked = "same";
  std::int64_t workspace_bytes = 64 << 20, registers = 255, shared_bytes = 232448, spills = 0;
  bool foreign_priors = false;
  int prior_max_age_days = 180;
  std::vector<std::int64_t> validation_shapes; ///< extra row lengths
  int validation_seeds = 2;
  std::vector<std::string> adversarial{"exact", "outlier", "special"};
  bool allow_approximation = true, allow_recomputation = true;
  bool operator==(const CompilerProfile&) const = default;
};

[[nodiscard]] std::string_view name_of(Order order);
[[nodiscard]] std::string_view name_of(Arithmetic arithmetic);

[[nodiscard]] nlohmann::json to_json(const CompilerProfile& profile);
/// Unknown fields, wrong types and unknown words are errors with a JSON pointer as their place; all are reported.
[[nodiscard]] Result<CompilerProfile> profile_from_json(std::string_view text, std::string_view file);
[[nodiscard]] Result<CompilerProfile> load_profile(const std::string& path); ///< JSON or DSL, by what it holds
[[nodiscard]] Hash hash_of(const CompilerProfile& profile);                  ///< the name does not count

/// The text form (`*.acp`): one setting a line. profile_from_text(to_text(p)) == p.
[[nodiscard]] std::string to_text(const CompilerProfile& profile);
[[nodiscard]] Result<CompilerProfile> profile_from_text(std::string_view text, std::string_view file);

/// JSON Schema (draft 2020-12) of the JSON form.
[[nodiscard]] nlohmann::json profile_schema();
/// "before -> after" for every setting that differs.
[[nodiscard]] std::vector<std::string> diff(const CompilerProfile& a, const CompilerProfile& b);

} // namespace aicf
