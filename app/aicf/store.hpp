// What a synthesis leaves in the evidence store, and how a variant is found there again.
#pragma once
#include "synth/synthesis.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace aicf {

class Store;
struct Artefact;
struct Evidence;
struct RunKey;

/// Keeps finished variants. A store that cannot be opened or written is said once on standard error; the work goes on.
class EvidenceLog {
 public:
  /// Where rows go instead of into this machine's store.
  using Elsewhere = std::function<void(const Evidence&, const std::vector<Artefact>&)>;
  explicit EvidenceLog(Elsewhere elsewhere = {});
  ~EvidenceLog();
  /// `kind`: "synth", or "check" for a kernel of the user's own. What came from the store stays as it is there.
  void keep(const SynthesizedVariant& variant, const SynthesisRequest& request, const std::string& kind = "synth");
  /// Fills in what an earlier run found of a built variant, where this machine's store has it validated: the same
  /// sources and options, definition, rules, sizes, scalars, type, seed, rows, device, driver, toolkit and program.
  [[nodiscard]] bool recall(SynthesizedVariant& variant, const SynthesisRequest& request);

 private:
  void warn(const std::vector<Diagnostic>& diagnostics);
  RunKey key_of(const SynthesizedVariant& variant, const SynthesisRequest& request, const std::string& kind,
                bool timed);
  Elsewhere elsewhere_;
  std::unique_ptr<Store> store_;
  bool warned_ = false;
  std::string device_, driver_, toolkit_;
};

/// The plan of a kept variant, by its id (or by a beginning of it that no other has). Its definition's hash must be
/// that of `structure`.
[[nodiscard]] Result<Plan> kept_plan(const std::string& variant_id, const StructureProfile& structure);

} // namespace aicf
