#include "core/exec/cuda/power.hpp"

#include <algorithm>

namespace aicf::cuda {
namespace {

constexpr double window_s = 0.1; // NVML renews its counter every 20 to 100 ms

Metric watts(const char* id, std::string method) {
  Metric m;
  m.id = id;
  m.unit = "W";
  m.method = std::move(method);
  return m;
}

} // namespace

std::optional<Slope> slope_of(const std::vector<std::pair<double, double>>& energy, double window) {
  if (energy.size() < 2) return std::nullopt;
  const auto between = [](const std::pair<double, double>& a, const std::pair<double, double>& b) {
    return (b.second - a.second) / (b.first - a.first);
  };
  Slope out{between(energy.front(), energy.back()), 0, 0, 0};
  out.lo = out.hi = out.mean;
  std::size_t from = 0;
  for (std::size_t i = 1; i < energy.size(); ++i) {
    if (energy[i].first - energy[from].first < window) continue;
    const double here = between(energy[from], energy[i]);
    out.lo = out.windows == 0 ? here : std::min(out.lo, here);
    out.hi = out.windows == 0 ? here : std::max(out.hi, here);
    ++out.windows;
    from = i;
  }
  return out;
}

std::vector<Metric> measure_power(Session& session, const PowerRequest& request, const std::stop_token& stop) {
  Metric board = watts("power.board", "NVML's energy counter over the second half of " +
                                          std::to_string(request.seconds).substr(0, 3) +
                                          " s of load; least and most of tenths of a second");
  Metric usage = watts("power.usage", "NVML's average over its last second, at the end of the load");
  std::vector<std::pair<double, double>> energy;
  std::optional<double> before;
  const double begin = request.now();
  for (double t = begin; t - begin < request.seconds; t = request.now()) {
    request.run();
    if (session.wait(stop) != Session::Waited::done || stop.stop_requested()) return {};
    const auto read = request.millijoules ? request.millijoules() : std::nullopt;
    const double at = request.now();
    if (read && before && *read != *before && at - begin >= request.seconds / 2) energy.emplace_back(at, *read / 1000);
    before = read;
  }
  if (auto slope = slope_of(energy, window_s)) {
    board.source = Metric::Source::measured;
    board.value = slope->mean, board.lo = slope->lo, board.hi = slope->hi;
    board.samples = slope->windows;
  } else {
    board.method = before ? "NVML's energy counter did not move" : "NVML gives no energy here";
  }
  if (const auto own = request.watts ? request.watts() : std::nullopt) {
    usage.source = Metric::Source::measured;
    usage.value = usage.lo = usage.hi = *own;
    usage.samples = 1;
  } else {
    usage.method = "NVML gives no power here";
  }
  return {board, usage};
}

} // namespace aicf::cuda
