#include "probes/chase.hpp"
#include "probes/statistics.hpp"

namespace aicf::probes {
namespace {

class L1Capacity final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return chase_text("l1_capacity", "Capacity of L1",
                      "the working set at which loads begin to miss L1, without shared memory in use");
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{alu_chain_control(setting)};
    for (std::int64_t kib = 144; kib <= (setting.device ? 288 : 144); kib += setting.quick ? 24 : 8)
      out.push_back(chase_trial("kib_" + std::to_string(kib), {.bytes = kib << 10U}, setting));
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_alu_chain(seen, findings);
    HardwareCurve& curve = findings.curve("by_set", "Load latency around the capacity of L1",
                                          {"working set", "B", false}, {"load", "cycles", false}, true);
    fill_curve(curve, seen, trials_of(seen, "kib_"), [](const Trial&, const Observation& o) { return o.spread; });
    curve.changes = steps(curve.points, true, 0.08);
    curve.change_method = steps_method(true, 0.08);
    Spread first;
    if (!curve.changes.empty())
      for (std::size_t i = 1; i < curve.points.size(); ++i)
        if (curve.points[i].x == curve.changes.front().x)
          first = {curve.points[i - 1].x, curve.points[i - 1].x, curve.points[i].x, 1};
    const Observation& any = seen.at(trials_of(seen, "kib_").front());
    findings.derived("capacity", "L1, the largest set before the first change of latency", "B", {&any}, first,
                     "lo and hi are neighbouring sizes");
  }
};
const RegisterProbe l1_capacity{"l1_capacity", make_probe<L1Capacity>};

} // namespace
} // namespace aicf::probes
