#include "core/semantics/topology.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aicf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= 1e-6 * (1 + std::fabs(a));
}

std::string text(double v) {
  return std::isnan(v) ? "nan" : std::isinf(v) ? (v > 0 ? "inf" : "-inf") : nlohmann::json(v).dump();
}

} // namespace

void derive_order(Claim& claim, const OperatorFacts& facts, const Topology& topology) {
  const bool matters = !facts.inexact.empty() || !facts.ordered.empty();
  auto verdict = [&](Verdict& v, bool kept, const char* why) {
    v.answer = kept ? "kept" : std::string("lost (") + why + ")";
  };
  if (!matters) {
    claim.assumptions.emplace_back("every reducer selects one of its operands, so brackets change no bit");
  } else if (!topology.shape.empty()) {
    claim.assumptions.push_back("the tree follows " + topology.shape);
  } else if (topology.arrival) {
    claim.assumptions.emplace_back("atomics take effect in any order");
  } else {
    claim.assumptions.emplace_back("the same device runs the same number of rows in the same number of parts");
  }
  const bool arrival = matters && topology.arrival, batch = matters && (topology.arrival || topology.batch),
             device = (matters && (topology.arrival || topology.batch || topology.device)) || topology.functions;
  verdict(claim.run_to_run, !arrival, "parts combine in the order in which they finish");
  verdict(claim.batch_invariant, !batch,
          topology.arrival ? "parts combine in the order in which they finish"
                           : "the number of parts follows the batch");
  verdict(claim.cross_device, !device,
          topology.functions ? "only an interval is published"
          : topology.arrival ? "parts combine in the order in which they finish"
                             : "the number of parts follows the device");
  claim.keeps = arrival  ? Order::any
                : batch  ? Order::run_to_run
                : device ? Order::batch_invariant
                         : Order::device_to_device;
  if (!device && !topology.functions && matters)
    claim.assumptions.emplace_back("every device adds and multiplies as IEEE 754 says");
}

void run_special(Claim& claim, const TwoSides& sides) {
  struct Case {
    const char* kind;
    std::vector<double> x;
    double c;
  };
  const double big = std::numeric_limits<double>::max() / 2;
  std::vector<Case> cases{{"empty", {}, 2},
                          {"empty", {}, 0},
                          {"empty", {}, infinity},
                          {"overflow", {big, big, big, -big}, 0.125},
                          {"overflow", {big, big, -big, -big}, 1}};
  for (double v : {-infinity, infinity, nan})
    for (double c : {2.0, 0.0, -1.0}) {
      const char* kind = std::isnan(v) ? "nan" : "infinity";
      cases.push_back({kind, {v, 1, 2, 3}, c});
      cases.push_back({kind, {1, 2, 3, v}, c});
    }
  for (double c : {infinity, nan}) cases.push_back({std::isnan(c) ? "nan" : "infinity", {1, 2, 3, 4}, c});
  std::vector<std::string> kinds;
  for (const Case& k : cases) {
    if (std::find(kinds.begin(), kinds.end(), k.kind) != kinds.end()) continue;
    const double before = sides.before(k.x, k.c), after = sides.after(k.x, k.c);
    if (same(before, after)) continue;
    kinds.emplace_back(k.kind);
    if (claim.witness) continue;
    claim.witness = Witness{{{"x", k.x}, {"c", {k.c}}}, text(before), text(after)};
  }
  if (kinds.empty()) {
    claim.special.answer = "same";
    return;
  }
  claim.special.answer = "differs (";
  for (const std::string& k : kinds) claim.special.answer += (k == kinds.front() ? "" : ", ") + k;
  claim.special.answer += ")";
}

} // namespace aicf
