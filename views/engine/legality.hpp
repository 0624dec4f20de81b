// What the rules leave of the active operator's plans: the ledger and the plan space, recomputed off the window's
// thread whenever structure, rules or sizes change.
#pragma once
#include "views/engine/rules.hpp"
#include "views/engine/subject.hpp"

namespace aicf::views {

struct LegalSpace {
  Ledger ledger;
  PlanSpace space;
  QString fault; ///< of the program itself; empty normally
};

/// A reason as a sentence. One that begins with the name of a value of the definition keeps it as it is written.
[[nodiscard]] QString sentence(const QString& reason, const Definition* definition);

class Legality : public QObject {
  Q_OBJECT
 public:
  Legality(Subject& subject, Rules& rules, QObject* parent = nullptr);
  /// Null until first computed for the present operator.
  [[nodiscard]] std::shared_ptr<const LegalSpace> space() const { return space_; }
  [[nodiscard]] bool isCurrent() const { return current_; }

 Q_SIGNALS:
  void changed();

 private:
  void request();
  Subject& subject_;
  Rules& rules_;
  std::shared_ptr<const LegalSpace> space_;
  bool current_ = false;
  Latest<std::shared_ptr<const LegalSpace>> judging_;
};

} // namespace aicf::views
