#include "views/engine/legality.hpp"

#include "views/engine/text.hpp"

#include <exception>

namespace aicf::views {

namespace {
/// Tens of thousands of plans take tens of milliseconds to destroy: not on the thread that let go of them, which is the
/// window's.
void discard(LegalSpace* space) {
  QThreadPool::globalInstance()->start([space] { delete space; });
}
} // namespace

Legality::Legality(Subject& subject, Rules& rules, QObject* parent)
    : QObject(parent), subject_(subject), rules_(rules), judging_(this) {
  connect(&subject, &Subject::opened, this, [this] {
    judging_.cancel();
    space_.reset();
    current_ = false;
    Q_EMIT changed();
  });
  connect(&subject, &Subject::analysed, this, &Legality::request);
  connect(&subject, &Subject::problemChanged, this, &Legality::request);
  connect(&rules, &Rules::changed, this, &Legality::request);
}

void Legality::request() {
  current_ = false;
  const auto structure = subject_.structure();
  if (!structure || !structure->canonical) return;
  judging_.request(
      [structure, rules = rules_.profile(), problem = subject_.problem()](const std::stop_token& stop) {
        const std::shared_ptr<LegalSpace> out(new LegalSpace, discard);
        try {
          out->ledger = judge(*structure, rules);
          out->space = plan(*structure, out->ledger, rules, problem, {}, stop);
        } catch (const std::exception& e) { // a fault of ours must not cost the window
          out->fault = qs(e.what());
        }
        return std::shared_ptr<const LegalSpace>(out);
      },
      [this](std::shared_ptr<const LegalSpace> space) {
        space_ = std::move(space);
        current_ = true;
        Q_EMIT changed();
      });
}

QString sentence(const QString& reason, const Definition* definition) {
  const std::string first = reason.section(' ', 0, 0).section('#', 0, 0).toStdString();
  for (std::size_t i = 0; definition && i < definition->tensors.size(); ++i)
    if (definition->tensors[i].name == first) return reason;
  return capitalised(reason);
}

} // namespace aicf::views
