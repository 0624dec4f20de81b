#include "core/profile/profile.hpp"

#include "core/base/json.hpp"
#include "core/profile/fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace aicf {
namespace {

using nlohmann::json;
constexpr std::string_view schema_id = "aicf.profile/1";

json::json_pointer pointer(std::string_view path) {
  std::string text = "/" + std::string(path);
  for (char& c : text)
    if (c == '.') c = '/';
  return json::json_pointer(text);
}

const ProfileField* field_at(std::string_view path) {
  for (const ProfileField& f : profile_fields())
    if (f.path == path) return &f;
  return nullptr;
}

std::string nearest(std::string_view path) {
  auto distance = [](std::string_view a, std::string_view b) { // Levenshtein
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        std::size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
        diagonal = above;
      }
    }
    return row[b.size()];
  };
  std::string best;
  std::size_t least = 4;
  if (path.size() > 64) return best;
  for (const ProfileField& f : profile_fields())
    if (std::size_t d = distance(path, f.path); d < least) least = d, best = f.path;
  return best.empty() ? best : "did you mean `" + best + "`?";
}

/// Every leaf of the document that no field knows, by path; groups are the objects that the paths pass.
void unknown_fields(const json& document, const std::string& prefix, const std::string& file,
                    std::vector<Diagnostic>& out) {
  for (const auto& [key, value] : document.items()) {
    std::string path = prefix.empty() ? key : prefix + "." + key;
    if (path == "schema" || field_at(path) != nullptr) continue;
    bool group = false;
    for (const ProfileField& f : profile_fields()) group = group || f.path.starts_with(path + ".");
    if (group && value.is_object() && prefix.empty()) // groups are one level deep
      unknown_fields(value, path, file, out);
    else
      out.push_back(error("profile.unknown-field",
                          (group ? "an object is needed at " : "no such setting: ") + pointer(path).to_string(),
                          {file, 0, 0, 0}, group ? "" : nearest(path)));
  }
}

std::string list_text(const json& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i)
    text += (i > 0 ? ", " : "") + (list[i].is_string() ? list[i].get<std::string>() : list[i].dump());
  return text + "]";
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The value of a setting in the text form: the field's type says how to read it. Discarded when it cannot be read.
json value_from_text(const ProfileField& field, std::string_view text) {
  using Type = ProfileField::Type;
  auto parsed = [](std::string_view t) { return json::parse(t, nullptr, false); };
  if (field.type == Type::text) return text.starts_with('"') ? parsed(text) : json(std::string(text));
  if (field.type == Type::word) return json(std::string(text));
  if (field.type != Type::texts && field.type != Type::integers) return parsed(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return json(json::value_t::discarded);
  std::string_view inside = trimmed(text.substr(1, text.size() - 2));
  json list = json::array();
  while (!inside.empty()) {
    std::size_t comma = inside.find(',');
    std::string_view element = trimmed(inside.substr(0, comma));
    list.push_back(field.type == Type::texts ? json(std::string(element)) : parsed(element));
    if (element.empty() || list.back().is_discarded()) return json(json::value_t::discarded);
    inside = comma == std::string_view::npos ? std::string_view{} : inside.substr(comma + 1);
  }
  return list;
}

} // namespace

std::string_view name_of(Order order) {
  static constexpr std::string_view names[] = {"any", "run_to_run", "batch_invariant", "device_to_device"};
  return names[static_cast<int>(order)];
}

std::string_view name_of(Arithmetic arithmetic) {
  static constexpr std::string_view names[] = {"bitwise", "reassociated", "rescaled", "approximate"};
  return names[static_cast<int>(arithmetic)];
}

nlohmann::json to_json(const CompilerProfile& profile) {
  json document{{"schema", schema_id}};
  for (const ProfileField& f : profile_fields()) document[pointer(f.path)] = f.get(profile);
  return document;
}

Result<CompilerProfile> profile_from_json(std::string_view text, std::string_view file) {
  Span place{std::string(file), 0, 0, 0};
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& e) {
    std::string before(text.substr(0, std::min(e.byte, text.size())));
    auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    std::size_t start = before.rfind('\n') + 1;
    return error("profile.syntax", std::string("not JSON: ") + e.what(),
                 {std::string(file), line, static_cast<int>(before.size() - start) + (before.empty() ? 1 : 0), 1});
  }
  if (!document.is_object()) return error("profile.syntax", "a profile is a JSON object", place);
  if (auto schema = document.find("schema"); schema == document.end() || *schema != schema_id)
    return error("profile.schema", "\"schema\" must be \"" + std::string(schema_id) + "\"", place);
  Result<CompilerProfile> result;
  CompilerProfile profile;
  unknown_fields(document, "", place.file, result.diagnostics);
  for (const ProfileField& f : profile_fields()) {
    json::json_pointer at = pointer(f.path);
    if (!at.parent_pointer().empty() && document.contains(at.parent_pointer()) &&
        !document[at.parent_pointer()].is_object())
      continue;
    if (!document.contains(at)) continue;
    if (std::string why = problem(f, document[at]); !why.empty())
      result.diagnostics.push_back(error("profile.value", at.to_string() + ": " + why, place, std::string(f.meaning)));
    else
      f.set(profile, document[at]);
  }
  if (!has_errors(result.diagnostics)) result.value = std::move(profile);
  return result;
}

