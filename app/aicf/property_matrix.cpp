#include "app/aicf/property_matrix.hpp"

#include "app/aicf/command.hpp"
#include "app/aicf/interrupt.hpp"
#include "core/base/cache_dir.hpp"
#include "core/expr/check.hpp"
#include "core/structure/properties/cache.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

namespace aicf::cli {
namespace {

std::string sign_of(PropertyVerdict::Answer answer) {
  switch (answer) {
  case PropertyVerdict::Answer::holds: return "+";
  case PropertyVerdict::Answer::fails: return "-";
  case PropertyVerdict::Answer::not_applicable: return ".";
  default: return "?";
  }
}

} // namespace

std::vector<PropertyRow> property_rows(const std::vector<std::filesystem::path>& files,
                                       const std::filesystem::path& folder, unsigned threads,
                                       const std::stop_token& stop) {
  std::vector<PropertyRow> rows(files.size());
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < files.size() && !stop.stop_requested(); i = next++) {
      PropertyRow& row = rows[i];
      row.name = files[i].stem().string();
      Result<Definition> d = load_definition(files[i].string());
      row.diagnostics = d.diagnostics;
      if (!d) continue;
      row.text = d->text;
      Canonical canonical = canonicalize(std::make_shared<const Definition>(std::move(*d)));
      row.structure = canonical.structure_hash;
      auto analysis = [&] { return analyze(canonical, 1, stop); };
      row.verdicts = kept_properties(folder, canonical, analysis, &row.fresh, stop);
    }
  };
  std::vector<std::jthread> pool;
  for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work);
  work();
  pool.clear(); // joins
  return rows;
}

int property_matrix(const std::vector<std::filesystem::path>& files, bool json, const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
  const std::vector<PropertyRow> decided_rows = property_rows(files, cache_dir() / "properties", threads, stop);
  if (stop.stop_requested()) return stopped();
  int status = done;
  std::size_t decided = 0, unknown = 0;
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (const PropertyRow& op : decided_rows) {
    status = std::max(status, report(op.diagnostics, {}, op.text));
    if (op.verdicts.empty()) continue;
    decided += op.fresh ? 1 : 0;
    std::vector<std::string> row{op.name};
    nlohmann::json cells = nlohmann::json::object();
    for (const PropertyVerdict& v : op.verdicts) {
      row.push_back(sign_of(v.answer));
      cells[v.property] = to_json(v);
      unknown += v.answer == PropertyVerdict::Answer::unknown ? 1 : 0;
    }
    rows.push_back(std::move(row));
    list.push_back({{"name", op.name}, {"structure_hash", to_hex(op.structure)}, {"verdicts", std::move(cells)}});
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (json) {
    std::vector<std::string> ids;
    for (const Property& p : properties()) ids.push_back(p.id);
    print_json({{"schema", "aicf.property_matrix/1"},
                {"properties", ids},
                {"ops", list},
                {"decided", decided},
                {"unknown", unknown},
                {"seconds", seconds}});
    return status;
  }
  std::vector<std::string> header{"operator"};
  for (std::size_t k = 1; k <= properties().size(); ++k) header.push_back(std::to_string(k));
  std::cout << table(header, rows) << "\n+ holds, - fails, . not applicable, ? unknown\n\n";
  for (std::size_t k = 0; k < properties().size(); ++k)
    std::cout << k + 1 << "  " << properties()[k].id << ": " << property_text(properties()[k].id).definition << "\n";
  std::cout << "\n"
            << rows.size() << " operators, " << decided << " decided now, " << rows.size() - decided << " kept; "
            << unknown << " of " << rows.size() * properties().size() << " cells unknown\n";
  return status;
}

} // namespace aicf::cli
