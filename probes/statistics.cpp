#include "probes/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace aicf::probes {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw std::logic_error("quantile of nothing");
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  if (i + 1 >= values.size()) return values.back();
  return values[i] + (at - std::floor(at)) * (values[i + 1] - values[i]);
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

double scaled_mad(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> away;
  away.reserve(values.size());
  for (double v : values) away.push_back(std::abs(v - middle));
  return 1.4826 * median(away);
}

Spread spread_of(const std::vector<double>& values) {
  return {median(values), quantile(values, 0.05), quantile(values, 0.95), static_cast<int>(values.size())};
}

Spread over_rounds(const std::vector<Spread>& rounds) {
  Spread all = rounds.at(0);
  std::vector<double> values;
  all.samples = 0;
  for (const Spread& round : rounds) {
    values.push_back(round.value);
    all.lo = std::min(all.lo, round.lo), all.hi = std::max(all.hi, round.hi);
    all.samples += round.samples;
  }
  all.value = median(values);
  return all;
}

std::pair<double, double> bootstrap_median(const std::vector<double>& values, std::uint64_t seed, int resamples) {
  std::mt19937_64 random(seed);
  std::vector<double> medians, drawn(values.size());
  for (int r = 0; r < resamples; ++r) {
    for (double& v : drawn) v = values[random() % values.size()];
    medians.push_back(median(drawn));
  }
  return {quantile(medians, 0.025), quantile(medians, 0.975)};
}

std::vector<std::size_t> change_points(std::span<const double> values, double least_sigma) {
  const std::size_t n = values.size();
  if (n < 3) return {};
  std::vector<double> differences;
  for (std::size_t i = 1; i < n; ++i) differences.push_back(values[i] - values[i - 1]);
  const double sigma = std::max(scaled_mad(differences) / std::sqrt(2.0), least_sigma);
  const double penalty = 2 * sigma * sigma * std::log(static_cast<double>(n));
  std::vector<double> sum(n + 1, 0), square(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    sum[i + 1] = sum[i] + values[i];
    square[i + 1] = square[i] + values[i] * values[i];
  }
  auto cost = [&](std::size_t from, std::size_t to) { // squared error of values[from, to) about their mean
    const double s = sum[to] - sum[from];
    return std::max(0.0, square[to] - square[from] - s * s / static_cast<double>(to - from));
  };
  std::vector<double> best(n + 1, 0);
  std::vector<std::size_t> last(n + 1, 0), candidates{0};
  best[0] = -penalty;
  for (std::size_t end = 1; end <= n; ++end) {
    best[end] = INFINITY;
    for (std::size_t from : candidates)
      if (const double total = best[from] + cost(from, end) + penalty; total < best[end])
        best[end] = total, last[end] = from;
    std::erase_if(candidates, [&](std::size_t from) { return best[from] + cost(from, end) > best[end]; });
    candidates.push_back(end);
  }
  std::vector<std::size_t> out;
  for (std::size_t end = last[n]; end > 0; end = last[end]) out.push_back(end);
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<ChangePoint> steps(const std::vector<CurvePoint>& points, bool ratio, double least) {
  std::vector<double> values;
  std::vector<const CurvePoint*> kept;
  for (const CurvePoint& point : points)
    if (std::isfinite(point.y) && (!ratio || point.y > 0)) {
      values.push_back(ratio ? std::log(point.y) : point.y);
      kept.push_back(&point);
    }
  const auto at = change_points(values, ratio ? std::log1p(least) : least);
  std::vector<ChangePoint> out;
  auto level = [&](std::size_t from, std::size_t to) {
    return median(
        {values.begin() + static_cast<std::ptrdiff_t>(from), values.begin() + static_cast<std::ptrdiff_t>(to)});
  };
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : at[i - 1], to = i + 1 == at.size() ? values.size() : at[i + 1];
    const double before = level(from, at[i]), after = level(at[i], to);
    const auto left = static_cast<double>(at[i] - from), right = static_cast<double>(to - at[i]);
    // Merging two segments adds this much squared error.
    const double gain = left * right / (left + right) * (after - before) * (after - before);
    out.push_back({kept[at[i]]->x, ratio ? std::exp(before) : before, ratio ? std::exp(after) : after, gain});
  }
  return out;
}

std::string steps_method(bool ratio, double least) {
  return std::string("PELT (Killick, Fearnhead, Eckley 2012), squared error of ") + (ratio ? "logarithms" : "values") +
         ", BIC penalty, noise from neighbours' differences (MAD), at least " + std::to_string(least) +
         (ratio ? " of the level" : "");
}

} // namespace aicf::probes
