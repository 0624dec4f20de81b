// aicf-workbench: the window over the engine.
#include "views/frame/main_window.hpp"
#include "views/frame/session.hpp"
#include "views/frame/theme.hpp"
#include "views/primitives/export_charts.hpp"
#include "views/screenshots/bench.hpp"
#include "views/screenshots/screenshots.hpp"

#include <malloc.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QLibraryInfo>
#include <QStandardPaths>
#include <QTranslator>

#include <cstdio>
#include <string_view>

namespace {

int takeScreenshots(const QString& folder, bool oneScale) {
  using namespace aicf::views;
  // Twice the pixels is another device: a process of its own, before this one keeps both cores busy.
  if (!oneScale) {
    const int status = screenshotsAtScale(folder, 2);
    if (status != 0) return status;
  }
  return screenshots(folder);
}

/// What only draws needs no display.
bool onlyDraws(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const char* option : {"--chart", "--charts", "--screenshots", "--bench"})
      if (std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('=')) == option) return true;
  return false;
}

} // namespace

int main(int argc, char** argv) {
  if (onlyDraws(argc, argv) && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") &&
      qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  // What worker threads let go of, thousands of plans at a time, would wait in bins for this thread to join together.
  mallopt(M_MXFAST, 0);
  aicf::views::TimedApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("aicf-workbench"));
  QApplication::setApplicationVersion(QStringLiteral(AICF_VERSION));

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QApplication::translate("main", "Workbench for GPU operators: structure, legality, kernels, evidence."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption open(
      "open", QApplication::translate("main", "What to show first, such as aicf://op/softmax."), "uri");
  const QCommandLineOption pictures(
      "screenshots", QApplication::translate("main", "Draw every view into a folder, and exit."), "folder");
  const QCommandLineOption oneScale("one-scale",
                                    QApplication::translate("main", "With --screenshots: only at the present scale."));
  const QCommandLineOption bench(
      "bench", QApplication::translate("main", "Measure the window: start, handlers, selection, cancel; and exit."));
  const QCommandLineOption fresh("fresh", QApplication::translate("main", "Leave the last session where it is."));
  const QCommandLineOption charts("charts", QApplication::translate("main", "List the charts of a hardware profile."));
  const QCommandLineOption chart(
      "chart", QApplication::translate("main", "Write one chart of a hardware profile to --out, and exit."), "id");
  const QCommandLineOption out(
      "out", QApplication::translate("main", "With --chart: .svg, .pdf or .png; its numbers come beside it as .csv."),
      "file");
  const QCommandLineOption hardware(
      "hardware", QApplication::translate("main", "With --chart: a profile's file, or a name of atlas/hardware."),
      "profile");
  parser.addOptions({open, pictures, oneScale, bench, fresh, charts, chart, out, hardware});
  parser.addPositionalArgument(
      "file", QApplication::translate("main", "Operators (.op), a profile (.json, .acp), arrays (.npy)."), "[file …]");
  parser.process(app);

  QTranslator qtTexts;
  if (qtTexts.load(QLocale(), "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QApplication::installTranslator(&qtTexts);

  if (parser.isSet(charts)) return aicf::views::listCharts(parser.value(hardware));
  if (parser.isSet(chart)) {
    aicf::views::theme().install(false);
    return aicf::views::writeChart(parser.value(hardware), parser.value(chart), parser.value(out));
  }
  if (parser.isSet(bench)) return aicf::views::bench();
  if (parser.isSet(pictures)) return takeScreenshots(parser.value(pictures), parser.isSet(oneScale));

  std::optional<aicf::views::Entity> first;
  if (parser.isSet(open)) {
    first = aicf::views::Entity::fromUri(parser.value(open));
    if (!first) {
      std::fprintf(stderr, "aicf-workbench: --open: '%s' is no link of the form aicf://kind/id\n",
                   qPrintable(parser.value(open)));
      return 2;
    }
  }
  aicf::views::WorkbenchOptions options;
  options.sessionFile =
      QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/session.json");
  aicf::views::Workbench workbench(options);
  aicf::views::theme().install(workbench.settings().value("window/dark", false).toBool());
  aicf::views::MainWindow window(workbench);
  if (first) workbench.open(*first);
  if (!parser.isSet(fresh)) window.session().restore();
  window.show();
  for (const QString& file : parser.positionalArguments()) workbench.openFile(file);
  return QApplication::exec();
}
