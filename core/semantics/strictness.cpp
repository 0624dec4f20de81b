#include "core/semantics/strictness.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace aicf {
namespace {

constexpr std::array orders{Order::any, Order::run_to_run, Order::batch_invariant, Order::device_to_device};
constexpr std::array arithmetics{Arithmetic::bitwise, Arithmetic::reassociated, Arithmetic::rescaled,
                                 Arithmetic::approximate};

} // namespace

StrictnessMatrix strictness_matrix(const StructureProfile& profile, CompilerProfile rules) {
  StrictnessMatrix matrix;
  std::array<std::array<Ledger, arithmetics.size()>, orders.size()> ledgers;
  for (std::size_t o = 0; o < orders.size(); ++o)
    for (std::size_t a = 0; a < arithmetics.size(); ++a) {
      rules.order = orders[o], rules.arithmetic = arithmetics[a];
      StrictnessPoint point{orders[o], arithmetics[a], {}};
      ledgers[o][a] = judge(profile, rules);
      for (const LegalityRow& r : ledgers[o][a].rows)
        if (r.allowed) point.legal.push_back(r.transformation);
      matrix.points.push_back(std::move(point));
    }
  auto step = [&](const Ledger& loose, const Ledger& strict, StrictnessLoss loss, std::string_view place) {
    for (std::size_t k = 0; k < loose.rows.size(); ++k) {
      if (!loose.rows[k].allowed || strict.rows[k].allowed) continue;
      loss.transformation = loose.rows[k].transformation, loss.reason = strict.rows[k].reason;
      auto same = std::find_if(matrix.losses.begin(), matrix.losses.end(), [&](const StrictnessLoss& l) {
        return l.axis == loss.axis && l.from == loss.from && l.transformation == loss.transformation &&
               l.reason == loss.reason;
      });
      if (same == matrix.losses.end()) same = matrix.losses.insert(same, loss);
      same->elsewhere.emplace_back(place);
    }
  };
  for (std::size_t o = 0; o + 1 < orders.size(); ++o)
    for (std::size_t a = 0; a < arithmetics.size(); ++a)
      step(ledgers[o][a], ledgers[o + 1][a],
           {{}, "order", std::string(name_of(orders[o])), std::string(name_of(orders[o + 1])), {}, {}},
           name_of(arithmetics[a]));
  for (std::size_t a = arithmetics.size() - 1; a > 0; --a)
    for (std::size_t o = 0; o < orders.size(); ++o)
      step(ledgers[o][a], ledgers[o][a - 1],
           {{}, "arithmetic", std::string(name_of(arithmetics[a])), std::string(name_of(arithmetics[a - 1])), {}, {}},
           name_of(orders[o]));
  return matrix;
}

nlohmann::json to_json(const StrictnessMatrix& matrix) {
  nlohmann::json points = nlohmann::json::array(), losses = nlohmann::json::array();
  for (const StrictnessPoint& p : matrix.points)
    points.push_back({{"order", name_of(p.order)}, {"arithmetic", name_of(p.arithmetic)}, {"legal", p.legal}});
  for (const StrictnessLoss& l : matrix.losses)
    losses.push_back({{"transformation", l.transformation},
                      {"axis", l.axis},
                      {"from", l.from},
                      {"to", l.to},
                      {"elsewhere", l.elsewhere},
                      {"reason", l.reason}});
  return {{"points", points}, {"losses", losses}};
}

} // namespace aicf
