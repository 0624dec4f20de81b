#include "app/aicf/request.hpp"

#include "app/aicf/command.hpp"
#include "core/expr/check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace aicf {
namespace {

using nlohmann::json;

/// Reads typed fields and remembers what is wrong with them.
class Fields {
 public:
  explicit Fields(const json& body) : body_(body) {}

  std::string text(const char* key, std::string otherwise = {}) {
    if (!body_.contains(key)) return otherwise;
    if (body_[key].is_string()) return body_[key].get<std::string>();
    wrong(key, "a string is needed");
    return otherwise;
  }
  std::int64_t integer(const char* key, std::int64_t otherwise, std::int64_t lo, std::int64_t hi) {
    if (!body_.contains(key)) return otherwise;
    if (body_[key].is_number_integer() && body_[key].get<std::int64_t>() >= lo && body_[key].get<std::int64_t>() <= hi)
      return body_[key].get<std::int64_t>();
    wrong(key, "an integer from " + std::to_string(lo) + " to " + std::to_string(hi) + " is needed");
    return otherwise;
  }
  bool flag(const char* key) {
    if (!body_.contains(key)) return false;
    if (body_[key].is_boolean()) return body_[key].get<bool>();
    wrong(key, "true or false is needed");
    return false;
  }
  /// NAME=value pairs of an object, in the form that the command line takes.
  std::vector<std::string> pairs(const char* key) {
    std::vector<std::string> out;
    if (!body_.contains(key)) return out;
    if (!body_[key].is_object()) {
      wrong(key, "an object is needed");
      return out;
    }
    for (const auto& [name, value] : body_[key].items()) {
      if (!value.is_number())
        wrong(key, name + ": a number is needed");
      else
        out.push_back(name + "=" + value.dump());
    }
    return out;
  }
  std::map<std::string, std::string> texts(const char* key) {
    std::map<std::string, std::string> out;
    if (!body_.contains(key)) return out;
    if (!body_[key].is_object()) wrong(key, "an object is needed");
    for (const auto& [name, value] : body_[key].items())
      if (value.is_string())
        out[name] = value.get<std::string>();
      else
        wrong(key, name + ": a string is needed");
    return out;
  }
  void wrong(const char* key, const std::string& why) {
    diagnostics.push_back(error("job.field", std::string(key) + ": " + why));
  }

  std::vector<Diagnostic> diagnostics;

 private:
  const json& body_;
};

} // namespace

Result<SynthesisRequest> request_from(const nlohmann::json& body, std::stop_token stop) {
  if (!body.is_object()) return error("job.body", "the body of a job is an object");
  Fields fields(body);
  SynthesisRequest request;
  std::string text = fields.text("text"), op = fields.text("op"), name = fields.text("op_name");
  request.backend = fields.text("backend", "emulator");
  request.budget = static_cast<std::size_t>(fields.integer("budget", 6, 1, 10000));
  request.seed = static_cast<std::uint64_t>(fields.integer("seed", 1, 0, INT64_MAX));
  request.row_limit = fields.integer("row_limit", 64, 0, INT64_MAX);
  request.counters = fields.flag("counters");
  request.resume = fields.flag("resume");
  request.problem.target = fields.text("target", "sm_90");
  request.choices = fields.texts("choices");
  std::string dtype = fields.text("dtype", "f32");
  auto type = dtype_from(dtype);
  if (!type || !is_float(*type))
    fields.wrong("dtype", "f32, f16, bf16 or f64 is needed, not " + dtype);
  else
    request.problem.float_type = *type;
  if (request.backend != "emulator" && request.backend != "cuda")
    fields.wrong("backend", "emulator or cuda is needed, not " + request.backend);
  bool arch = request.problem.target.starts_with("sm_") && request.problem.target.size() >= 5 &&
              request.problem.target.size() <= 7;
  if (!arch) fields.wrong("target", "an architecture such as sm_90 is needed, not " + request.problem.target);
  if (body.contains("profile")) {
    Result<CompilerProfile> rules = body["profile"].is_string()
                                        ? profile_from_text(body["profile"].get<std::string>(), "profile")
                                        : profile_from_json(body["profile"].dump(), "profile");
    fields.diagnostics.insert(fields.diagnostics.end(), rules.diagnostics.begin(), rules.diagnostics.end());
    if (rules) request.rules = std::move(*rules);
  }
  std::vector<std::string> dims = fields.pairs("dims"), scalars = fields.pairs("scalars");
  if (text.empty() && op.empty()) fields.wrong("op", "an operator is needed: its text, a file or a name");
  if (has_errors(fields.diagnostics)) return fields.diagnostics;

  std::optional<std::string> wanted = name.empty() ? std::nullopt : std::optional(name);
  Result<Definition> definition =
      text.empty() ? cli::find_operator(op, name) : parse_definition(text, fields.text("file", "<editor>"), wanted);
  if (!definition) return definition.failure<SynthesisRequest>();
  std::string shape;
  for (const std::string& d : dims) shape += (shape.empty() ? "" : ",") + d;
  auto sizes = cli::parse_shape(shape, *definition);
  auto values = cli::parse_scalars(scalars, *definition);
  if (!sizes || !values) {
    fields.diagnostics.insert(fields.diagnostics.end(), sizes.diagnostics.begin(), sizes.diagnostics.end());
    fields.diagnostics.insert(fields.diagnostics.end(), values.diagnostics.begin(), values.diagnostics.end());
    return fields.diagnostics;
  }
  request.problem.dims = std::move(*sizes);
  request.problem.scalars = std::move(*values);
  request.structure = std::make_shared<const StructureProfile>(
      analyze(canonicalize(std::make_shared<const Definition>(std::move(*definition))), 1, std::move(stop)));
  return request;
}

} // namespace aicf
