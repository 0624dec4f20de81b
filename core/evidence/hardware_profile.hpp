// What probes found out about a device, or exactly without one: the document "aicf.hardware/1" (its JSON Schema is
// atlas/schemas/hardware.json). A number that is not known is NaN here and null there; nothing stands in for it.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/evidence/evidence.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace aicf {

inline constexpr double unknown_number = std::numeric_limits<double>::quiet_NaN();

struct HardwareDevice {
  std::string name, arch;      ///< "NVIDIA H200", "sm_90"; the emulator: "emulator", "sm_90"
  std::string driver, toolkit; ///< CUDA version of the driver, "nvrtc 13.0"; driver empty without a device
  std::string uuid;            ///< tells this card from another of its kind; empty: not known
  int sm_count = 0;
  std::int64_t memory_bytes = 0, l2_bytes = 0, shared_optin_bytes = 0; ///< 0: not known
  int memory_bus_bits = 0;
  double max_clock_mhz = unknown_number, memory_clock_mhz = unknown_number; ///< as the driver states them
};

struct ControlVerdict {
  std::string status; ///< "passed" "failed" "not_run"
  std::string detail; ///< what must come out, and what came out
};

struct HardwareFigure {
  std::string id, probe, name, unit; ///< id: "PROBE.what", stable over runs
  /// "measured" "exact" "withheld" (its control failed) "not_measured" (`reason` says what it needs)
  std::string status = "not_measured";
  double value = unknown_number, lo = unknown_number, hi = unknown_number; ///< lo, hi: what `method` says
  int samples = 0;
  std::string clock;  ///< what the SM clock was while it was measured, with its source; empty: no clock matters
  std::string method; ///< how, with the estimator and the meaning of lo and hi
  std::string inputs; ///< distribution of the data
  ControlVerdict control;
  std::string source; ///< "device" "emulator"
  std::string reason; ///< why there is no value
  std::string run;    ///< evidence row
};

struct AxisOf {
  std::string name, unit;
  bool log = false; ///< best drawn logarithmically
};

struct CurvePoint {
  double x = 0, y = unknown_number, lo = unknown_number, hi = unknown_number;
  int samples = 0;
};
struct ChangePoint {
  double x = 0;                 ///< the first x of the new level
  double before = 0, after = 0; ///< levels (medians) on either side
  double gain = 0;              ///< what the split takes off the criterion; positive
};
struct HardwareCurve {
  std::string id, probe, name;
  AxisOf x, y;
  std::vector<CurvePoint> points; ///< ascending in x
  std::vector<ChangePoint> changes;
  std::string change_method; ///< of the change points, with its source; empty where none was looked for
  std::string method, source, run;
};

/// A grid: cells[row][column] belongs to y_values[row] and x_values[column]; NaN where nothing was measured.
struct SensitivityMap {
  std::string id, probe, name;
  std::string kind; ///< "latency" "throughput" "conflicts" "traffic" "drift" "cost" "occupancy" "viability"
  AxisOf x, y, z;
  std::vector<double> x_values, y_values;
  std::vector<std::vector<double>> cells;
  std::string method, source, run;
};

/// A ceiling of the roofline and the figure that it was read from.
struct Ceiling {
  std::string id, name, kind; ///< kind: "compute" "bandwidth"
  std::string unit;           ///< "FLOP/s", "B/s"
  double value = unknown_number, lo = unknown_number, hi = unknown_number;
  std::string figure, provenance;
};

/// A size or count that a kernel must respect, and where it is known from.
struct MeasuredLimit {
  std::string id, name, unit;
  double value = unknown_number;
  std::string origin; ///< "figure" "driver" "documented"
  std::string figure; ///< of origin "figure"
  std::string source; ///< of origin "documented": where
};

/// How a primitive came out in one form: cost and drift, each by the figure that holds it.
struct PrimitiveRealization {
  std::string primitive, form; ///< primitive: an id of atlas/primitives.json where there is one
  std::string cost_figure, drift_figure, traffic_figure; ///< empty: none
  std::vector<std::string> families;                     ///< that can be built with it
};

/// What a legal rewriting costs or saves: the ratio of two figures, `with` over `without`.
struct LegalityCost {
  std::string transformation, preservation_class, quantity; ///< ids of the ledger; "time" "sectors" "instructions" …
  std::string without, with;                                ///< figure ids
  double ratio = unknown_number, lo = unknown_number, hi = unknown_number;
  std::string source;
};

struct FamilyViability {
  std::string family, verdict; ///< verdict: "viable" "viable_within" "not_viable" "not_measured"
  std::string reason;          ///< the range, or why not
  std::vector<std::string> primitives, figures;
};

struct HardwareProfile {
  std::string name, source, set; ///< source: "device" "emulator"; set: "quick" "full" "chosen"
  HardwareDevice device;
  std::string started, finished; ///< UTC, ISO 8601
  double seconds = 0;
  bool complete = false; ///< false: some probes of the set are still to be run
  std::vector<HardwareFigure> figures;
  std::vector<HardwareCurve> curves;
  std::vector<SensitivityMap> maps;
  std::vector<Ceiling> envelope;
  std::vector<MeasuredLimit> limits;
  std::vector<PrimitiveRealization> realizations;
  std::vector<LegalityCost> legality_costs;
  std::vector<FamilyViability> viability;
  std::vector<Prior> priors;
};

[[nodiscard]] const HardwareFigure* figure_of(const HardwareProfile& profile, const std::string& id); ///< or nullptr

[[nodiscard]] nlohmann::json to_json(const HardwareProfile& profile);
/// Checked against the schema, then for what a schema cannot say (ids twice, figures that are named and absent, grids
/// that are not as large as their axes, a value without its status). Places are JSON pointers; all errors are reported.
[[nodiscard]] Result<HardwareProfile> hardware_profile_from_json(const nlohmann::json& document,
                                                                 const std::string& file);
/// A path. "evidence.profile-read" where it cannot be read or is no JSON.
[[nodiscard]] Result<HardwareProfile> load_hardware_profile(const std::filesystem::path& path);
/// Those that ship: atlas/hardware/*.json, by name.
[[nodiscard]] std::vector<std::filesystem::path> shipped_hardware_profiles();

} // namespace aicf
