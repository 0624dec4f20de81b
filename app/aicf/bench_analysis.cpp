// aicf bench analysis: from text to structure profile.
#include "app/aicf/bench.hpp"
#include "app/aicf/command.hpp"
#include "core/base/atlas_path.hpp"
#include "core/expr/check.hpp"

#include <chrono>

namespace aicf::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Every operator of the atlas, from text to structure profile, timed one by one.
json bench_analysis() {
  std::vector<double> times;
  json each = json::object();
  auto files = atlas_operator_files();
  if (!files) return {{"missing", files.missing->what}};
  for (const std::filesystem::path& file : *files) {
    auto start = Clock::now();
    auto definition = load_definition(file.string());
    if (!definition) continue;
    auto profile = analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition))));
    times.push_back(1e3 * seconds_since(start));
    each[file.stem().string()] = times.back();
  }
  return {{"operators", times.size()}, {"ms", to_json(bench_spread(times), "ms")}, {"each_ms", each}};
}

const RegisterBench registered{{"analysis", "Analysis of every operator of the atlas", true, [](CLI::App&) {
                                  return [](std::stop_token, const BenchKeep&) {
                                    BenchOutcome out;
                                    out.value = bench_analysis();
                                    if (out.value.contains("ms")) {
                                      std::ostringstream text;
                                      text << "analysis   " << out.value["ms"]["median"].get<double>()
                                           << " ms an operator (median of " << out.value["operators"] << ")\n";
                                      out.text = text.str();
                                    }
                                    return out;
                                  };
                                }}};

} // namespace
} // namespace aicf::cli
