#include "views/builder/profile_pane.hpp"

#include "views/engine/text.hpp"

#include <nlohmann/json.hpp>

#include <QVBoxLayout>

namespace aicf::views {
namespace {
constexpr int restMs = 300, mostProblems = 3;
}

ProfilePane::ProfilePane(Workbench& workbench, Form form)
    : workbench_(workbench), form_(form),
      editor_(new CodeEditor(form == Form::json ? CodeEditor::Language::json : CodeEditor::Language::profile,
                             form == Form::json ? tr("Profile as JSON") : tr("Profile as text"))),
      problem_(label({})) {
  problem_->setWordWrap(true);
  problem_->setContentsMargins(4, 4, 4, 4);
  setTone(problem_, Tone::bad);
  problem_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(editor_, 1);
  layout->addWidget(problem_);
  rest_.setSingleShot(true);
  rest_.setInterval(restMs);
  connect(editor_, &QsciScintilla::textChanged, this, [this] {
    if (!writing_) rest_.start();
  });
  connect(&rest_, &QTimer::timeout, this, &ProfilePane::read);
  connect(&workbench.rules(), &Rules::changed, this, &ProfilePane::write);
  write();
}

void ProfilePane::write() {
  // What the user wrote stays as written while it means the same.
  const std::string shown = editor_->text().toStdString();
  const Result<CompilerProfile> known =
      form_ == Form::json ? profile_from_json(shown, {}) : profile_from_text(shown, {});
  if (known && *known == workbench_.rules().profile()) return;
  writing_ = true;
  const CompilerProfile& profile = workbench_.rules().profile();
  editor_->setTextKeepingPlace(qs(form_ == Form::json ? to_json(profile).dump(2) + "\n" : to_text(profile)));
  editor_->setDiagnostics({});
  writing_ = false;
  problem_->hide();
}

void ProfilePane::read() {
  const std::string text = editor_->text().toStdString();
  const Result<CompilerProfile> profile =
      form_ == Form::json ? profile_from_json(text, "profile") : profile_from_text(text, "profile");
  editor_->setDiagnostics(profile.diagnostics);
  QStringList lines;
  for (const Diagnostic& d : profile.diagnostics)
    if (lines.size() < mostProblems)
      lines << qs(d.at.line > 0 || d.at.file.empty() ? d.message : d.at.file + ": " + d.message);
  if (int(profile.diagnostics.size()) > mostProblems)
    lines << tr("and %1 more").arg(profile.diagnostics.size() - mostProblems);
  problem_->setText(lines.join('\n'));
  problem_->setVisible(!lines.isEmpty());
  if (profile)
    workbench_.rules().change(form_ == Form::json ? tr("edit of the JSON") : tr("edit of the text"), *profile,
                              int(form_));
}

} // namespace aicf::views
