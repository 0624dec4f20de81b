#include "core/plan/compositions.hpp"

#include "core/base/atlas_path.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace aicf {
namespace {

using nlohmann::json;

std::vector<Composition> read() {
  std::vector<Composition> out;
  std::ifstream in(atlas_dir() / "compositions.json");
  const json document = json::parse(in, nullptr, false);
  if (!document.is_object() || !document.contains("compositions")) return out;
  for (const json& entry : document["compositions"]) {
    Composition c{entry.value("id", ""),
                  entry.value("family", ""),
                  entry.value("title", ""),
                  entry.value("joins", std::vector<std::string>()),
                  {},
                  entry.value("gives", "")};
    const json when = entry.value("when", json::object());
    for (const auto& [param, value] : when.items())
      c.when[param] = value.is_string() ? value.get<std::string>() : value.dump();
    out.push_back(std::move(c));
  }
  return out;
}

} // namespace

const std::vector<Composition>& compositions() {
  static const std::vector<Composition> all = read();
  return all;
}

} // namespace aicf
