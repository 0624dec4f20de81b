#include "core/semantics/atlas.hpp"

#include "core/base/atlas_path.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

namespace aicf {
namespace {

std::map<std::string, TransformationText> read() {
  std::map<std::string, TransformationText> texts;
  std::ifstream in(atlas_dir() / "transformations.json");
  nlohmann::json document = nlohmann::json::parse(in, nullptr, false);
  if (!document.is_object() || !document.contains("transformations")) return texts;
  for (const auto& entry : document["transformations"]) {
    auto text = [&](const char* key) { return entry.value(key, std::string()); };
    texts[text("id")] = {text("title"), text("before"), text("after"), text("law"), text("premises"), text("why")};
  }
  return texts;
}

} // namespace

TransformationText transformation_text(const std::string& id) {
  static const std::map<std::string, TransformationText> texts = read();
  auto found = texts.find(id);
  return found != texts.end() ? found->second : TransformationText{id, {}, {}, {}, {}, {}};
}

} // namespace aicf
