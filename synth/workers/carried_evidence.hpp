// Evidence rows on their way from a worker to the store of whoever asked: a result of kind "evidence" of aicf.worker/1.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/evidence/evidence.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aicf {

class Store;

struct CarriedEvidence {
  Evidence row;
  std::vector<Artefact> artefacts;
};

/// {"row": as to_json(Evidence), "artefacts": [{"kind", "data"}]}; the row carries its content's hash as its id.
[[nodiscard]] nlohmann::json carried(const Evidence& row, const std::vector<Artefact>& artefacts);
/// A row whose content does not have the hash that it states is a diagnostic "evidence.damaged".
[[nodiscard]] Result<CarriedEvidence> evidence_from(const nlohmann::json& body);

/// Puts rows into the user's own store, which is opened at the first.
class EvidenceKeeper {
 public:
  EvidenceKeeper();
  ~EvidenceKeeper();
  /// What went wrong; nothing when the row is kept. A store that cannot be opened is said once and for all.
  [[nodiscard]] std::optional<Diagnostic> keep(const nlohmann::json& body);

 private:
  std::unique_ptr<Store> store_;
  bool tried_ = false;
};

} // namespace aicf
