// What all views share: the engine's live objects, the registry of actions, the navigator, and what is remembered.
#pragma once
#include "views/engine/jobs.hpp"
#include "views/engine/legality.hpp"
#include "views/engine/library.hpp"
#include "views/engine/related.hpp"
#include "views/engine/variants.hpp"
#include "views/frame/action.hpp"
#include "views/frame/filter.hpp"
#include "views/frame/navigator.hpp"
#include "views/frame/notice.hpp"

#include <QHash>
#include <QSettings>

#include <memory>

namespace aicf::views {

/// Of a .npy file: what its sizes are, or why it could not be read.
struct ArrayShape {
  std::vector<std::int64_t> shape;
  QString type, problem;
};

struct WorkbenchOptions {
  JobTargets targets = ownTargets();
  WorkerPatience patience;
  QString settingsFile; ///< empty: the user's own
  QString sessionFile;  ///< where the session is kept from second to second; empty: nowhere
};

class Workbench : public QObject {
  Q_OBJECT
 public:
  explicit Workbench(const WorkbenchOptions& options = {}, QObject* parent = nullptr);
  ~Workbench() override;

  [[nodiscard]] const QString& sessionFile() const { return sessionFile_; }
  [[nodiscard]] QSettings& settings() { return *settings_; }
  [[nodiscard]] Actions& actions() { return actions_; }
  [[nodiscard]] Navigator& navigator() { return navigator_; }
  [[nodiscard]] Library& library() { return library_; }
  [[nodiscard]] Subject& subject() { return subject_; }
  [[nodiscard]] Rules& rules() { return rules_; }
  [[nodiscard]] Legality& legality() { return legality_; }
  [[nodiscard]] Jobs& jobs() { return jobs_; }
  [[nodiscard]] Variants& variants() { return variants_; }
  [[nodiscard]] Related& related() { return related_; }
  /// What goes with the active entity, itself among it; relit() says when it is another.
  [[nodiscard]] const QSet<Entity>& lit() const { return lit_; }
  void addFilter(LocatorFilter filter) { filters_.push_back(std::move(filter)); }
  [[nodiscard]] const std::vector<LocatorFilter>& filters() const { return filters_; }

  /// Goes where the entity is at home (an operator's view waits for the library); what no view shows becomes active
  /// where the user is. False: nothing is called that.
  bool open(const Entity& entity);
  /// Makes an operator the active text, wherever the user is.
  void openOperator(const QString& name);
  void newOperator();
  /// Reads an operator (.op), a profile (.json, .acp) or sizes (.npy) and opens it; a message says why not.
  void openFile(const QString& path);
  void openProfile(const QString& path);
  bool saveOperator(const QString& path);

  /// Texts of operators that were left without saving, by name.
  [[nodiscard]] const QHash<QString, QString>& drafts() const { return drafts_; }
  void setDrafts(const QHash<QString, QString>& drafts) { drafts_ = drafts; }

  /// A line above the view that stays until it is answered.
  void notify(const Notice& notice) { Q_EMIT noticed(notice); }
  void unnotify(const QString& id) { Q_EMIT unnoticed(id); }
  /// One line for the status bar.
  void say(const QString& text) { Q_EMIT said(text); }
  /// Operators and files lately opened, newest first, as URIs.
  [[nodiscard]] QStringList recent() const;
  [[nodiscard]] QStringList ownFiles() const;

 Q_SIGNALS:
  void said(const QString& text);
  void failed(const QString& title, const QString& text); ///< to be shown until dismissed
  void recentChanged();
  void noticed(const Notice& notice);
  void unnoticed(const QString& id);
  void relit();

 private:
  void follow(const Entity& entity);
  void light();
  void tellPlans();      ///< transformations and the primitives of the plans' parameters
  void tellStructures(); ///< operators and their structures
  void openArray(const QString& path);
  void remember(const QString& uri);

  std::unique_ptr<QSettings> settings_;
  QString sessionFile_;
  Actions actions_;
  Navigator navigator_;
  Library library_;
  Subject subject_;
  Rules rules_;
  Legality legality_;
  Jobs jobs_;
  Variants variants_;
  Related related_;
  QSet<Entity> lit_;
  std::vector<LocatorFilter> filters_;
  std::vector<std::unique_ptr<View>> views_;
  Entity awaited_;                 ///< to open once the library is read
  QHash<QString, QString> drafts_; ///< unsaved texts of operators that were left
  Latest<ArrayShape> readingArray_;
};

} // namespace aicf::views
