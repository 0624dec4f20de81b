#include "core/profile/fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

using nlohmann::json;
using P = CompilerProfile;
using Type = ProfileField::Type;

// NOLINTBEGIN(bugprone-macro-parentheses): `member` names a member of P
#define AICF_MEMBER(member)                                                                                            \
  [](const P& p) { return json(p.member); }, [](P& p, const json& v) { p.member = v.get<decltype(p.member)>(); }
// NOLINTEND(bugprone-macro-parentheses)

constexpr double any_count = 9007199254740992.0; // 2^53: integers that JSON numbers hold exactly

const std::vector<std::string_view> order_words{"any", "run_to_run", "batch_invariant", "device_to_device"};
const std::vector<std::string_view> arithmetic_words{"bitwise", "reassociated", "rescaled", "approximate"};
const std::vector<std::string_view> special_words{"same", "any"};

template <class E> E enumerator(const std::vector<std::string_view>& words, const json& word) {
  return static_cast<E>(std::find(words.begin(), words.end(), word.get<std::string>()) - words.begin());
}

const std::vector<ProfileField> table{
    {Type::text, "name", "what people call it; does not change what it means", {}, 0, 0, AICF_MEMBER(name)},
    {Type::word, "strictness.order", "what must stay the same: from run to run, for any batch size, on any device",
     order_words, 0, 0, [](const P& p) { return json(name_of(p.order)); },
     [](P& p, const json& v) { p.order = enumerator<Order>(order_words, v); }},
    {Type::word, "strictness.arithmetic", "how far results may move from the left fold in index order",
     arithmetic_words, 0, 0, [](const P& p) { return json(name_of(p.arithmetic)); },
     [](P& p, const json& v) { p.arithmetic = enumerator<Arithmetic>(arithmetic_words, v); }},
    {Type::real, "strictness.epsilon", "acceptable relative error under `approximate`", {}, 0, 1, AICF_MEMBER(epsilon)},
    {Type::texts,
     "properties.require",
     "properties that the operator must have",
     {},
     0,
     0,
     AICF_MEMBER(properties.require)},
    {Type::texts, "properties.forbid", "properties that it must not have", {}, 0, 0, AICF_MEMBER(properties.forbid)},
    {Type::texts,
     "transformations.require",
     "transformations that every plan must use",
     {},
     0,
     0,
     AICF_MEMBER(transformations.require)},
    {Type::texts,
     "transformations.forbid",
     "transformations that no plan may use",
     {},
     0,
     0,
     AICF_MEMBER(transformations.forbid)},
    {Type::texts,
     "primitives.allow",
     "primitives that plans may use; none listed: all",
     {},
     0,
     0,
     AICF_MEMBER(primitives)},
    {Type::word, "accumulate", "type of accumulators", {"f32", "compensated", "f64"}, 0, 0, AICF_MEMBER(accumulate)},
    {Type::word, "special.nan", "NaN inputs: results as the definition gives them, or any", special_words, 0, 0,
     AICF_MEMBER(nan)},
    {Type::word, "special.infinity", "infinite inputs", special_words, 0, 0, AICF_MEMBER(infinity)},
    {Type::word, "special.empty", "empty reductions", special_words, 0, 0, AICF_MEMBER(empty)},
    {Type::word, "special.fully_masked", "rows of which every element is masked", special_words, 0, 0,
     AICF_MEMBER(fully_masked)},
    {Type::integer,
     "limits.workspace_bytes",
     "global memory beyond inputs and outputs",
     {},
     0,
     any_count,
     AICF_MEMBER(workspace_bytes)},
    {Type::integer, "limits.registers", "registers a thread", {}, 16, 255, AICF_MEMBER(registers)},
    {Type::integer, "limits.shared_bytes", "shared memory a block", {}, 0, 1 << 20, AICF_MEMBER(shared_bytes)},
    {Type::integer, "limits.spills", "bytes of register spills a thread", {}, 0, 1 << 20, AICF_MEMBER(spills)},
    {Type::boolean,
     "priors.foreign",
     "may priors of another device order the plans",
     {},
     0,
     0,
     AICF_MEMBER(foreign_priors)},
    {Type::integer, "priors.max_age_days", "older priors are not used", {}, 0, 36500, AICF_MEMBER(prior_max_age_days)},
    {Type::integers,
     "validation.shapes",
     "row lengths that are checked besides the problem's own",
     {},
     0,
     1 << 24,
     AICF_MEMBER(validation_shapes)},
    {Type::integer, "validation.seeds", "sets of random inputs a shape", {}, 1, 1000, AICF_MEMBER(validation_seeds)},
    {Type::texts,
     "validation.adversarial",
     "kinds of adversarial inputs",
     {"exact", "outlier", "special"},
     0,
     0,
     AICF_MEMBER(adversarial)},
    {Type::boolean,
     "runtime.approximation",
     "may selection choose an approximating variant",
     {},
     0,
     0,
     AICF_MEMBER(allow_approximation)},
    {Type::boolean,
     "runtime.recomputation",
     "may selection choose a recomputing variant",
     {},
     0,
     0,
     AICF_MEMBER(allow_recomputation)},
};

bool among(const std::vector<std::string_view>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string one_of(const std::vector<std::string_view>& words) {
  std::string text = "one of";
  for (std::size_t i = 0; i < words.size(); ++i) text += (i > 0 ? ", " : " ") + std::string(words[i]);
  return text;
}

std::string number_problem(const ProfileField& field, const json& value) {
  bool integral = field.type == Type::integer || field.type == Type::integers;
  if (integral ? !value.is_number_integer() : !value.is_number())
    return integral ? "an integer is needed" : "a number is needed";
  double v = value.get<double>();
  if (!(v >= field.lo && v <= field.hi))
    return "must be from " + json(field.lo).dump() + " to " + json(field.hi).dump();
  return {};
}

} // namespace

std::span<const ProfileField> profile_fields() { return table; }

std::string problem(const ProfileField& field, const nlohmann::json& value) {
  switch (field.type) {
  case Type::word:
    if (!value.is_string() || !among(field.words, value.get<std::string>())) return one_of(field.words) + " is needed";
    return {};
  case Type::text: return value.is_string() ? "" : "a string is needed";
  case Type::boolean: return value.is_boolean() ? "" : "true or false is needed";
  case Type::real:
  case Type::integer: return number_problem(field, value);
  case Type::texts:
    if (!value.is_array()) return "a list of strings is needed";
    for (const json& element : value) {
      if (!element.is_string()) return "a list of strings is needed";
      if (!field.words.empty() && !among(field.words, element.get<std::string>()))
        return "\"" + element.get<std::string>() + "\" is not " + one_of(field.words);
    }
    return {};
  case Type::integers:
    if (!value.is_array()) return "a list of integers is needed";
    for (const json& element : value)
      if (std::string text = number_problem(field, element); !text.empty()) return text;
    return {};
  }
  return {};
}

} // namespace aicf
