// What a probe concludes: figures with their control, curves, maps. Statuses follow from what was observed, so that a
// probe cannot give a number that nothing measured.
#pragma once
#include "probes/probe.hpp"

#include <string>
#include <vector>

namespace aicf::probes {

class Findings {
 public:
  explicit Findings(const ProbeText& text, const Setting& setting);

  /// Known results. Several of a source must all pass. Without one, a source's figures are withheld.
  void control_exact(bool passed, const std::string& detail);
  void control_device(bool passed, const std::string& detail);
  /// The same with what the observation says when it failed to run.
  void control_device(const Observation& seen, double lo, double hi, const std::string& what);

  /// From the emulator: `value` must be what was counted; `seen` says why there is none.
  void exact(const std::string& id, const std::string& name, const std::string& unit, const Observation& seen,
             double value, const std::string& how = {});
  /// From the device: the observation's spread times `scale`.
  void measured(const std::string& id, const std::string& name, const std::string& unit, const Observation& seen,
                double scale = 1, const std::string& how = {});
  /// `work` over the observation's spread.
  void rate(const std::string& id, const std::string& name, const std::string& unit, const Observation& seen,
            double work, const std::string& how = {});
  /// From the device, derived from several observations; `seen` are those that it needs.
  void derived(const std::string& id, const std::string& name, const std::string& unit,
               const std::vector<const Observation*>& seen, const Spread& spread, const std::string& how);

  HardwareCurve& curve(const std::string& id, const std::string& name, const AxisOf& x, const AxisOf& y, bool device);
  SensitivityMap& map(const std::string& id, const std::string& name, const std::string& kind, const AxisOf& x,
                      const AxisOf& y, const AxisOf& z, bool device);

  /// Whole once the probe has concluded: withholds what a control did not confirm.
  void close(const std::string& clock);
  std::vector<HardwareFigure> figures;
  std::vector<HardwareCurve> curves;
  std::vector<SensitivityMap> maps;

 private:
  ProbeText text_;
  bool device_;
  ControlVerdict exact_{"not_run", ""}, measured_{"not_run", ""};
  HardwareFigure& figure(const std::string& id, const std::string& name, const std::string& unit, bool device,
                         const std::string& how);
};

/// The grid of a map from trials that have it: value(trial) at (x, y).
void fill_map(SensitivityMap& map, const Observations& seen, const std::vector<std::string>& trials,
              const std::function<double(const Trial&, const Observation&)>& value);
/// Points of a curve from trials, ascending in x: spread(trial) of those that were observed.
void fill_curve(HardwareCurve& curve, const Observations& seen, const std::vector<std::string>& trials,
                const std::function<Spread(const Trial&, const Observation&)>& spread);
/// Ids of the trials that begin with `prefix`, in order.
[[nodiscard]] std::vector<std::string> trials_of(const Observations& seen, const std::string& prefix);
/// work / spread, with lo and hi changing places.
[[nodiscard]] Spread over(double work, const Spread& spread);
[[nodiscard]] Spread times(double factor, const Spread& spread);

} // namespace aicf::probes
