// Built in place of plot_drawn.cpp where QCustomPlot is absent.
#include "views/charts/plot.hpp"

namespace aicf::views {

bool plotsAreBuilt() { return false; }
Plot* makePlot(QWidget* /*parent*/) { return nullptr; }

} // namespace aicf::views
