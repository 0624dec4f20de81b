// aicf probe: lists, runs and compares what probes find out about a device, or exactly without one.
#include "app/aicf/probe.hpp"

#include "app/aicf/command.hpp"
#include "app/aicf/remote.hpp"
#include "core/base/atlas_path.hpp"
#include "core/base/json.hpp"
#include "core/evidence/hardware_profile.hpp"
#include "core/evidence/priors.hpp"
#include "core/exec/cuda/device.hpp"
#include "probes/lab.hpp"
#include "probes/outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace aicf {

Result<probes::LabRequest> lab_request_from(const nlohmann::json& body) {
  if (!body.is_object()) return error("job.body", "the body of a job is an object");
  auto wrong = [](const std::string& what) { return error("job.field", what); };
  probes::LabRequest request;
  if (body.contains("backend")) {
    if (body["backend"] != "emulator" && body["backend"] != "cuda") return wrong("backend: emulator or cuda is needed");
    request.backend = body["backend"].get<std::string>();
  }
  if (body.contains("quick")) {
    if (!body["quick"].is_boolean()) return wrong("quick: true or false is needed");
    request.quick = body["quick"].get<bool>();
  }
  if (body.contains("ids") && !body["ids"].is_array()) return wrong("ids: a list of probes is needed");
  for (const auto& id : body.value("ids", nlohmann::json::array())) {
    const probes::Probe* probe = id.is_string() ? probes::find(id.get<std::string>()) : nullptr;
    if (probe == nullptr) return wrong("ids: no probe " + id.dump() + ": `aicf probe list` names them");
    request.probes.push_back(probe);
  }
  request.set = !request.probes.empty() ? "chosen" : request.quick ? "quick" : "full";
  if (request.probes.empty())
    for (const probes::Probe* probe : probes::registered())
      if (!request.quick || probe->text().quick) request.probes.push_back(probe);
  request.command = "probe run --backend " + request.backend + (request.quick ? " --quick" : "");
  return request;
}

