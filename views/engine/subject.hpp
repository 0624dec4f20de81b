// The active operator: its text as it stands in the editor, what the checker says of it, its structure, and the sizes
// it is made for. Parsing and analysis run off the window's thread; results of older texts are dropped.
#pragma once
#include "core/plan/plan.hpp"
#include "views/frame/latest.hpp"

#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace aicf::views {

class Subject : public QObject {
  Q_OBJECT
 public:
  explicit Subject(QObject* parent = nullptr);

  /// Another operator. `path` is empty for one that was never saved.
  void open(const QString& name, const QString& path, const QString& text);
  /// The text changed while typing: checked after a short rest.
  void edit(const QString& text);
  void saved(const QString& name, const QString& path);

  [[nodiscard]] const QString& name() const { return name_; }
  [[nodiscard]] const QString& path() const { return path_; }
  [[nodiscard]] const QString& text() const { return text_; }
  [[nodiscard]] const QString& savedText() const { return savedText_; } ///< of the file as last read or written
  [[nodiscard]] bool isModified() const { return text_ != savedText_; }
  [[nodiscard]] bool isEmpty() const { return name_.isEmpty(); }

  /// Of the text last checked; a text with errors has no definition, and keeps the last structure that it had.
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  [[nodiscard]] std::shared_ptr<const Definition> definition() const { return definition_; }
  [[nodiscard]] std::shared_ptr<const StructureProfile> structure() const { return structure_; }
  [[nodiscard]] bool structureIsCurrent() const { return structureCurrent_; }
  [[nodiscard]] bool isChecking() const { return checking_; }

  [[nodiscard]] const Problem& problem() const { return problem_; }
  void setProblem(const Problem& problem);

 Q_SIGNALS:
  void opened();   ///< another operator
  void checked();  ///< diagnostics are new
  void analysed(); ///< structure is new
  void modifiedChanged();
  void problemChanged();

 private:
  struct Parsed {
    std::vector<Diagnostic> diagnostics;
    std::shared_ptr<const Definition> definition;
  };
  using Analysed = std::shared_ptr<const StructureProfile>;
  void check();
  void prefill();

  QString name_, path_, text_, savedText_;
  std::vector<Diagnostic> diagnostics_;
  std::shared_ptr<const Definition> definition_;
  Analysed structure_;
  bool structureCurrent_ = false, checking_ = false;
  Problem problem_;
  QTimer rest_;
  Latest<Parsed> parsing_;
  Latest<Analysed> analysing_;
};

/// Sizes to begin with: long along the axes of its cascades, small elsewhere, so that an emulator answers in seconds.
[[nodiscard]] std::map<std::string, std::int64_t> sensibleDims(const Definition& definition,
                                                               const StructureProfile& profile);

} // namespace aicf::views