std::string to_text(const CompilerProfile& profile) {
  std::string text = "# aicf.profile/1\n";
  for (const ProfileField& f : profile_fields()) {
    json value = f.get(profile);
    std::string shown = value.is_array()                     ? list_text(value)
                        : f.type == ProfileField::Type::word ? value.get<std::string>()
                                                             : value.dump();
    text += std::string(f.path) + " = " + shown + "\n";
  }
  return text;
}

Result<CompilerProfile> profile_from_text(std::string_view text, std::string_view file) {
  Result<CompilerProfile> result;
  CompilerProfile profile;
  std::set<std::string, std::less<>> seen;
  int number = 0;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view raw = text.substr(0, end), line = trimmed(raw);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++number;
    if (line.empty() || line.front() == '#') continue;
    auto fail = [&](std::string code, std::string message, std::string_view at, std::string hint = {}) {
      result.diagnostics.push_back(
          error(std::move(code), std::move(message),
                {std::string(file), number, static_cast<int>(at.data() - raw.data()) + 1, static_cast<int>(at.size())},
                std::move(hint)));
    };
    std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      fail("profile.syntax", "a setting is written `path = value`", line);
      continue;
    }
    std::string_view path = trimmed(line.substr(0, equals)), value_text = trimmed(line.substr(equals + 1));
    const ProfileField* field = field_at(path);
    if (field == nullptr) {
      fail("profile.unknown-field", "no such setting: `" + std::string(path) + "`", line, nearest(path));
      continue;
    }
    if (!seen.insert(std::string(path)).second)
      fail("profile.double", "`" + std::string(path) + "` is set twice", line);
    json value = value_from_text(*field, value_text);
    std::string why =
        value.is_discarded() ? "`" + std::string(value_text) + "` cannot be read" : problem(*field, value);
    if (why.empty())
      field->set(profile, value);
    else
      fail("profile.value", std::string(path) + ": " + why, value_text.empty() ? line : value_text,
           std::string(field->meaning));
  }
  if (!has_errors(result.diagnostics)) result.value = std::move(profile);
  return result;
}

Result<CompilerProfile> load_profile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return error("profile.read", "it is a folder", {path, 0, 0, 0});
  std::ifstream in(path, std::ios::binary);
  if (!in) return error("profile.read", "cannot read it", {path, 0, 0, 0});
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::size_t first = text.find_first_not_of(" \t\r\n");
  bool is_json = path.ends_with(".json") || (first != std::string::npos && text[first] == '{');
  return is_json ? profile_from_json(text, path) : profile_from_text(text, path);
}

Hash hash_of(const CompilerProfile& profile) {
  json document = to_json(profile);
  document.erase("name");
  return hash_of(document);
}

nlohmann::json profile_schema() {
  json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"$id", schema_id},
              {"title", "AICF compiler profile"},
              {"type", "object"},
              {"additionalProperties", false},
              {"required", {"schema"}}};
  schema["properties"]["schema"] = {{"const", schema_id}};
  for (const ProfileField& f : profile_fields()) {
    using Type = ProfileField::Type;
    json element, node;
    switch (f.type) {
    case Type::word: element = {{"enum", f.words}}; break;
    case Type::text:
    case Type::texts: element = {{"type", "string"}}; break;
    case Type::boolean: element = {{"type", "boolean"}}; break;
    case Type::real: element = {{"type", "number"}, {"minimum", f.lo}, {"maximum", f.hi}}; break;
    case Type::integer:
    case Type::integers: element = {{"type", "integer"}, {"minimum", f.lo}, {"maximum", f.hi}}; break;
    }
    if (f.type == Type::texts && !f.words.empty()) element = {{"enum", f.words}};
    if (f.type == Type::texts || f.type == Type::integers)
      node = {{"type", "array"}, {"items", element}};
    else
      node = element;
    node["description"] = f.meaning;
    node["default"] = f.get(CompilerProfile{});
    std::size_t dot = f.path.find('.');
    json* at = &schema["properties"];
    if (dot != std::string_view::npos) {
      json& group = (*at)[std::string(f.path.substr(0, dot))];
      group["type"] = "object";
      group["additionalProperties"] = false;
      at = &group["properties"];
    }
    (*at)[std::string(dot == std::string_view::npos ? f.path : f.path.substr(dot + 1))] = node;
  }
  return schema;
}

std::vector<std::string> diff(const CompilerProfile& a, const CompilerProfile& b) {
  std::vector<std::string> lines;
  for (const ProfileField& f : profile_fields()) {
    json before = f.get(a), after = f.get(b);
    if (before != after) lines.push_back(std::string(f.path) + ": " + before.dump() + " -> " + after.dump());
  }
  return lines;
}

} // namespace aicf
