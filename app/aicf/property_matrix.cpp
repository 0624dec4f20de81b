#include "app/aicf/property_matrix.hpp"

#include "app/aicf/command.hpp"
#include "core/base/cache_dir.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/expr/check.hpp"
#include "core/structure/properties/cache.hpp"

#include <chrono>
#include <iostream>

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

int property_matrix(const std::vector<std::filesystem::path>& files, bool json) {
  const auto start = std::chrono::steady_clock::now();
  int status = done;
  std::size_t decided = 0, unknown = 0;
  nlohmann::json list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (const auto& file : files) {
    Result<Definition> d = load_definition(file.string());
    status = std::max(status, report(d, d ? d->text : std::string()));
    if (!d) continue;
    Canonical canonical = canonicalize(std::make_shared<const Definition>(std::move(*d)));
    bool fresh = false;
    auto analysis = [&canonical] { return analyze(canonical); };
    std::vector<PropertyVerdict> verdicts = kept_properties(cache_dir() / "properties", canonical, analysis, &fresh);
    decided += fresh ? 1 : 0;
    std::vector<std::string> row{file.stem().string()};
    nlohmann::json cells = nlohmann::json::object();
    for (const PropertyVerdict& v : verdicts) {
      row.push_back(sign_of(v.answer));
      cells[v.property] = to_json(v);
      unknown += v.answer == PropertyVerdict::Answer::unknown ? 1 : 0;
    }
    rows.push_back(std::move(row));
    list.push_back({{"name", file.stem().string()},
                    {"structure_hash", to_hex(canonical.structure_hash)},
                    {"verdicts", std::move(cells)}});
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
