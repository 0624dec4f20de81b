#include "views/primitives/export_charts.hpp"

#include "core/base/atlas_path.hpp"
#include "views/charts/chart_pane.hpp"
#include "views/engine/text.hpp"
#include "views/hardware/hardware_charts.hpp"
#include "views/primitives/lab.hpp"

#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace aicf::views {
namespace {

constexpr int no = 1, bad = 2, missing = 3;

int fail(int status, const QString& why) {
  std::fprintf(stderr, "aicf-workbench: %s\n", qPrintable(why));
  return status;
}

std::optional<HardwareProfile> read(const QString& asked, QString& problem) {
  std::filesystem::path path = asked.toStdString();
  for (const auto& shipped : shipped_hardware_profiles())
    if (asked.isEmpty() || (!QFileInfo::exists(asked) && shipped.stem() == asked.toStdString())) {
      path = shipped;
      break;
    }
  Result<HardwareProfile> profile = load_hardware_profile(path);
  if (profile) return std::move(*profile);
  QStringList lines;
  for (const Diagnostic& d : profile.diagnostics) lines << qs(format(d));
  problem = lines.join('\n');
  return std::nullopt;
}

} // namespace

std::vector<Chart> allCharts(const HardwareProfile& profile) {
  std::vector<Chart> out;
  for (const QString& id : chartIds(profile))
    if (const auto chart = chartOf(profile, id); chart && id != QLatin1String("cost-drift")) out.push_back(*chart);
  const std::vector<Realization> all = realizationsOf(profile);
  QStringList probes;
  for (const Realization& r : all)
    if (!probes.contains(r.probe)) probes << r.probe;
  if (!all.empty()) out.push_back(costAgainstDrift(all, {}).chart);
  for (const QString& probe : probes) {
    out.push_back(costAgainstDrift(all, probe).chart);
    for (const Quantity q : {Quantity::cost, Quantity::traffic, Quantity::drift}) {
      out.push_back(byLength(all, probe, q).chart);
      out.push_back(viabilityGrid(all, probe, q).chart);
    }
  }
  return out;
}

int listCharts(const QString& asked) {
  QString problem;
  const auto profile = read(asked, problem);
  if (!profile) return fail(bad, problem);
  for (const Chart& chart : allCharts(*profile))
    std::printf("%-44s %s%s\n", qPrintable(chart.id), qPrintable(chart.title),
                hasNumbers(chart) ? "" : "  (not measured)");
  return 0;
}

int writeChart(const QString& asked, const QString& id, const QString& file) {
  if (!chartFormatOf(file)) return fail(bad, QStringLiteral("--out: '%1' ends in none of .svg, .pdf, .png").arg(file));
  QString problem;
  const auto profile = read(asked, problem);
  if (!profile) return fail(bad, problem);
  const std::vector<Chart> charts = allCharts(*profile);
  const auto chart = std::find_if(charts.begin(), charts.end(), [&](const Chart& c) { return c.id == id; });
  if (chart == charts.end())
    return fail(bad,
                QStringLiteral("--chart: the profile has no chart '%1'; --charts lists those that it has").arg(id));
  if (!hasNumbers(*chart)) return fail(no, QStringLiteral("--chart: nothing of '%1' is measured").arg(id));
  if (!plotsAreBuilt())
    return fail(missing, QStringLiteral("built without QCustomPlot (apt install libqcustomplot-dev)"));
  if (const QString why = exportChart(*chart, file); !why.isEmpty()) return fail(bad, why);
  const QFileInfo picture(file);
  QSaveFile twin(picture.path() + '/' + picture.completeBaseName() + ".csv");
  if (!twin.open(QIODevice::WriteOnly) || twin.write(csvOf(*chart).toUtf8()) < 0 || !twin.commit())
    return fail(bad, QStringLiteral("%1: %2").arg(twin.fileName(), twin.errorString()));
  std::printf("%s\n%s\n", qPrintable(file), qPrintable(twin.fileName()));
  return 0;
}

} // namespace aicf::views
