// One case of `aicf bench`: a file that registers itself, with options of its own.
#pragma once
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf::cli {

/// What a case came to. `value` stands in the document under the case's id.
struct BenchOutcome {
  nlohmann::json value;
  nlohmann::json top = nlohmann::json::object(); ///< further fields of the document itself
  std::string text;                              ///< lines for people
  int status = 0;                                ///< Exit; why it is not `done` is printed already
};

/// Keeps an unfinished value in --out: what is done stays, whatever comes.
using BenchKeep = std::function<void(const nlohmann::json& value)>;
using BenchRun = std::function<BenchOutcome(std::stop_token, const BenchKeep&)>;

struct BenchCase {
  std::string id, about;
  bool unnamed = true; ///< also run by `aicf bench` alone
  /// Adds the options of the case; returns what runs it.
  std::function<BenchRun(CLI::App&)> setup;
};
struct RegisterBench {
  explicit RegisterBench(BenchCase one);
};

using BenchClock = std::chrono::steady_clock;
[[nodiscard]] double seconds_since(BenchClock::time_point start);

struct BenchSpread {
  double median = 0, low = 0, high = 0; // quartiles
};
[[nodiscard]] BenchSpread bench_spread(std::vector<double> values); ///< of none: zeros
[[nodiscard]] nlohmann::json to_json(const BenchSpread& spread, const char* unit);

} // namespace aicf::cli