namespace cli {
namespace {

using nlohmann::json;

struct Options {
  std::vector<std::string> ids;
  std::string backend = "emulator", out, first, second, target;
  bool quick = false, resume = false, as_json = false;
};

std::string shown(double value) {
  if (!std::isfinite(value)) return "-";
  std::ostringstream text;
  text.precision(5);
  text << value;
  return text.str();
}

int list(const Options& o) {
  if (o.as_json) {
    json all = json::array();
    for (const probes::Probe* probe : probes::registered()) {
      const auto t = probe->text();
      all.push_back({{"id", t.id},
                     {"lab", t.lab},
                     {"name", t.name},
                     {"measures", t.measures},
                     {"method", t.method},
                     {"control", t.control},
                     {"inputs", t.inputs},
                     {"quick", t.quick}});
    }
    print_json({{"schema", "aicf.probes/1"}, {"probes", all}});
    return done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const probes::Probe* probe : probes::registered()) {
    const auto t = probe->text();
    rows.push_back({t.id, t.lab, t.quick ? "quick" : "full", t.measures});
  }
  std::cout << table({"probe", "laboratory", "set", "measures"}, rows);
  return done;
}

/// The kernels of a probe as they are compiled for a device, with the instructions that their code must have.
int source(const Options& o) {
  const probes::Probe* probe = probes::find(o.first);
  if (probe == nullptr) return complain("no probe \"" + o.first + "\": `aicf probe list` names them");
  probes::Setting setting;
  setting.device = true;
  setting.hardware.sm_count = 1;
  bool first = true;
  for (const probes::Trial& t : probe->trials(setting))
    for (const Call& call : t.calls) {
      std::cout << (first ? "" : "\n") << "// " << o.first << "." << t.id << ", sm_90a; must have";
      for (const probes::Expected& e : t.expects) std::cout << " " << e.at_least << " x " << e.instruction;
      std::cout << (t.expects.empty() ? " nothing in particular" : "") << "\n" << call.module.cuda_source;
      first = false;
    }
  return done;
}

void print_figures(const HardwareProfile& profile) {
  std::vector<std::vector<std::string>> rows;
  for (const HardwareFigure& f : profile.figures)
    rows.push_back(
        {f.id, shown(f.value), shown(f.lo), shown(f.hi), f.unit, f.status, f.source, f.reason.substr(0, 60)});
  std::cout << table({"figure", "value", "lo", "hi", "unit", "status", "source", "why not"}, rows);
}

/// Figures on standard output, the document where it was asked for.
int deliver(const Options& o, const HardwareProfile& profile) {
  const json document = to_json(profile);
  if (!o.out.empty())
    if (const int failed = write_file(o.out, document.dump(1) + "\n")) return failed;
  if (o.as_json)
    print_json(document);
  else
    print_figures(profile);
  const auto count = [&](const char* status) {
    return std::count_if(profile.figures.begin(), profile.figures.end(),
                         [&](const auto& f) { return f.status == status; });
  };
  std::cerr << count("measured") << " measured, " << count("exact") << " exact, " << count("withheld") << " withheld, "
            << count("not_measured") << " not measured, in " << shown(profile.seconds) << " s\n";
  if (!profile.complete) std::cerr << "stopped: what is finished is kept, --resume goes on from there\n";
  return profile.complete ? done : negative;
}

int run_elsewhere(const Options& o, const json& body, const std::stop_token& stop) {
  if (o.resume) return complain("--resume takes finished probes of this machine: it does not go with --target");
  auto outcomes = run_on_targets({{o.target, "probe", "probe", body}}, stop);
  if (!outcomes) return report(outcomes);
  const TargetOutcome& outcome = outcomes->front();
  int status = report_end(outcome);
  if (!outcome.end.body.is_object()) return status;
  auto profile = hardware_profile_from_json(outcome.end.body, outcome.greeting.host);
  if (!profile) return report(profile);
  const int delivered = deliver(o, *profile);
  return status != done ? status : delivered;
}

int run(const Options& o, const std::stop_token& stop) {
  const json body{{"backend", o.backend}, {"quick", o.quick}, {"ids", o.ids}};
  auto asked = lab_request_from(body);
  if (!asked) return complain(asked.diagnostics.front().message);
  if (!o.target.empty()) return run_elsewhere(o, body, stop);
  probes::LabRequest& request = *asked;
  request.resume = o.resume;
  auto store = Store::open(Store::default_path());
  if (!store && o.resume) return report(store);
  if (!store)
    for (const Diagnostic& d : store.diagnostics) std::cerr << "aicf: results are not kept: " << format(d) << "\n";
  const bool terminal = isatty(STDERR_FILENO) != 0;
  probes::LabEvents events;
  events.progress = [&](std::size_t finished, std::size_t total, const std::string& text) {
    if (terminal)
      std::cerr << "\r\033[K" << finished << " of " << total << " " << text << (finished == total ? "\n" : "")
                << std::flush;
  };
  auto profile = probes::run_lab(request, store ? &*store : nullptr, events, stop);
  if (!profile) return report(profile);
  for (const Diagnostic& d : profile.diagnostics) std::cerr << format(d) << "\n";
  return deliver(o, *profile);
}

/// A path, or the name of a profile of the atlas.
Result<HardwareProfile> find_hardware(const std::string& file_or_name) {
  const auto shipped = atlas_dir() / "hardware" / (file_or_name + ".json");
  return load_hardware_profile(std::filesystem::exists(shipped) ? shipped : std::filesystem::path(file_or_name));
}

int show(const Options& o) {
  if (o.first.empty()) {
    for (const auto& path : shipped_hardware_profiles()) std::cout << path.stem().string() << "\n";
    return done;
  }
  auto profile = find_hardware(o.first);
  if (!profile) return report(profile);
  HardwareDevice here;
  here.arch = profile->device.arch; // without a device, of the architecture that the profile speaks of
  if (auto device = cuda::device_at(0))
    here.name = device->name, here.arch = device->arch, here.driver = device->driver;
  const auto priors = judge_priors(profile->priors, here, utc_now(), CompilerProfile{});
  if (o.as_json) {
    json document = to_json(*profile);
    print_json(document);
    return done;
  }
  std::cout << profile->name << "\n"
            << profile->device.name << ", " << profile->device.arch << ", driver "
            << (profile->device.driver.empty() ? "none" : profile->device.driver) << ", " << profile->device.toolkit
            << (profile->device.uuid.empty() ? "" : ", " + profile->device.uuid) << ", " << profile->finished
            << ", set " << profile->set << (profile->complete ? "" : ", incomplete") << "\n\n";
  print_figures(*profile);
  for (const HardwareCurve& c : profile->curves)
    for (const ChangePoint& p : c.changes)
      std::cout << c.id << ": from " << shown(p.before) << " to " << shown(p.after) << " " << c.y.unit << " at "
                << shown(p.x) << " " << c.x.unit << "\n";
  std::vector<std::vector<std::string>> rows;
  for (const PriorState& s : priors)
    rows.push_back({s.prior.id, shown(s.prior.value), shown(s.prior.lo), shown(s.prior.hi), s.prior.unit,
                    s.prior.measured.substr(0, 10), s.usable ? "usable" : s.why_not, s.prior.rule});
  if (!rows.empty())
    std::cout << "\n" << table({"prior", "value", "lo", "hi", "unit", "measured", "here", "rule"}, rows);
  return done;
}

/// What follows from a profile's figures by today's rules, in the places of what followed when it was made.
int derive(const Options& o) {
  auto profile = find_hardware(o.first);
  if (!profile) return report(profile);
  probes::derive_outputs(*profile);
  return write_file(o.out, to_json(*profile).dump(1) + "\n");
}

/// Whether two profiles speak of one card; a card is known by its uuid.
const char* cards(const HardwareDevice& a, const HardwareDevice& b) {
  if (a.uuid.empty() || b.uuid.empty()) return "unknown";
  return a.uuid == b.uuid ? "same" : "different";
}

json origin(const std::string& from, const HardwareProfile& p) {
  return {{"profile", from},      {"device", p.device.name}, {"uuid", p.device.uuid}, {"driver", p.device.driver},
          {"started", p.started}, {"seconds", p.seconds},    {"complete", p.complete}};
}

std::string origin_line(const std::string& which, const HardwareProfile& p) {
  return which + ": " + p.device.name + (p.device.uuid.empty() ? ", card not known" : ", " + p.device.uuid) + ", " +
         p.started + ", " + shown(p.seconds) + " s" + (p.complete ? "" : ", incomplete") + "\n";
}

/// Agreement: the spreads overlap; exact figures must be equal.
int compare(const Options& o) {
  auto a = find_hardware(o.first), b = find_hardware(o.second);
  if (!a || !b) return std::max(a ? 0 : report(a), b ? 0 : report(b));
  std::vector<std::vector<std::string>> rows;
  json differing = json::array(), alone = json::array();
  std::size_t agreeing = 0;
  for (const HardwareFigure& f : a->figures) {
    const HardwareFigure* g = figure_of(*b, f.id);
    if (g == nullptr || !std::isfinite(f.value) || !std::isfinite(g->value)) {
      if (std::isfinite(f.value) || (g != nullptr && std::isfinite(g->value))) alone.push_back(f.id);
      continue;
    }
    if (f.lo <= g->hi && g->lo <= f.hi) {
      ++agreeing;
      continue;
    }
    const double change = f.value != 0 ? g->value / f.value - 1 : unknown_number;
    rows.push_back({f.id, shown(f.value), shown(f.lo) + " … " + shown(f.hi), shown(g->value),
                    shown(g->lo) + " … " + shown(g->hi), f.unit, f.status, shown(100 * change) + " %"});
    differing.push_back({{"id", f.id},
                         {"unit", f.unit},
                         {"status", f.status},
                         {"a", f.value},
                         {"a_lo", f.lo},
                         {"a_hi", f.hi},
                         {"b", g->value},
                         {"b_lo", g->lo},
                         {"b_hi", g->hi},
                         {"relative", std::isfinite(change) ? json(change) : json(nullptr)}});
  }
  for (const HardwareFigure& g : b->figures)
    if (figure_of(*a, g.id) == nullptr && std::isfinite(g.value)) alone.push_back(g.id);
  if (o.as_json) {
    print_json({{"schema", "aicf.hardware-comparison/1"},
                {"first", origin(o.first, *a)},
                {"second", origin(o.second, *b)},
                {"cards", cards(a->device, b->device)},
                {"agree", agreeing},
                {"differ", differing},
                {"in_one_only", alone}});
  } else {
    std::cout << origin_line("first", *a) << origin_line("second", *b);
    if (!rows.empty())
      std::cout << "\n" << table({"figure", "first", "spread", "second", "spread", "unit", "status", "change"}, rows);
    std::cout << agreeing << " agree within their spreads, " << rows.size() << " do not, " << alone.size()
              << " are known in one only\n";
  }
  return rows.empty() ? done : negative;
}

const RegisterCommand probe{
    {"probe", "Measure a device with probes, or count exactly without one", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.require_subcommand(1);
       CLI::App* listing = app.add_subcommand("list", "The probes");
       CLI::App* running =
           app.add_subcommand("run", "Run probes; without ids the full set, or with --quick the quick one");
       running->add_option("ID", o->ids, "Probes");
       running->add_option("--backend", o->backend, "emulator | cuda")->capture_default_str();
       running->add_flag("--quick", o->quick, "The quick set, shorter sweeps");
       running->add_flag("--resume", o->resume, "Take finished probes from the evidence store");
       running->add_option("--out", o->out, "Write the hardware profile here");
       running->add_option("--target", o->target, "Where: a name of the targets in settings");
       CLI::App* reading = app.add_subcommand("source", "The CUDA source of a probe's kernels");
       reading->add_option("ID", o->first, "A probe")->required();
       CLI::App* showing = app.add_subcommand("show", "A hardware profile; without one, those that ship");
       showing->add_option("PROFILE", o->first, "A file, or a name of atlas/hardware");
       CLI::App* deriving = app.add_subcommand(
           "derive", "What follows from a profile's figures by today's rules: envelope, costs, viability, priors");
       deriving->add_option("PROFILE", o->first, "A file, or a name of atlas/hardware")->required();
       deriving->add_option("--out", o->out, "Write the hardware profile here")->required();
       CLI::App* comparing =
           app.add_subcommand("compare", "What two profiles do not agree on; exit status 1 when there is something");
       comparing->add_option("A", o->first, "A file, or a name")->required();
       comparing->add_option("B", o->second, "Another")->required();
       for (CLI::App* sub : {listing, running, showing, comparing})
         sub->add_flag("--json", o->as_json, "JSON on standard output");
       return [o, listing, running, reading, showing, deriving](std::stop_token stop) {
         if (listing->parsed()) return list(*o);
         if (running->parsed()) return run(*o, stop);
         if (reading->parsed()) return source(*o);
         if (deriving->parsed()) return derive(*o);
         return showing->parsed() ? show(*o) : compare(*o);
       };
     }}};

} // namespace
} // namespace cli
} // namespace aicf
