#include "core/semantics/atlas.hpp"

#include "core/base/atlas_path.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

namespace aicf {
namespace {

using nlohmann::json;

std::string listed(const json& values) {
  std::string text;
  for (const json& v : values) text += (text.empty() ? "" : ", ") + v.dump();
  return text;
}

WorkedExample example_from(const json& entry) {
  WorkedExample out;
  const json example = entry.value("example", json::object());
  out.before = example.value("before", std::string());
  out.after = example.value("after", std::string());
  out.tolerance = example.value("tolerance", 0.0);
  const json inputs = example.value("inputs", json::object());
  for (const auto& [name, tensor] : inputs.items()) {
    const json values = tensor.value("values", json::array());
    out.inputs.push_back(name + "[" + listed(tensor.value("shape", json::array())) + "] = " + listed(values));
  }
  return out;
}

std::map<std::string, TransformationText> read() {
  std::map<std::string, TransformationText> texts;
  std::ifstream in(atlas_dir() / "transformations.json");
  json document = json::parse(in, nullptr, false);
  if (!document.is_object() || !document.contains("transformations")) return texts;
  for (const auto& entry : document["transformations"]) {
    auto text = [&](const char* key) { return entry.value(key, std::string()); };
    texts[text("id")] = {text("title"),
                         text("before"),
                         text("after"),
                         text("law"),
                         text("premises"),
                         text("why"),
                         entry.value("references", std::vector<std::string>()),
                         example_from(entry)};
  }
  return texts;
}

} // namespace

TransformationText transformation_text(const std::string& id) {
  static const std::map<std::string, TransformationText> texts = read();
  auto found = texts.find(id);
  if (found != texts.end()) return found->second;
  TransformationText unknown;
  unknown.title = id;
  return unknown;
}

} // namespace aicf
