// Properties of an operator, each decided by a procedure on its definition, with how it was decided or the values at
// which it fails. One file a property; `atlas/properties.json` holds what people read under the same ids.
#pragma once
#include "core/structure/structure.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace aicf {

/// Values at which a property fails: the definition evaluated at `inputs`, and at `inputs` with those of `changed` in
/// their place. All tensors are flattened in row-major order, at the sizes `dims`. For a law of a reducer, `inputs` are
/// its operands a, b, c, and there are no dims.
struct Counterexample {
  std::map<std::string, std::int64_t> dims;
  std::map<std::string, std::vector<double>> inputs, changed;
  std::string result;      ///< of the definition; empty for a law
  std::size_t element = 0; ///< of that result
  double expected = 0, observed = 0;
  std::string text;
};

struct PropertyVerdict {
  enum class Answer { holds, fails, not_applicable, unknown } answer = Answer::unknown;
  std::string property, method, text;
  double bound = 1; ///< probability that the answer is wrong; 0 where it is proven or refuted
  int trials = 0;
  std::optional<Counterexample> counterexample;
};
[[nodiscard]] std::string_view name_of(PropertyVerdict::Answer answer);

/// What a procedure may look at: the profile, and the definition at small sizes (made when first asked for).
class Subject {
 public:
  explicit Subject(const StructureProfile& profile, std::uint64_t seed = 1);
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  [[nodiscard]] const StructureProfile& profile() const { return profile_; }
  [[nodiscard]] const Canonical& canonical() const { return *profile_.canonical; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// Null where there is none: `why_no_instance` says why.
  [[nodiscard]] class Instance* instance() const;
  [[nodiscard]] const std::string& why_no_instance() const { return why_; }
  /// The laws of a reduction's reducer, built-in or not.
  [[nodiscard]] const ReducerLaws& laws(const Reduction& reduction) const;

 private:
  const StructureProfile& profile_;
  std::uint64_t seed_;
  mutable bool looked_ = false;
  mutable std::unique_ptr<class Instance> instance_;
  mutable std::string why_;
  mutable std::map<ReducerId, ReducerLaws> laws_;
};

struct Property {
  std::string id;
  int version = 1; ///< of the procedure: a change makes cached answers stale
  std::function<PropertyVerdict(const Subject&)> decide;
};
/// `const RegisterProperty linear{{"linear", 1, decide}};`
struct RegisterProperty {
  explicit RegisterProperty(Property property);
};
[[nodiscard]] const std::vector<Property>& properties(); ///< sorted by id

/// One verdict a registered property, in their order. Deterministic for a given seed. Polls `stop` between them; those
/// that a stopped call leaves out are unknown.
[[nodiscard]] std::vector<PropertyVerdict> properties_of(const StructureProfile& profile, std::uint64_t seed = 1,
                                                         const std::stop_token& stop = {});

[[nodiscard]] nlohmann::json to_json(const PropertyVerdict& verdict);
[[nodiscard]] nlohmann::json to_json(const std::vector<PropertyVerdict>& verdicts);
/// Inverse of to_json; nothing for a document of another form.
[[nodiscard]] std::optional<std::vector<PropertyVerdict>> verdicts_from_json(const nlohmann::json& document);

/// What people read about a property, from atlas/properties.json; the id where the atlas is absent.
struct PropertyText {
  std::string title, definition, law, permits;
  std::vector<std::string> references;
};
[[nodiscard]] PropertyText property_text(const std::string& id);

// How procedures answer.
[[nodiscard]] PropertyVerdict holds(std::string method, std::string text, double bound = 0, int trials = 0);
[[nodiscard]] PropertyVerdict fails(std::string method, std::string text, std::optional<Counterexample> at = {});
[[nodiscard]] PropertyVerdict not_applicable(std::string text);
[[nodiscard]] PropertyVerdict not_known(std::string text);

} // namespace aicf
