// aicf bench evidence: a store of a million rows, as a user of some years has it, and how long it takes to answer what
// the window and the commands ask; then what a start costs with 100,000 rows.
#include "app/aicf/bench.hpp"
#include "app/aicf/command.hpp"
#include "core/evidence/store.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>

namespace aicf::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr double aim_ms = 50;
constexpr std::size_t page = 2000; ///< rows that the window asks for first
constexpr int repetitions = 15;

struct Options {
  std::size_t rows = 1'000'000, start_rows = 100'000;
  std::string store;
};

/// Of this thread: what is left of a time when a machine does other things besides.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double ms_since(BenchClock::time_point start) { return 1e3 * seconds_since(start); }

constexpr std::array<const char*, 12> operators{"softmax", "layernorm", "rmsnorm", "logsumexp", "attention", "matmul",
                                                "sum",     "variance",  "entropy", "cumsum",    "rotary",    "gelu"};
constexpr std::array<const char*, 5> devices{"emulator", "NVIDIA H200", "NVIDIA A100-SXM4-80GB", "NVIDIA L40S",
                                             "NVIDIA GeForce RTX 4090"};

std::string hexadecimal(std::uint64_t number, std::size_t digits) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return std::string(text.data()).substr(16 - digits);
}

/// The i-th row: variants of operators at sizes, most judged on the emulator and some timed on devices, checks of
/// people's own kernels, probes. Days pass; sources repeat, as they do when sizes change and kernels do not.
Store::Row row(std::uint64_t i) {
  std::mt19937_64 random(i);
  auto below = [&](std::uint64_t n) { return random() % n; };
  const std::string op = operators[below(operators.size())];
  const std::uint64_t draw = below(100), variant = below(200'000);
  Store::Row out;
  Evidence& e = out.evidence;
  const bool probe = draw < 4;
  e.key.kind = probe ? "probe.p" + std::to_string(below(78)) : draw < 12 ? "check" : "synth";
  e.key.source = sha256(op + std::to_string(variant % 5000));
  e.key.options = sha256("--fmad");
  e.key.profile = sha256(std::to_string(below(20)));
  e.key.shape = "M=" + std::to_string(1U << below(14)) + ",N=" + std::to_string(1 + below(8192));
  e.key.dtype = below(3) == 0 ? "f32" : "bf16";
  e.key.device = devices[below(10) < 6 ? 0 : below(devices.size())];
  e.key.driver = e.key.device == devices[0] ? "" : "580." + std::to_string(below(4));
  e.key.toolkit = "nvrtc 13.0";
  e.key.timer = e.key.driver.empty() ? "" : "cuda-events";
  const std::uint64_t second = i / 2; // two a second, from the first of January on
  std::array<char, 40> at{};
  std::snprintf(at.data(), at.size(), "2026-%02u-%02uT%02u:%02u:%02u.%03uZ",
                static_cast<unsigned>(1 + second / 2'419'200 % 12), static_cast<unsigned>(1 + second / 86'400 % 28),
                static_cast<unsigned>(second / 3600 % 24), static_cast<unsigned>(second / 60 % 60),
                static_cast<unsigned>(second % 60), static_cast<unsigned>(500 * (i % 2)));
  e.started = at.data();
  e.host = "host" + std::to_string(below(6));
  const std::string id = hexadecimal(variant * 0x9e3779b97f4a7c15U, 12);
  e.command = probe ? "probe run --backend emulator" : e.key.kind + " " + op + " variant " + id;
  e.status = probe ? "ok" : below(20) == 0 ? "failed" : "validated";
  e.seed = below(3);
  e.seconds = static_cast<double>(below(10000)) / 1000;
  const auto number = [&] { return static_cast<double>(below(1U << 30U)); };
  e.metrics = {exact_metric("global_load_sectors", "sectors", number(), "PTX emulator"),
               exact_metric("thread_instructions", "instructions", number(), "PTX emulator"),
               exact_metric("max_rel_err", "1", number() / 1e12, "against the reference"),
               exact_metric("bound", "1", number() / 1e11, "a priori, of the plan")};
  out.artefacts = {{"variant", R"({"schema":"aicf.variant/1","id":")" + id + R"("})"},
                   {"cuda", "extern \"C\" __global__ void " + op + std::to_string(variant % 5000) + "() {}\n"}};
  return out;
}

Result<double> fill(Store& store, std::size_t rows, const std::stop_token& stop) {
  constexpr std::size_t batch = 5000;
  const auto start = BenchClock::now();
  for (std::size_t done = 0; done < rows && !stop.stop_requested();) {
    std::vector<Store::Row> some;
    for (; some.size() < batch && done < rows; ++done) some.push_back(row(done));
    if (auto put = store.put_all(some); !put) return put.failure<double>();
    if (isatty(STDERR_FILENO) != 0) std::cerr << "\r" << done << " of " << rows << " rows" << std::flush;
  }
  if (isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K";
  return ms_since(start) / 1e3;
}

/// One thing that is asked: how many rows it gave.
struct Query {
  const char *id, *about;
  std::function<Result<std::size_t>(Store& store, std::uint64_t seed)> ask;
};

Result<std::size_t> sized(const Result<std::vector<Evidence>>& rows) {
  return rows ? Result<std::size_t>(rows->size()) : rows.failure<std::size_t>();
}

Query of_filter(const char* id, const char* about, Store::Filter filter) {
  filter.limit = page;
  filter.metrics = false;
  return {id, about, [filter](Store& store, std::uint64_t) { return sized(store.recent(filter)); }};
}

std::vector<Query> queries() {
  std::vector<Query> all;
  all.push_back(of_filter("newest", "the newest rows: Runs opens", {}));
  all.push_back(of_filter("kind", "of one kind", {.kind = "check"}));
  all.push_back(of_filter("rare_kind", "of a kind that is rare", {.kind = "probe.p7"}));
  all.push_back(of_filter("device", "of one device", {.device = devices[3]}));
  all.push_back(of_filter("status", "of one status", {.status = "failed"}));
  all.push_back(of_filter("kind_status", "of a kind and a status", {.kind = "synth", .status = "failed"}));
  all.push_back(of_filter("device_kind", "of a device and a kind", {.kind = "check", .device = devices[2]}));
  all.push_back(of_filter("device_kind_common", "of a device and a kind that are most of all",
                          {.kind = "synth", .device = devices[0]}));
  all.push_back(
      of_filter("device_kind_rare", "of a device and a kind that is rare", {.kind = "probe.p7", .device = devices[1]}));
  all.push_back(of_filter("device_status", "of a device and a status", {.device = devices[2], .status = "failed"}));
  all.push_back(of_filter("device_kind_status", "of a device, a kind and a status",
                          {.kind = "check", .device = devices[1], .status = "failed"}));
  all.push_back(of_filter("nothing", "of a kind that is not there", {.kind = "none"}));
  all.push_back({"row", "a row by its id, with its metrics: a number is clicked", [](Store& store, std::uint64_t seed) {
                   std::vector<Hash> hashes;
                   const Store::Row r = row(seed);
                   for (const Artefact& a : r.artefacts) hashes.push_back(sha256(a.data));
                   auto found = store.find(content_id(r.evidence, hashes));
                   return found ? Result<std::size_t>(1) : found.failure<std::size_t>();
                 }});
  all.push_back({"key", "all rows of a key: what is known of this question", [](Store& store, std::uint64_t seed) {
                   return sized(store.find_key(hash_of(row(seed).evidence.key)));
                 }});
  all.push_back({"variant", "rows of a variant by a beginning of its id", [](Store& store, std::uint64_t seed) {
                   const std::string id = hexadecimal(seed % 200'000 * 0x9e3779b97f4a7c15U, 12).substr(0, 8);
                   return sized(store.recent({.variant = id, .metrics = false}));
                 }});
  all.push_back({"artefacts", "the kernels of a row", [](Store& store, std::uint64_t seed) {
                   std::size_t count = 0;
                   for (const Artefact& a : row(seed).artefacts) {
                     auto found = store.artefact(sha256(a.data));
                     if (!found) return found.failure<std::size_t>();
                     ++count;
                   }
                   return Result<std::size_t>(count);
                 }});
  all.push_back({"count", "how many rows there are", [](Store& store, std::uint64_t) { return store.count(); }});
  return all;
}

Result<json> measure(const Query& query, Store& store, std::size_t rows) {
  std::vector<double> times, busy;
  std::size_t answered = 0;
  for (int i = 0; i < repetitions; ++i) {
    const std::uint64_t seed = static_cast<std::uint64_t>(i) * 7919 % rows;
    const auto start = BenchClock::now();
    const double before = cpu_ms();
    auto got = query.ask(store, seed);
    busy.push_back(cpu_ms() - before);
    times.push_back(ms_since(start));
    if (!got) return got.failure<json>();
    answered = std::max(answered, *got);
  }
  const double first = times.front(), worst = *std::max_element(times.begin(), times.end());
  return json{{"about", query.about},
              {"rows", answered},
              {"ms", to_json(bench_spread(times), "ms")},
              {"cpu_ms", to_json(bench_spread(busy), "ms")},
              {"first_ms", first},
              {"worst_ms", worst},
              {"aim_ms", aim_ms},
              {"reached", bench_spread(times).median <= aim_ms}};
}

/// What a start does before the first row is on the screen, and until all are loaded.
Result<json> start_cost(const fs::path& file, std::size_t rows, const std::stop_token& stop) {
  {
    auto store = Store::open(file);
    if (!store) return store.failure<json>();
    if (auto filled = fill(*store, rows, stop); !filled) return filled.failure<json>();
  }
  std::vector<double> open, first, all;
  for (int i = 0; i < repetitions && !stop.stop_requested(); ++i) {
    const auto start = BenchClock::now();
    auto store = Store::open(file);
    open.push_back(ms_since(start));
    auto newest = store->recent({.limit = page, .metrics = false});
    first.push_back(ms_since(start));
    auto whole = store->recent({.limit = rows, .metrics = false});
    if (!newest || !whole) return whole.failure<json>();
    all.push_back(ms_since(start));
  }
  return json{{"rows", rows},
              {"open_ms", to_json(bench_spread(open), "ms")},
              {"first_page_ms", to_json(bench_spread(first), "ms")},
              {"all_rows_ms", to_json(bench_spread(all), "ms")}};
}

Result<json> run(const Options& o, const fs::path& folder, const std::stop_token& stop, std::string& text) {
  const fs::path file = o.store.empty() ? folder / "evidence.sqlite" : fs::path(o.store);
  auto store = Store::open(file);
  if (!store) return store.failure<json>();
  auto there = store->count();
  if (!there) return there.failure<json>();
  json document{{"rows", o.rows}, {"page", page}, {"queries", json::object()}};
  std::ostringstream lines;
  if (*there == 0) {
    auto seconds = fill(*store, o.rows, stop);
    if (!seconds) return seconds.failure<json>();
    document["fill_s"] = *seconds;
    lines << "evidence   " << o.rows << " rows written in " << *seconds << " s\n";
  } else if (*there != o.rows) {
    return error("bench.evidence", "has " + std::to_string(*there) + " rows, not " + std::to_string(o.rows),
                 {file.string(), 0, 0, 0});
  }
  bool reached = true;
  for (const Query& query : queries()) {
    if (stop.stop_requested()) return error("bench.cancelled", "cancelled");
    auto result = measure(query, *store, o.rows);
    if (!result) return result;
    reached = reached && (*result)["reached"].get<bool>();
    std::array<char, 200> line{};
    std::snprintf(line.data(), line.size(), "  %-20s %8.2f ms (%7.2f of processor), at most %8.2f%s  %s (%zu rows)\n",
                  query.id, (*result)["ms"]["median"].get<double>(), (*result)["cpu_ms"]["median"].get<double>(),
                  (*result)["worst_ms"].get<double>(), (*result)["reached"].get<bool>() ? "" : "  MISSED", query.about,
                  (*result)["rows"].get<std::size_t>());
    lines << line.data();
    document["queries"][query.id] = std::move(*result);
  }
  document["reached"] = reached;
  document["file_bytes"] = fs::file_size(file);
  auto start = start_cost(folder / "start.sqlite", o.start_rows, stop);
  if (!start) return start;
  lines << "  start with " << o.start_rows << " rows: open " << (*start)["open_ms"]["median"].get<double>()
        << " ms, first page " << (*start)["first_page_ms"]["median"].get<double>() << " ms, all rows "
        << (*start)["all_rows_ms"]["median"].get<double>() << " ms\n";
  document["start"] = std::move(*start);
  text = lines.str();
  return document;
}

BenchOutcome bench(const Options& o, const std::stop_token& stop) {
  std::error_code problem;
  const fs::path folder = fs::temp_directory_path(problem) / ("aicf-bench-" + std::to_string(getpid()));
  fs::create_directories(folder, problem);
  BenchOutcome out;
  auto document = run(o, folder, stop, out.text);
  fs::remove_all(folder, problem);
  if (!document) {
    out.status = report(document);
    return out;
  }
  out.value = std::move(*document);
  return out;
}

const RegisterBench evidence{
    {"evidence", "What the evidence store answers with a million rows", false, [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.add_option("--rows", o->rows, "rows of the large store")->check(CLI::Range(1, 100'000'000));
       app.add_option("--start-rows", o->start_rows, "rows of the store whose opening is timed")
           ->check(CLI::Range(1, 100'000'000));
       app.add_option("--store", o->store, "keep the large store here, or ask the one that is there already");
       return [o](const std::stop_token& stop, const BenchKeep&) { return bench(*o, stop); };
     }}};

} // namespace
} // namespace aicf::cli
