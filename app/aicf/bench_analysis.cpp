// aicf bench analysis: from text to structure profile; a query of the ledger; the matrix of properties.
#include "app/aicf/bench.hpp"
#include "app/aicf/command.hpp"
#include "app/aicf/interrupt.hpp"
#include "app/aicf/property_matrix.hpp"
#include "core/base/atlas_path.hpp"
#include "core/expr/check.hpp"
#include "core/semantics/legality.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <sstream>

namespace aicf::cli {
namespace {

using nlohmann::json;

constexpr unsigned threads = 2;

/// The whole op x property matrix with nothing kept, and again from what the first run has kept.
json bench_properties(const std::vector<std::filesystem::path>& files, const std::stop_token& stop) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("aicf-bench-properties-" + std::to_string(getpid()));
  json out{{"threads", threads}, {"unit", "s"}};
  std::size_t cells = 0, unknown = 0;
  for (const char* run : {"cold", "cached"}) {
    const auto start = BenchClock::now();
    const std::clock_t worked = std::clock(); // what else the machine does is not counted
    const std::vector<PropertyRow> rows = property_rows(files, folder, threads, stop);
    out[run] = seconds_since(start);
    out[std::string(run) + "_processor"] = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
    cells = unknown = 0;
    for (const PropertyRow& row : rows)
      for (const PropertyVerdict& v : row.verdicts) {
        ++cells;
        unknown += v.answer == PropertyVerdict::Answer::unknown ? 1 : 0;
      }
  }
  out["cells"] = cells, out["unknown"] = unknown;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return out;
}

/// Every operator of the atlas, from text to structure profile, timed one by one; a query of the ledger on each; the
/// properties of all.
json bench_analysis(const std::stop_token& stop) {
  std::vector<double> times, queries;
  const CompilerProfile rules;
  json each = json::object();
  auto files = atlas_operator_files();
  if (!files) return {{"missing", files.missing->what}};
  for (const std::filesystem::path& file : *files) {
    if (stop.stop_requested()) return {};
    auto start = BenchClock::now();
    auto definition = load_definition(file.string());
    if (!definition) continue;
    auto profile = analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition))));
    times.push_back(1e3 * seconds_since(start));
    each[file.stem().string()] = times.back();
    (void)judge(profile, rules); // the texts of the atlas are read once a process
    start = BenchClock::now();
    if (!judge(profile, rules).rows.empty()) queries.push_back(1e3 * seconds_since(start));
  }
  json properties = bench_properties(*files, stop);
  if (stop.stop_requested()) return {};
  return {{"operators", times.size()},
          {"ms", to_json(bench_spread(times), "ms")},
          {"each_ms", each},
          {"legality_ms", to_json(bench_spread(queries), "ms")},
          {"legality_worst_ms", queries.empty() ? 0 : *std::max_element(queries.begin(), queries.end())},
          {"properties_s", std::move(properties)}};
}

const RegisterBench registered{{"analysis", "Analysis of every operator of the atlas", true, [](CLI::App&) {
                                  return [](std::stop_token stop, const BenchKeep&) {
                                    BenchOutcome out;
                                    out.value = bench_analysis(stop);
                                    if (out.value.is_null()) out.status = stopped();
                                    if (out.value.contains("ms")) {
                                      std::ostringstream text;
                                      const json& properties = out.value["properties_s"];
                                      text << "analysis   " << out.value["ms"]["median"].get<double>()
                                           << " ms an operator (median of " << out.value["operators"] << ")\n"
                                           << "legality   " << out.value["legality_ms"]["median"].get<double>()
                                           << " ms a query of an analysed operator (worst "
                                           << out.value["legality_worst_ms"].get<double>() << ")\n"
                                           << "properties " << properties["cold"].get<double>()
                                           << " s for the whole matrix on " << threads << " threads ("
                                           << properties["cold_processor"].get<double>() << " s of processor time), "
                                           << properties["cached"].get<double>() << " s when kept; "
                                           << properties["unknown"] << " of " << properties["cells"]
                                           << " cells unknown\n";
                                      out.text = text.str();
                                    }
                                    return out;
                                  };
                                }}};

} // namespace
} // namespace aicf::cli
