// Charts of a hardware profile from the command line: the picture, and beside it its numbers.
#pragma once
#include "views/charts/chart.hpp"

namespace aicf {
struct HardwareProfile;
}

namespace aicf::views {

/// Every chart of a profile: those of Hardware Maps, then those of the Primitive Lab.
[[nodiscard]] std::vector<Chart> allCharts(const HardwareProfile& profile);

/// Prints the ids and titles of a profile's charts. `profile`: a path, a name of atlas/hardware, or empty (the first
/// that ships). An exit status: 2 when it cannot be read.
[[nodiscard]] int listCharts(const QString& profile);
/// Writes a chart as SVG, PDF or PNG by the file's suffix, and its table as CSV under the same name. 2: no such chart,
/// profile or format; 1: it has no numbers; 3: this window was built without its plotting library.
[[nodiscard]] int writeChart(const QString& profile, const QString& id, const QString& file);

} // namespace aicf::views
