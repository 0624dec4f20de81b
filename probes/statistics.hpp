// Robust statistics of small samples, and steps in a curve.
#pragma once
#include "probes/probe.hpp"

#include <span>
#include <vector>

namespace aicf::probes {

/// Linear interpolation between closest ranks (type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages",
/// The American Statistician 50, 1996). `values` are not empty.
[[nodiscard]] double quantile(std::vector<double> values, double q);
[[nodiscard]] double median(const std::vector<double>& values);
/// 1.4826 times the median of absolute deviations from the median: the standard deviation of a normal distribution.
/// Source: P. J. Rousseeuw, C. Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993.
[[nodiscard]] double scaled_mad(const std::vector<double>& values);
/// Median with the 5 % and 95 % quantiles.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);
/// Of the same quantity measured again in other circumstances: the median of the values, from the least lo to the
/// greatest hi. `rounds` are not empty.
[[nodiscard]] Spread over_rounds(const std::vector<Spread>& rounds);
/// Percentile bootstrap interval of the median, 95 %. Source: B. Efron, "Bootstrap Methods: Another Look at the
/// Jackknife", The Annals of Statistics 7, 1979. Deterministic in `seed`.
[[nodiscard]] std::pair<double, double> bootstrap_median(const std::vector<double>& values, std::uint64_t seed = 1,
                                                         int resamples = 1000);

/// Positions i > 0 at which the level of `values` changes: the segmentation of least squared error plus 2 sigma^2 log n
/// a change (BIC: each adds a position and a level), found exactly by PELT. Source: R. Killick, P. Fearnhead, I. A.
/// Eckley, "Optimal Detection of Changepoints with a Linear Computational Cost", JASA 107, 2012. sigma is estimated
/// from the differences of neighbours, whose MAD is sqrt(2) sigma where steps are few, and is at least `least_sigma`:
/// what is smaller is no step, however regular.
[[nodiscard]] std::vector<std::size_t> change_points(std::span<const double> values, double least_sigma);

/// Steps of a curve as the document has them. Levels are compared as logarithms when `ratio`: a step is then a factor.
[[nodiscard]] std::vector<ChangePoint> steps(const std::vector<CurvePoint>& points, bool ratio, double least);
[[nodiscard]] std::string steps_method(bool ratio, double least);

} // namespace aicf::probes
