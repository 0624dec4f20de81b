#include "probes/lab.hpp"

#include "core/base/json.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/nvrtc.hpp"
#include "probes/compile_ahead.hpp"
#include "probes/findings.hpp"
#include "probes/kernels.hpp"
#include "probes/outputs.hpp"
#include "probes/statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace aicf::probes {
namespace {

using nlohmann::json;
constexpr const char* needs_device = "not measured: it needs a device";
// Where memory lies decides which parts of L2 are near: a spread of one place would be that place's own.
constexpr int full_rounds = 3;
constexpr std::int64_t displacement = std::int64_t{6} << 20U;      // bytes, a round: some pages
constexpr std::uint64_t rehearsal_steps = std::uint64_t{1} << 25U; // warp instructions a launch

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

/// Why the emitted code is not what the trial is about; empty: it is.
std::string unlike(const Trial& t) {
  for (const Expected& e : t.expects) {
    std::size_t count = 0;
    for (const Call& call : t.calls) count += occurrences(call.compiled.ptx, e.instruction);
    if (count < static_cast<std::size_t>(e.at_least))
      return "the emitted code has " + std::to_string(count) + " of " + e.instruction + ", not " +
             std::to_string(e.at_least);
  }
  return {};
}

template <class T> std::string why_not(const Result<T>& result) {
  if (result.missing) return result.missing->what;
  for (const Diagnostic& d : result.diagnostics)
    if (d.severity == Diagnostic::Severity::error) return format(d);
  return "no result and no reason";
}

std::string trouble_of(const RunResult& run) {
  if (!run.faults.empty()) return run.faults[0].kind + ": " + run.faults[0].message;
  switch (run.status) {
  case RunResult::Status::ok: return {};
  case RunResult::Status::cancelled: return "cancelled";
  default: return "the run was lost";
  }
}

class Runner {
 public:
  Runner(CompileAhead& compiler, Backend& emulator, Backend* device, bool quick, std::stop_token stop)
      : compiler_(compiler), emulator_(emulator), device_(device), quick_(quick), rounds_(quick ? 1 : full_rounds),
        stop_(std::move(stop)) {}

  Observation observe(Trial& t) {
    Observation o;
    if (t.calls.empty()) {
      o.why = t.no_emulator;
      return o;
    }
    if (t.reads != Trial::Reads::exact && device_ == nullptr) {
      o.why = needs_device;
      return o;
    }
    if (o.why = compile(t, o); !o.why.empty()) return o;
    if (t.memory) memory_ = t.memory();
    switch (t.reads) {
    case Trial::Reads::exact: count(t, o); break;
    case Trial::Reads::cycles: read_cycles(t, o); break;
    case Trial::Reads::time: time(t, o); break;
    case Trial::Reads::power: weigh(t, o); break;
    }
    return o;
  }

  /// Trouble of a trial that is only run through.
  std::string rehearse(Trial& t) {
    if (t.calls.empty()) return "skipped: " + t.no_emulator;
    Observation o;
    if (std::string why = compile(t, o); !why.empty()) return why;
    if (!t.no_emulator.empty()) return "skipped: " + t.no_emulator;
    memory_ = t.memory();
    RunOptions options;
    options.step_limit = rehearsal_steps;
    return run(t, emulator_, options, nullptr);
  }

 private:
  CompileAhead& compiler_;
  Backend& emulator_;
  Backend* device_;
  bool quick_;
  int rounds_;
  std::stop_token stop_;
  std::vector<HostTensor> memory_;

  std::string compile(Trial& t, Observation& o) {
    for (Call& call : t.calls) {
      auto compiled = compiler_.get(call.module);
      if (!compiled) return why_not(compiled);
      call.compiled = std::move(*compiled);
      o.registers = std::max(o.registers, call.compiled.registers);
      o.shared_bytes = std::max(o.shared_bytes, call.compiled.shared_bytes);
      o.spill_bytes = std::max(o.spill_bytes, call.compiled.spill_bytes);
    }
    return unlike(t);
  }

