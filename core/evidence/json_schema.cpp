#include "core/evidence/json_schema.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <stdexcept>

namespace aicf {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  throw std::logic_error("schema: no type " + type);
}

/// Walks a document; its depth is that of the schema, which is finite without recursive references.
class Checker {
 public:
  Checker(const json& root, std::string file) : schema(root), name(std::move(file)) {}
  std::vector<Diagnostic> found;

  void check(const json& value, const json& given, const std::string& at) {
    const json& rule = resolved(given);
    known_keywords(rule);
    if (!type_fits(value, rule, at)) return;
    if (rule.contains("const") && value != rule["const"]) fail(at, "must be " + rule["const"].dump());
    if (rule.contains("enum")) one_of(value, rule["enum"], at);
    if (rule.contains("minimum") && value.is_number() && value < rule["minimum"])
      fail(at, "must be at least " + rule["minimum"].dump());
    if (value.is_object()) members(value, rule, at);
    if (value.is_array()) elements(value, rule, at);
  }

 private:
  const json& schema;
  std::string name;

  void fail(const std::string& at, const std::string& what) {
    found.push_back(error("json.schema", (at.empty() ? "the document" : at) + " " + what, {name, 0, 0, 0}));
  }

  const json& resolved(const json& rule) const {
    if (!rule.contains("$ref")) return rule;
    const auto& reference = rule["$ref"].get_ref<const std::string&>();
    if (!reference.starts_with("#/")) throw std::logic_error("schema: reference " + reference);
    return schema.at(json::json_pointer(reference.substr(1)));
  }

  static void known_keywords(const json& rule) {
    static const std::set<std::string> known{
        "$schema",  "$id",  "$defs", "title",    "description",          "default", "type", "const", "properties",
        "required", "enum", "items", "minItems", "additionalProperties", "minimum"};
    for (const auto& [key, ignored] : rule.items())
      if (!known.contains(key)) throw std::logic_error("schema: keyword " + key);
  }

  bool type_fits(const json& value, const json& rule, const std::string& at) {
    if (!rule.contains("type")) return true;
    const json types = rule["type"].is_array() ? rule["type"] : json::array({rule["type"]});
    for (const json& type : types)
      if (has_type(value, type.get<std::string>())) return true;
    fail(at, "must be of type " + rule["type"].dump() + ", not " + value.type_name());
    return false;
  }

  void one_of(const json& value, const json& choices, const std::string& at) {
    for (const json& choice : choices)
      if (choice == value) return;
    fail(at, "must be one of " + choices.dump() + ", not " + value.dump());
  }

  void members(const json& value, const json& rule, const std::string& at) {
    if (rule.contains("required"))
      for (const json& key : rule["required"])
        if (!value.contains(key.get<std::string>())) fail(at, "has no " + key.dump());
    const bool closed = rule.contains("additionalProperties") && rule["additionalProperties"] == false;
    for (const auto& [key, member] : value.items()) {
      if (rule.contains("properties") && rule["properties"].contains(key))
        check(member, rule["properties"][key], at + "/" + key);
      else if (closed)
        fail(at, "has an unknown member \"" + key + "\"");
    }
  }

  void elements(const json& value, const json& rule, const std::string& at) {
    if (rule.contains("minItems") && value.size() < rule["minItems"].get<std::size_t>())
      fail(at, "has fewer than " + rule["minItems"].dump() + " elements");
    if (!rule.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i) check(value[i], rule["items"], at + "/" + std::to_string(i));
  }
};

} // namespace

std::vector<Diagnostic> check_schema(const json& document, const json& schema, const std::string& file) {
  Checker checker(schema, file);
  checker.check(document, schema, "");
  return checker.found;
}

} // namespace aicf
