// The laboratory: compiles and runs the trials of probes, lets them conclude, keeps each as an evidence row, and puts
// what they found together as one hardware profile.
#pragma once
#include "core/evidence/store.hpp"
#include "probes/probe.hpp"

#include <functional>
#include <stop_token>

namespace aicf::probes {

struct LabRequest {
  std::vector<const Probe*> probes;
  std::string backend = "emulator"; ///< "cuda": times and cycles on the device, exact counts on the emulator
  bool quick = false;               ///< shorter sweeps
  bool resume = false;              ///< take what the store has of the same probes, sources, device and driver
  std::string set = "chosen", command;
};

struct LabEvents {
  std::function<void(std::size_t done, std::size_t total, const std::string& text)> progress;
  std::function<void(const Evidence& row, const std::vector<Artefact>& artefacts)> evidence; ///< each, kept here or not
};

/// What one probe came to.
struct Outcome {
  std::vector<HardwareFigure> figures;
  std::vector<HardwareCurve> curves;
  std::vector<SensitivityMap> maps;
};

/// Stopped early, it returns what is finished, `complete` false. Unavailable: no NVRTC, no device for "cuda". What
/// stops one trial is the reason of the figures that needed it. `store` may be null: then nothing is kept or resumed.
[[nodiscard]] Result<HardwareProfile> run_lab(const LabRequest& request, Store* store, const LabEvents& events = {},
                                              std::stop_token stop = {});

/// Runs every trial of a probe on the emulator at its small size, timings too (nothing is read from those): whether
/// kernels compile, have the instructions that they are about, and run to the end. Trial -> what went wrong, or why it
/// was not run ("skipped: …"); trials without trouble are not named.
[[nodiscard]] Result<std::map<std::string, std::string>> rehearse(const Probe& probe, std::stop_token stop = {});

/// One probe alone, on given backends (`device` may be null); nothing is kept.
[[nodiscard]] Outcome run_probe(const Probe& probe, const Setting& setting, Backend& emulator, Backend* device,
                                std::stop_token stop = {});

} // namespace aicf::probes