  std::string run(const Trial& t, Backend& backend, const RunOptions& options, std::vector<Metric>* metrics,
                  int round = 0) {
    // What stands before the buffers takes the place that they had in the round before.
    HostTensor ballast(DType::i8, {round * displacement});
    std::vector<Call> calls = t.calls;
    std::vector<Buffer> buffers;
    if (round > 0) {
      buffers.push_back({ballast.bytes, ballast.dtype, ballast.shape, {1}});
      for (Call& call : calls)
        for (std::size_t& buffer : call.buffers) ++buffer;
    }
    for (HostTensor& tensor : memory_) {
      std::vector<std::int64_t> strides(tensor.shape.size(), 1);
      for (std::size_t k = strides.size(); k-- > 1;) strides[k - 1] = strides[k] * tensor.shape[k];
      buffers.push_back({tensor.bytes, tensor.dtype, tensor.shape, strides});
    }
    auto result = backend.run(calls, buffers, options, stop_);
    if (!result) return why_not(result);
    if (metrics != nullptr) *metrics = result->metrics;
    return trouble_of(*result);
  }

  void count(const Trial& t, Observation& o) {
    RunOptions options;
    options.counters = true;
    std::vector<Metric> metrics;
    if (o.why = run(t, emulator_, options, &metrics); !o.why.empty()) return;
    for (const Metric& m : metrics) o.counters[m.id] = m.value;
    if (t.judge) o.numbers = t.judge(memory_);
  }

  void read_cycles(const Trial& t, Observation& o) {
    RunOptions options;
    options.checks = false;
    const int launches = quick_ ? 2 : 3; // the first warms up
    const std::vector<HostTensor> fresh = memory_;
    for (int round = 0; round < rounds_; ++round)
      for (int i = 0; i < launches; ++i) {
        memory_ = fresh;
        if (o.why = run(t, *device_, options, nullptr, round); !o.why.empty()) return;
        if (i == 0) continue;
        const HostTensor& samples = memory_[0];
        for (std::size_t s = 0; s < samples.element_count(); ++s)
          if (const double cycles = samples.get(s); cycles > 0) o.samples.push_back(cycles / t.per);
      }
    o.rounds = rounds_;
    if (o.samples.empty())
      o.why = "no sample above zero cycles";
    else
      o.spread = spread_of(o.samples);
    if (t.per > 1) // a clock counts whole cycles: what two of them lie apart is known to one
      o.spread.lo -= 1 / t.per, o.spread.hi += 1 / t.per;
  }

  /// The buffers whose content a run changes and reads.
  static std::map<std::size_t, HostTensor> changed(const Trial& t, const std::vector<HostTensor>& memory) {
    std::map<std::size_t, HostTensor> out;
    for (const Call& call : t.calls) {
      std::size_t next = 0;
      for (const Arg& arg : call.module.args) {
        if (arg.role == Arg::Role::scalar) continue;
        const std::size_t buffer = call.buffers[next++];
        if (arg.role == Arg::Role::inout || arg.role == Arg::Role::workspace) out.emplace(buffer, memory[buffer]);
      }
    }
    return out;
  }

  void time(const Trial& t, Observation& o) {
    RunOptions options;
    options.checks = false;
    options.repetitions = quick_ ? 9 : 21;
    options.cold = t.cold;
    options.graph = t.graph;
    const auto fresh = changed(t, memory_);
    std::vector<Spread> rounds;
    for (int round = 0; round < rounds_; ++round) {
      for (const auto& [buffer, tensor] : fresh) memory_[buffer] = tensor;
      std::vector<Metric> metrics;
      if (o.why = run(t, *device_, options, &metrics, round); !o.why.empty()) return;
      for (const Metric& m : metrics)
        if (m.id == (t.cold ? "time_us.cold" : "time_us.hot")) rounds.push_back({m.value, m.lo, m.hi, m.samples});
    }
    o.rounds = rounds_;
    if (rounds.empty())
      o.why = "the device gave no time";
    else
      o.spread = over_rounds(rounds);
  }

  void weigh(const Trial& t, Observation& o) {
    RunOptions options;
    options.checks = false;
    options.power_seconds = 2.5; // the second half covers the second that the device averages over
    std::vector<Metric> metrics;
    if (o.why = run(t, *device_, options, &metrics); !o.why.empty()) return;
    o.why = "the device gave no power";
    for (const Metric& m : metrics) {
      if (m.source != Metric::Source::measured) {
        if (m.id.starts_with("power.")) o.why = m.method;
        continue;
      }
      o.numbers[m.id] = m.value;
      if (m.id == "power.board") o.spread = {m.value, m.lo, m.hi, m.samples};
    }
    if (o.numbers.contains("power.board")) o.why.clear();
  }
};

/// A millisecond of spinning between two pairs of clocks.
Trial clock_trial() {
  KernelText k;
  k.source = R"(extern "C" __global__ void probe(long long* samples) {
  long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  const long long first = clock64();
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - begin < 1000000);
  samples[0] = clock64() - first;
}
)";
  k.block = 1;
  k.buffers = {{"samples", DType::i64, 1}};
  Trial t = trial("clock", Trial::Reads::cycles, k);
  t.per = 1000; // cycles a microsecond are MHz
  return t;
}

