#include "core/plan/machine.hpp"

#include <array>
#include <cmath>

namespace aicf {

MachineModel machine_model(std::span<const PriorState> priors, double multiprocessors) {
  MachineModel m;
  if (multiprocessors > 0) m.multiprocessors = multiprocessors;
  struct Place {
    const char* prior;
    double MachineModel::*field;
    double scale; ///< from the prior's unit
  };
  static constexpr std::array<Place, 10> places{{{"memory_bandwidth", &MachineModel::memory_rate, 1e-9},
                                                 {"bytes_to_saturate", &MachineModel::in_flight, 1},
                                                 {"reread_cost", &MachineModel::reread, 1},
                                                 {"issue_rate", &MachineModel::issue, 1e-9},
                                                 {"block_meeting", &MachineModel::block_meeting, 1},
                                                 {"cluster_meeting", &MachineModel::cluster_meeting, 1},
                                                 {"second_kernel", &MachineModel::second_kernel, 1e3},
                                                 {"library_exp", &MachineModel::library_exp, 1},
                                                 {"library_erf", &MachineModel::library_erf, 1},
                                                 {"streaming_writeback", &MachineModel::streaming, 1}}};
  for (const PriorState& s : priors)
    for (const Place& p : places)
      if (s.usable && s.prior.id == p.prior && std::isfinite(s.prior.value) && s.prior.value > 0) {
        m.*p.field = s.prior.value * p.scale;
        m.priors.push_back(s.prior.id);
      }
  return m;
}

} // namespace aicf
