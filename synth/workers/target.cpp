#include "synth/workers/target.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace aicf {
namespace fs = std::filesystem;

namespace {

using nlohmann::json;

std::string variable(const char* name) {
  const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets the environment after start
  return value != nullptr ? value : "";
}

bool printable(const std::string& word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= ' ' && c != 0x7f; });
}

/// In single quotes nothing has a meaning to any shell but the quote itself, the backslash (fish) and the exclamation
/// mark (csh); those, and what is not plain ASCII, are refused.
bool quotable(const std::string& word) { return printable(word) && word.find_first_of("'\\!") == std::string::npos; }

/// A user, an at sign, a name or an address; no option, no address with a scheme.
bool is_host(const std::string& host) {
  return !host.empty() && host.front() != '-' &&
         host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:%[]") ==
             std::string::npos;
}

bool is_variable(const std::string& name) {
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

/// Reads one target and remembers all that is wrong with it.
class Reader {
 public:
  Reader(const json& o, std::string f, std::size_t i) : object(o), file(std::move(f)), index(i) {}

  WorkerTarget read() {
    WorkerTarget t;
    static const std::set<std::string> known{
        "name", "kind", "host", "options", "program", "environment", "workers", "connect_seconds", "memory_mb"};
    for (const auto& [key, unused] : object.items())
      if (!known.contains(key)) wrong("no such field: " + key);
    t.name = text("name", "");
    if (t.name.empty() || t.name.size() > 64 || t.name.front() == '-' || !printable(t.name) || is_architecture(t.name))
      wrong("name: a word is needed that is no architecture");
    const std::string kind = text("kind", "local");
    if (kind == "ssh")
      t.kind = WorkerTarget::Kind::ssh;
    else if (kind == "srun")
      t.kind = WorkerTarget::Kind::srun;
    else if (kind != "local")
      wrong("kind: local, ssh or srun is needed, not " + kind);
    t.host = text("host", "");
    if (t.kind == WorkerTarget::Kind::ssh && !is_host(t.host)) wrong("host: a host is needed, such as me@gpu1");
    if (t.kind != WorkerTarget::Kind::ssh && !t.host.empty()) wrong("host: only ssh takes one");
    t.program = text("program", "");
    if (object.contains("options")) {
      if (!object["options"].is_array()) wrong("options: a list of words is needed");
      for (const json& word : object["options"].is_array() ? object["options"] : json::array())
        if (word.is_string())
          t.options.push_back(word.get<std::string>());
        else
          wrong("options: a list of words is needed");
      if (!t.remote() && !t.options.empty()) wrong("options: only ssh and srun take some");
    }
    if (object.contains("environment")) {
      if (!object["environment"].is_object()) wrong("environment: an object is needed");
      for (const auto& [name, value] : object["environment"].items())
        if (value.is_string())
          t.environment[name] = value.get<std::string>();
        else
          wrong("environment: " + name + ": a string is needed");
    }
    t.workers = static_cast<int>(integer("workers", 1, 1, 1024));
    t.connect_seconds = static_cast<int>(integer("connect_seconds", 0, 0, 1'000'000));
    t.memory_mb = integer("memory_mb", 0, 0, std::int64_t{1} << 40U);
    if (problems.empty())
      if (auto command = command_of(t); !command)
        for (const Diagnostic& d : command.diagnostics) wrong(d.message);
    return t;
  }

  std::vector<Diagnostic> problems;

 private:
  const json& object;
  std::string file;
  std::size_t index;

  void wrong(const std::string& what) {
    problems.push_back(error("target.field", "target " + std::to_string(index + 1) + ": " + what, {file, 0, 0, 0}));
  }
  std::string text(const char* key, const char* otherwise) {
    if (!object.contains(key)) return otherwise;
    if (object[key].is_string()) return object[key].get<std::string>();
    wrong(std::string(key) + ": a string is needed");
    return otherwise;
  }
  std::int64_t integer(const char* key, std::int64_t otherwise, std::int64_t lo, std::int64_t hi) {
    if (!object.contains(key)) return otherwise;
    const json& v = object[key];
    if (v.is_number_integer() && v.get<std::int64_t>() >= lo && v.get<std::int64_t>() <= hi)
      return v.get<std::int64_t>();
    wrong(std::string(key) + ": an integer from " + std::to_string(lo) + " to " + std::to_string(hi) + " is needed");
    return otherwise;
  }
};

} // namespace

std::string_view name_of(WorkerTarget::Kind kind) {
  return kind == WorkerTarget::Kind::ssh ? "ssh" : kind == WorkerTarget::Kind::srun ? "srun" : "local";
}

bool is_architecture(const std::string& word) {
  return word.starts_with("sm_") && word.size() > 3 && word[3] >= '0' && word[3] <= '9';
}

std::string own_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).string();
}