Outcome concluded(const Probe& probe, const Setting& setting, Runner& runner, const std::stop_token& stop) {
  std::vector<Trial> trials = probe.trials(setting);
  Findings findings(probe.text(), setting);
  std::string clock;
  if (setting.device) {
    Trial t = clock_trial();
    const Observation o = runner.observe(t);
    clock = o.why.empty()
                ? std::to_string(std::lround(o.spread.value)) + " MHz SM (clock64 against %globaltimer, just before)"
                : "not known: " + o.why;
  }
  std::map<std::string, Observation> results;
  for (Trial& t : trials) {
    if (stop.stop_requested()) return {};
    results[t.id] = runner.observe(t);
  }
  probe.conclude(setting, Observations(std::move(trials), std::move(results)), findings);
  findings.close(clock);
  return {std::move(findings.figures), std::move(findings.curves), std::move(findings.maps)};
}

Evidence row_of(const Probe& probe, const Setting& setting, const HardwareProfile& head, const LabRequest& request) {
  std::string sources = probe.text().method;
  for (const Trial& t : probe.trials(setting))
    for (const Call& call : t.calls) {
      sources += t.id + call.module.cuda_source;
      for (const auto& [name, value] : call.dims) sources += name + std::to_string(value);
    }
  Evidence row;
  row.key.kind = "probe." + probe.text().id;
  row.key.source = sha256(sources);
  row.key.options = hash_of(json{{"quick", request.quick},
                                 {"sm_count", setting.hardware.sm_count},
                                 {"rounds", request.quick || !setting.device ? 1 : full_rounds}});
  row.key.device = head.device.name;
  row.key.driver = head.device.driver;
  row.key.toolkit = head.device.toolkit;
  row.key.timer = setting.device ? "clock64, cuda-events" : "";
  row.started = utc_now();
  row.host = host_name();
  row.command = request.command;
  return row;
}

Metric metric_of(const HardwareFigure& f) {
  Metric m;
  m.source = f.status == "exact"      ? Metric::Source::exact
             : f.status == "measured" ? Metric::Source::measured
                                      : Metric::Source::not_measured;
  m.id = f.id, m.unit = f.unit, m.method = f.method;
  if (f.status == "exact" || f.status == "measured") m.value = f.value, m.lo = f.lo, m.hi = f.hi, m.samples = f.samples;
  return m;
}

void stamp(Outcome& outcome, const std::string& run) {
  for (auto& f : outcome.figures) f.run = run;
  for (auto& c : outcome.curves) c.run = run;
  for (auto& m : outcome.maps) m.run = run;
}

class Lab {
 public:
  Lab(const LabRequest& r, Store* s, const LabEvents& e, std::stop_token t)
      : request(r), store(s), events(e), stop(std::move(t)) {}

  Result<HardwareProfile> run() {
    if (auto ready = prepare(); !ready.diagnostics.empty() || ready.missing) return ready.failure<HardwareProfile>();
    const auto begin = std::chrono::steady_clock::now();
    profile.started = utc_now();
    CompileAhead compiler;
    for (const Probe* probe : request.probes)
      for (const Trial& t : probe->trials(setting))
        if (t.reads == Trial::Reads::exact || setting.device)
          for (const Call& call : t.calls) compiler.queue(call.module);
    Runner runner(compiler, emulator, device.get(), request.quick, stop);
    std::size_t done = 0;
    for (const Probe* probe : request.probes) {
      if (stop.stop_requested()) break;
      if (events.progress) events.progress(done, request.probes.size(), probe->text().id);
      if (!one(*probe, runner)) break;
      ++done;
    }
    if (events.progress) events.progress(done, request.probes.size(), "");
    profile.complete = done == request.probes.size();
    profile.finished = utc_now();
    profile.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    derive_outputs(profile);
    Result<HardwareProfile> result(std::move(profile));
    result.diagnostics = std::move(warnings);
    return result;
  }

 private:
  const LabRequest& request;
  Store* store;
  const LabEvents& events;
  std::stop_token stop;
  EmulatorBackend emulator;
  std::unique_ptr<Backend> device;
  Setting setting;
  HardwareProfile profile;
  std::vector<Diagnostic> warnings;

