// What was run, on what, how, when, and what was measured: the row behind a shown number.
#pragma once
#include "core/base/hash.hpp"
#include "core/base/metric.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace aicf {

/// All that decides whether a stored result may stand for a new question. A field that does not matter is empty (or
/// zero), and then does not matter for anybody.
struct RunKey {
  std::string kind; ///< "compile" "validate" "time" "probe.…"
  Hash source{}, options{}, profile{};
  std::string shape, dtype, device, driver, toolkit, timer;
};

struct Evidence {
  std::string id; ///< content hash; filled by the store
  RunKey key;
  std::string started; ///< UTC, ISO 8601, as utc_now() writes it
  std::string host, command, status;
  std::uint64_t seed = 0;
  double seconds = 0;
  std::vector<Metric> metrics; ///< of different ids; their `evidence` is this row's id once it is read from the store
};

/// A number that guides choices before anything was measured here; it carries where it came from and how old it may
/// get.
struct Prior {
  std::string id, unit, rule, device, driver;
  std::string measured; ///< UTC, ISO 8601
  double value = 0, lo = 0, hi = 0;
  int expires_days = 0; ///< after `measured`; 0: never
  std::vector<std::string> evidence;
};

/// Something kept under the hash of its bytes: a source, PTX, a plan, a transcript.
struct Artefact {
  std::string kind, data;
};

[[nodiscard]] Hash hash_of(const RunKey& key); ///< over every field
/// The content hash of a row (its `id` and its metrics' `evidence` left out) with the artefacts it refers to.
[[nodiscard]] std::string content_id(const Evidence& evidence, const std::vector<Hash>& artefacts);

[[nodiscard]] nlohmann::json to_json(const RunKey& key);
[[nodiscard]] nlohmann::json to_json(const Evidence& evidence);
[[nodiscard]] nlohmann::json to_json(const Prior& prior);

[[nodiscard]] std::string utc_now(); ///< "2026-01-31T12:34:56.789Z"
[[nodiscard]] std::string host_name();

} // namespace aicf
