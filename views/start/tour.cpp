#include "views/start/tour.hpp"

#include <algorithm>

namespace aicf::views {
namespace {
constexpr auto noticeId = "tour";
}

Tour::Tour(Workbench& workbench, QObject* parent) : QObject(parent), workbench_(workbench) {
  makeSteps();
  done_.resize(steps_.size());
  workbench.actions().add({"help.tour",
                           tr("&Take the Tour"),
                           tr("A real job in five steps: from softmax to an exported profile with validated kernels"),
                           {},
                           {},
                           {},
                           [this] { begin(); }});
  connect(&workbench.subject(), &Subject::analysed, this, &Tour::look);
  connect(&workbench.navigator(), &Navigator::currentChanged, this, [this] {
    look();
    if (current_ >= 0) tell(); // what its button does depends on the view
  });
  connect(&workbench.variants(), &Variants::changed, this, &Tour::look);
  connect(&workbench.rules(), &Rules::changed, this, [this] {
    ruled_ = true;
    look();
  });
  connect(&workbench.navigator(), &Navigator::activeChanged, this, [this](const Entity& entity) {
    compared_ = compared_ || entity.kind == QLatin1String("compare-b");
    look();
  });
  connect(&workbench.rules(), &Rules::filed, this, [this] {
    exported_ = workbench_.rules().undoStack().isClean() && !workbench_.rules().path().isEmpty();
    look();
  });
}

void Tour::makeSteps() {
  Workbench& w = workbench_;
  const auto operatorFirst = [&w] {
    if (w.subject().isEmpty()) w.openOperator(QStringLiteral("softmax"));
  };
  steps_ = {
      {"open", tr("Open softmax: structure, ranks, certificates"),
       tr("Choose a computation: Ctrl+K, type its name, Enter. The Ops Explorer shows its definition, and what follows "
          "from it."),
       tr("Open softmax"), tr("Shows the operator in the Ops Explorer"),
       [&w] {
         w.open({"op", "softmax"});
       },
       [&w] { return w.subject().structureIsCurrent(); }},
      {"rules", tr("Tick the rules: which transformations are legal?"),
       tr("Tick what you accept: each transformation below is legal or refused, with the reason; one button ticks what "
          "a "
          "refused one needs. Change one rule, for example Arithmetic to reassociated."),
       tr("Show the rules"), tr("Opens the Compiler Builder for the active operator"),
       [&w, operatorFirst] {
         operatorFirst();
         w.navigator().goTo(QStringLiteral("builder"));
       },
       [this] { return ruled_; }, QStringLiteral("builder"), tr("Do it: reassociated"),
       tr("Sets Arithmetic to reassociated; Undo takes it back"),
       [this, &w] {
         ruled_ = true;
         w.rules().apply(QStringLiteral("strictness.arithmetic=reassociated"));
         look();
       }},
      {"synthesize", tr("Synthesize: build and validate the first kernels"),
       tr("Build kernels for the legal plans: F5. Each is compiled, run, and judged against its own error bound; the "
          "first arrive within seconds."),
       tr("Synthesize"), tr("Starts it (F5)"),
       [&w, operatorFirst] {
         operatorFirst();
         w.navigator().goTo(QStringLiteral("synthesis"));
         w.actions().trigger(QStringLiteral("synthesis.start"));
       },
       [&w] {
         const auto& all = w.variants().all();
         return std::count_if(all.begin(), all.end(),
                              [](const VariantRow& v) { return v.status == QLatin1String("validated"); }) >= 2;
       }},
      {"compare", tr("Compare two variants: source and numbers"),
       tr("Choose a variant and press Ctrl+Shift+A, choose another and press Ctrl+Shift+B: Compare shows what their "
          "difference costs."),
       tr("Compare the first two"), tr("Opens Compare"),
       [&w] {
         const auto& all = w.variants().all();
         if (all.size() < 2) {
           w.navigator().goTo(QStringLiteral("synthesis"));
           return;
         }
         const QString a = all[0].id, b = all[1].id;
         w.open({"compare-a", a});
         w.open({"compare-b", b});
       },
       [this] { return compared_; }},
      {"export", tr("Export the profile for aicf --profile"),
       tr("Keep what you ticked: Ctrl+E writes the rules as a compiler profile, for aicf synth --profile and for "
          "colleagues."),
       tr("Export…"), tr("Writes the ticked rules as JSON (Ctrl+E)"),
       [&w] { w.actions().trigger(QStringLiteral("profile.export")); }, [this] { return exported_; }}};
}

void Tour::begin() {
  look();
  const auto first = std::find(done_.begin(), done_.end(), false);
  current_ = first == done_.end() ? 0 : int(first - done_.begin());
  if (first == done_.end()) std::fill(done_.begin(), done_.end(), false);
  tell();
  Q_EMIT changed();
}

void Tour::end() {
  current_ = -1;
  workbench_.unnotify(QLatin1String(noticeId));
  Q_EMIT changed();
}

void Tour::look() {
  bool news = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const bool now = done_[i] || steps_[i].done();
    news = news || now != done_[i];
    done_[i] = now;
  }
  if (!news) return;
  if (current_ >= 0 && done_[std::size_t(current_)]) {
    while (current_ < int(steps_.size()) && done_[std::size_t(current_)]) ++current_;
    tell();
  }
  Q_EMIT changed();
}

void Tour::tell() {
  if (current_ >= int(steps_.size())) {
    current_ = -1;
    workbench_.notify(
        {QLatin1String(noticeId),
         tr("Done: you have an exported compiler profile, validated kernels, and a row of evidence for "
            "every number. The same job without a window: aicf synth OPERATOR --profile FILE."),
         {{tr("Show the evidence"), {}, [this] { workbench_.navigator().goTo(QStringLiteral("runs")); }}}});
    return;
  }
  const TourStep& step = steps_[std::size_t(current_)];
  const View* view = workbench_.navigator().current();
  const bool here = step.act && view && view->id() == step.view;
  workbench_.notify(
      {QLatin1String(noticeId),
       tr("Step %1 of %2.  %3").arg(current_ + 1).arg(steps_.size()).arg(step.text),
       {{here ? step.hereButton : step.button, here ? step.hereTip : step.tip, here ? step.act : step.run, true, true},
        {tr("Skip"), tr("The next step"),
         [this] {
           if (current_ < 0) return;
           done_[std::size_t(current_)] = true;
           while (current_ < int(steps_.size()) && done_[std::size_t(current_)]) ++current_;
           tell();
           Q_EMIT changed();
         },
         false, true}},
       [this] { end(); }});
}

} // namespace aicf::views
