// Every operator against every property, decided off the window's thread and kept from run to run: one row an operator,
// the newest text of each. The window sees rows arrive one by one.
#pragma once
#include "core/structure/properties/property.hpp"

#include <QObject>
#include <QStringList>

#include <map>
#include <memory>
#include <vector>

namespace aicf::views {

class Workbench;

struct MatrixOperator {
  QString name, summary, path, problem; ///< problem: why it could not be decided, or empty
  QStringList structures, stages;
  QStringList families;                            ///< titles of plan families that realize it
  QStringList transformations;                     ///< ids of those whose premises hold
  std::map<std::string, PropertyVerdict> verdicts; ///< by property id; empty until decided
  bool decided = false;
  [[nodiscard]] const PropertyVerdict* verdict(const QString& property) const;
};

/// Which operators have one property, in numbers.
struct PropertyCount {
  int holds = 0, fails = 0, notApplicable = 0, unknown = 0, pending = 0;
};

class PropertyMatrix : public QObject {
  Q_OBJECT
 public:
  explicit PropertyMatrix(Workbench& workbench);
  ~PropertyMatrix() override;
  /// The window's one matrix; made, and begun, when somebody first asks.
  [[nodiscard]] static PropertyMatrix& of(Workbench& workbench);

  [[nodiscard]] const std::vector<MatrixOperator>& operators() const { return operators_; }
  [[nodiscard]] const MatrixOperator* find(const QString& name) const;
  [[nodiscard]] PropertyCount count(const QString& property) const;
  [[nodiscard]] int decided() const { return decided_; }
  [[nodiscard]] bool isComplete() const { return loaded_ && decided_ == int(operators_.size()); }

 Q_SIGNALS:
  void reset(); ///< other operators
  void rowDecided(int row);
  void completed();

 private:
  void load();
  void arrived(int generation, int row, const MatrixOperator& decided);
  struct Worker;
  Workbench& workbench_;
  std::vector<MatrixOperator> operators_;
  int decided_ = 0, generation_ = 0;
  bool loaded_ = false;
  std::unique_ptr<Worker> worker_;
};

/// One row from a text, on any thread; verdicts come from the folder of kept ones where it has them. A stopped call
/// returns soon, with a row that is not to be shown.
[[nodiscard]] MatrixOperator decideOperator(const QString& name, const QString& path, const QString& text,
                                            const std::stop_token& stop = {});

} // namespace aicf::views
