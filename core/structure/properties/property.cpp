#include "core/structure/properties/property.hpp"

#include "core/base/atlas_path.hpp"
#include "core/base/json.hpp"
#include "core/structure/properties/instance.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

namespace aicf {
namespace {

using Answer = PropertyVerdict::Answer;

std::vector<Property>& registry() {
  static std::vector<Property> all;
  return all;
}

nlohmann::json values_json(const std::map<std::string, std::vector<double>>& tensors) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, values] : tensors) {
    out[name] = nlohmann::json::array();
    for (double v : values) out[name].push_back(json_number(v));
  }
  return out;
}

std::map<std::string, std::vector<double>> values_from(const nlohmann::json& tensors) {
  std::map<std::string, std::vector<double>> out;
  for (const auto& [name, values] : tensors.items())
    for (const auto& v : values) out[name].push_back(v.get<double>());
  return out;
}

constexpr std::array<std::pair<Answer, std::string_view>, 4> words{{{Answer::holds, "holds"},
                                                                    {Answer::fails, "fails"},
                                                                    {Answer::not_applicable, "not applicable"},
                                                                    {Answer::unknown, "unknown"}}};

} // namespace

std::string_view name_of(Answer answer) { return words[static_cast<std::size_t>(answer)].second; }

RegisterProperty::RegisterProperty(Property property) {
  auto& all = registry();
  auto at = std::lower_bound(all.begin(), all.end(), property.id,
                             [](const Property& p, const std::string& id) { return p.id < id; });
  if (at != all.end() && at->id == property.id) throw std::logic_error("property registered twice: " + property.id);
  all.insert(at, std::move(property));
}

const std::vector<Property>& properties() { return registry(); }

Subject::Subject(const StructureProfile& profile, std::uint64_t seed) : profile_(profile), seed_(seed) {}
Subject::~Subject() = default;

Instance* Subject::instance() const {
  if (!looked_) instance_ = Instance::find(canonical(), seed_, why_);
  looked_ = true;
  return instance_.get();
}

const ReducerLaws& Subject::laws(const Reduction& reduction) const {
  const ReducerId id = canonical().arena.reduction(reduction.node).reducer;
  if (id < first_user_reducer) return built_in_laws(id);
  auto found = std::find_if(profile_.user_reducers.begin(), profile_.user_reducers.end(),
                            [&](const ReducerLaws& l) { return l.reducer == reduction.reducer; });
  if (found == profile_.user_reducers.end()) throw std::logic_error("a user reducer without laws");
  return *found;
}

std::vector<PropertyVerdict> properties_of(const StructureProfile& profile, std::uint64_t seed,
                                           const std::stop_token& stop) {
  Subject subject(profile, seed);
  std::vector<PropertyVerdict> out;
  for (const Property& p : properties()) {
    out.push_back(stop.stop_requested() ? not_known("the analysis was stopped") : p.decide(subject));
    out.back().property = p.id;
  }
  return out;
}

PropertyVerdict holds(std::string method, std::string text, double bound, int trials) {
  PropertyVerdict v;
  v.answer = Answer::holds;
  v.method = std::move(method), v.text = std::move(text);
  v.bound = bound, v.trials = trials;
  return v;
}

PropertyVerdict fails(std::string method, std::string text, std::optional<Counterexample> at) {
  PropertyVerdict v;
  v.answer = Answer::fails;
  v.method = std::move(method), v.text = std::move(text);
  v.bound = 0;
  v.counterexample = std::move(at);
  return v;
}

PropertyVerdict not_applicable(std::string text) {
  PropertyVerdict v;
  v.answer = Answer::not_applicable;
  v.method = "premises";
  v.text = std::move(text);
  v.bound = 0;
  return v;
}

PropertyVerdict not_known(std::string text) {
  PropertyVerdict v;
  v.method = "undecided";
  v.text = std::move(text);
  return v;
}

nlohmann::json to_json(const PropertyVerdict& v) {
  nlohmann::json j{{"property", v.property}, {"answer", name_of(v.answer)}, {"method", v.method}, {"text", v.text},
                   {"bound", v.bound},       {"trials", v.trials}};
  if (v.counterexample) {
    const Counterexample& c = *v.counterexample;
    j["counterexample"] = {{"dims", c.dims},
                           {"inputs", values_json(c.inputs)},
                           {"changed", values_json(c.changed)},
                           {"result", c.result},
                           {"element", c.element},
                           {"expected", json_number(c.expected)},
                           {"observed", json_number(c.observed)},
                           {"text", c.text}};
  }
  return j;
}

nlohmann::json to_json(const std::vector<PropertyVerdict>& verdicts) {
  nlohmann::json list = nlohmann::json::array();
  for (const PropertyVerdict& v : verdicts) list.push_back(to_json(v));
  return list;
}

std::optional<std::vector<PropertyVerdict>> verdicts_from_json(const nlohmann::json& document) {
  std::vector<PropertyVerdict> out;
  try {
    for (const auto& j : document) {
      PropertyVerdict v;
      v.property = j.at("property"), v.method = j.at("method"), v.text = j.at("text");
      v.bound = j.at("bound"), v.trials = j.at("trials");
      const auto answer = j.at("answer").get<std::string>();
      auto found = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.second == answer; });
      if (found == words.end()) return std::nullopt;
      v.answer = found->first;
      if (j.contains("counterexample")) {
        const auto& c = j["counterexample"];
        v.counterexample = Counterexample{c.at("dims"),
                                          values_from(c.at("inputs")),
                                          values_from(c.at("changed")),
                                          c.at("result"),
                                          c.at("element"),
                                          c.at("expected"),
                                          c.at("observed"),
                                          c.at("text")};
      }
      out.push_back(std::move(v));
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return out;
}

PropertyText property_text(const std::string& id) {
  static const std::map<std::string, PropertyText> texts = [] {
    std::map<std::string, PropertyText> all;
    std::ifstream in(atlas_dir() / "properties.json");
    nlohmann::json document = nlohmann::json::parse(in, nullptr, false);
    if (!document.is_object() || !document.contains("properties")) return all;
    for (const auto& entry : document["properties"]) {
      auto text = [&](const char* key) { return entry.value(key, std::string()); };
      all[text("id")] = {text("title"), text("definition"), text("law"), text("permits"),
                         entry.value("references", std::vector<std::string>())};
    }
    return all;
  }();
  auto found = texts.find(id);
  return found != texts.end() ? found->second : PropertyText{id, {}, {}, {}, {}};
}

} // namespace aicf