Result<std::vector<std::string>> command_of(const WorkerTarget& t) {
  std::vector<Diagnostic> problems;
  auto refuse = [&](const std::string& word, const char* why) {
    problems.push_back(error("target.word", "\"" + word + "\" " + why, {}, "name the target's words without it"));
  };
  const bool by_shell = t.kind == WorkerTarget::Kind::ssh;
  std::vector<std::string> there; // what runs at the other end
  if (!t.environment.empty()) there.emplace_back("env");
  for (const auto& [name, value] : t.environment) {
    if (!is_variable(name)) refuse(name, "is no name of a variable");
    there.push_back(name + "=" + value);
  }
  there.push_back(!t.program.empty() ? t.program : t.remote() ? "aicf" : own_program());
  if (there.back().empty() || there.back().front() == '-') refuse(there.back(), "is no program");
  there.insert(there.end(), t.arguments.begin(), t.arguments.end());
  for (const std::string& word : there)
    if (by_shell ? !quotable(word) : !printable(word))
      refuse(word, by_shell ? "has a character that a remote shell may read as its own" : "has a control character");
  for (const std::string& word : t.options)
    if (word.empty() || !printable(word)) refuse(word, "is no option");
  std::vector<std::string> argv;
  switch (t.kind) {
  case WorkerTarget::Kind::local: argv = std::move(there); break;
  case WorkerTarget::Kind::ssh:
    if (!is_host(t.host)) refuse(t.host, "is no host");
    // No terminal, no question that nobody would answer, and nothing forwarded.
    argv = {"ssh", "-T", "-x", "-a", "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes"};
    argv.insert(argv.end(), t.options.begin(), t.options.end());
    argv.insert(argv.end(), {"--", t.host});
    for (const std::string& word : there) argv.push_back("'" + word + "'");
    break;
  case WorkerTarget::Kind::srun:
    argv = {"srun", "--ntasks=1", "--nodes=1"};
    argv.insert(argv.end(), t.options.begin(), t.options.end());
    argv.insert(argv.end(), there.begin(), there.end());
    break;
  }
  if (!problems.empty()) return problems;
  return argv;
}

fs::path targets_file() {
  if (std::string chosen = variable("AICF_TARGETS"); !chosen.empty()) return chosen;
  if (std::string xdg = variable("XDG_CONFIG_HOME"); !xdg.empty()) return fs::path(xdg) / "aicf/targets.json";
  return fs::path(variable("HOME")) / ".config/aicf/targets.json";
}

Result<std::vector<WorkerTarget>> targets_from_json(const json& document, const std::string& file) {
  const Span at{file, 0, 0, 0};
  if (!document.is_object() || document.value("schema", json("")) != "aicf.targets/1")
    return error("target.file", "is no JSON document of schema aicf.targets/1", at);
  if (!document.contains("targets") || !document["targets"].is_array())
    return error("target.file", "has no list of targets", at);
  std::vector<WorkerTarget> targets;
  std::vector<Diagnostic> problems;
  for (std::size_t i = 0; i < document["targets"].size(); ++i) {
    const json& object = document["targets"][i];
    if (!object.is_object()) {
      problems.push_back(error("target.field", "target " + std::to_string(i + 1) + ": an object is needed", at));
      continue;
    }
    Reader reader(object, file, i);
    WorkerTarget target = reader.read();
    problems.insert(problems.end(), reader.problems.begin(), reader.problems.end());
    if (std::ranges::any_of(targets, [&](const auto& t) { return t.name == target.name; }))
      problems.push_back(error("target.field", "two targets have the name " + target.name, at));
    targets.push_back(std::move(target));
  }
  if (!problems.empty()) return problems;
  if (std::ranges::none_of(targets, [](const auto& t) { return t.name == "local"; }))
    targets.insert(targets.begin(), WorkerTarget{});
  return targets;
}

Result<std::vector<WorkerTarget>> load_targets(const fs::path& file) {
  std::error_code none;
  if (!fs::exists(file, none)) return std::vector<WorkerTarget>{WorkerTarget{}};
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) return error("target.file", "cannot read it", {file.string(), 0, 0, 0});
  return targets_from_json(json::parse(text, nullptr, false), file.string());
}

json to_json(const std::vector<WorkerTarget>& targets) {
  json list = json::array();
  for (const WorkerTarget& t : targets) {
    json one{{"name", t.name}, {"kind", name_of(t.kind)}, {"workers", t.workers}};
    if (!t.host.empty()) one["host"] = t.host;
    if (!t.options.empty()) one["options"] = t.options;
    if (!t.program.empty()) one["program"] = t.program;
    if (!t.environment.empty()) one["environment"] = t.environment;
    if (t.connect_seconds > 0) one["connect_seconds"] = t.connect_seconds;
    if (t.memory_mb > 0) one["memory_mb"] = t.memory_mb;
    list.push_back(std::move(one));
  }
  return {{"schema", "aicf.targets/1"}, {"targets", list}};
}

Result<WorkerTarget> find_target(const std::string& name, const fs::path& file) {
  auto targets = load_targets(file);
  if (!targets) return targets.failure<WorkerTarget>();
  std::string names;
  for (const WorkerTarget& t : *targets) {
    if (t.name == name) return t;
    names += (names.empty() ? "" : ", ") + t.name;
  }
  return error("target.unknown", "no target \"" + name + "\"; there are " + names, {file.string(), 0, 0, 0});
}

} // namespace aicf