  Result<bool> prepare() {
    auto compiler = nvrtc_info();
    if (!compiler) return compiler.failure<bool>();
    if (request.backend == "cuda") {
      auto made = make_backend("cuda");
      if (!made) return made.failure<bool>();
      auto info = cuda::device_at(0);
      if (!info) return info.failure<bool>();
      device = std::move(*made);
      setting.device = true;
      profile.device = {info->name,
                        info->arch,
                        info->driver,
                        {},
                        info->uuid,
                        info->sm_count,
                        static_cast<std::int64_t>(info->memory_bytes),
                        info->l2_bytes,
                        info->shared_optin_bytes,
                        info->memory_bus_bits,
                        info->clock_khz / 1000.0,
                        info->memory_clock_khz / 1000.0};
    } else {
      profile.device.name = "emulator";
      profile.device.arch = "sm_90";
      profile.device.sm_count = 1;
    }
    profile.device.toolkit = "nvrtc " + std::to_string(compiler->major) + "." + std::to_string(compiler->minor);
    setting.quick = request.quick;
    setting.hardware = profile.device;
    profile.source = setting.device ? "device" : "emulator";
    profile.name = setting.device ? profile.device.name : "Exact counts for sm_90, no device and no time";
    profile.set = request.set;
    return true;
  }

  /// False when stopped before the end.
  bool one(const Probe& probe, Runner& runner) {
    Evidence row = row_of(probe, setting, profile, request);
    if (request.resume && store != nullptr && take_kept(row)) return true;
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome = concluded(probe, setting, runner, stop);
    if (stop.stop_requested()) return false;
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    keep(row, outcome);
    add(std::move(outcome));
    return true;
  }

  void keep(Evidence& row, Outcome& outcome) {
    if (store == nullptr && !events.evidence) return;
    row.status = "ok";
    HardwareProfile part = profile;
    part.figures = outcome.figures, part.curves = outcome.curves, part.maps = outcome.maps;
    for (const HardwareFigure& f : outcome.figures) {
      row.metrics.push_back(metric_of(f));
      if (f.status == "withheld") row.status = "withheld";
    }
    const std::vector<Artefact> artefacts{{"probe", canonical(to_json(part))}};
    if (events.evidence) events.evidence(row, artefacts);
    const auto kept = store != nullptr ? store->put(row, artefacts)
                                       : Result<std::string>(content_id(row, {sha256(artefacts.front().data)}));
    if (kept)
      stamp(outcome, *kept);
    else if (warnings.empty())
      warnings = kept.diagnostics;
    for (Diagnostic& d : warnings) d.severity = Diagnostic::Severity::warning;
  }

  bool take_kept(const Evidence& row) {
    auto rows = store->find_key(hash_of(row.key));
    if (!rows) return false;
    for (const Evidence& kept : *rows) {
      if (kept.status != "ok") continue;
      auto hashes = store->artefacts_of(kept.id);
      if (!hashes || hashes->empty()) continue;
      auto document = store->artefact(hashes->front());
      if (!document) continue;
      auto part = hardware_profile_from_json(json::parse(document->data, nullptr, false), kept.id);
      if (!part) continue;
      Outcome outcome{std::move(part->figures), std::move(part->curves), std::move(part->maps)};
      stamp(outcome, kept.id);
      add(std::move(outcome));
      return true;
    }
    return false;
  }

  void add(Outcome outcome) {
    auto move_all = [](auto& from, auto& to) {
      to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    move_all(outcome.figures, profile.figures);
    move_all(outcome.curves, profile.curves);
    move_all(outcome.maps, profile.maps);
  }
};

} // namespace

Result<HardwareProfile> run_lab(const LabRequest& request, Store* store, const LabEvents& events,
                                std::stop_token stop) {
  return Lab(request, store, events, std::move(stop)).run();
}

Outcome run_probe(const Probe& probe, const Setting& setting, Backend& emulator, Backend* device,
                  std::stop_token stop) {
  CompileAhead compiler;
  Runner runner(compiler, emulator, device, setting.quick, stop);
  return concluded(probe, setting, runner, stop);
}

Result<std::map<std::string, std::string>> rehearse(const Probe& probe, std::stop_token stop) {
  if (auto compiler = nvrtc_info(); !compiler) return compiler.failure<std::map<std::string, std::string>>();
  Setting setting;
  setting.hardware.sm_count = 1;
  CompileAhead compiler;
  EmulatorBackend emulator;
  Runner runner(compiler, emulator, nullptr, true, stop);
  std::map<std::string, std::string> trouble;
  for (Trial& t : probe.trials(setting))
    if (std::string what = runner.rehearse(t); !what.empty()) trouble[t.id] = std::move(what);
  return trouble;
}

} // namespace aicf::probes
