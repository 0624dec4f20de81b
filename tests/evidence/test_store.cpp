// The evidence store: what goes in comes out, twice is once, merges, migrations, damage, several processes.
#include "core/base/json.hpp"
#include "core/evidence/schema.hpp"
#include "core/evidence/store.hpp"

#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <set>

using namespace aicf;
namespace fs = std::filesystem;

namespace {

Evidence sample(int i = 0) {
  Evidence e;
  e.key = {"time", sha256("source"), sha256("options"), {},     "M=64,N=1000",
           "bf16", "NVIDIA X",       "580.1",           "13.0", "cuda-events"};
  e.started = "2026-01-31T12:34:" + std::to_string(10 + i) + ".000Z";
  e.host = "host";
  e.command = "aicf synth softmax --shape 'M=64'";
  e.status = "ok";
  e.seed = 0xffffffffffffffffU - static_cast<std::uint64_t>(i);
  e.seconds = 0.1;
  e.metrics = {{Metric::Source::measured, "time_us.cold", "us", "median", "", 38.6, 38.1, 39.7, 100},
               {Metric::Source::not_permitted, "dram_bytes", "bytes", "counter", "", 0, 0, 0, 0},
               {Metric::Source::exact, "registers", "", "", "", 40, 40, 40, 1}};
  return e;
}

void sql(const fs::path& file, const char* text) {
  sqlite3* db = nullptr;
  QCOMPARE(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  QCOMPARE(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

} // namespace

class TestStore : public QObject {
  Q_OBJECT
  QTemporaryDir folder;
  int files = 0;
  fs::path fresh() { return fs::path(folder.path().toStdString()) / ("store" + std::to_string(++files) + ".sqlite"); }

 private slots:
  void whatGoesInComesOut() {
    auto store = Store::open(fresh());
    QVERIFY(store);
    const Evidence e = sample();
    auto id = store->put(e, {{"source", "__global__ void k() {}"}, {"cubin", std::string("\0\xff\0", 3)}, {"log", ""}});
    QVERIFY(id);
    QCOMPARE(id->size(), std::size_t{64});
    for (const std::string& name : {*id, id->substr(0, 12)}) {
      auto back = store->find(name);
      QVERIFY(back);
      QCOMPARE(back->id, *id);
      QCOMPARE(hash_of(back->key), hash_of(e.key));
      QCOMPARE(back->started, e.started);
      QCOMPARE(back->command, e.command);
      QCOMPARE(back->seed, e.seed);
      QVERIFY(back->seconds == e.seconds);
      QCOMPARE(back->metrics.size(), std::size_t{3});
      for (const Metric& m : back->metrics) QCOMPARE(m.evidence, *id);
      const Metric& cold = back->metrics[2]; // in the order of their ids
      QCOMPARE(cold.id, std::string("time_us.cold"));
      QVERIFY(cold.source == Metric::Source::measured && cold.value == 38.6 && cold.lo == 38.1 && cold.hi == 39.7);
      QCOMPARE(cold.samples, 100);
      QVERIFY(back->metrics[0].source == Metric::Source::not_permitted);
    }
    auto hashes = store->artefacts_of(*id);
    QVERIFY(hashes);
    QCOMPARE(hashes->size(), std::size_t{3});
    auto cubin = store->artefact(sha256(std::string("\0\xff\0", 3)));
    QVERIFY(cubin);
    QCOMPARE(cubin->kind, std::string("cubin"));
    QCOMPARE(cubin->data, std::string("\0\xff\0", 3));
    QVERIFY(store->artefact(sha256("")));
    QVERIFY(!store->artefact(sha256("never put")));
    QVERIFY(store->integrity_check()->empty());
  }

  void twiceIsOnce() {
    auto store = Store::open(fresh());
    Evidence e = sample();
    auto first = store->put(e, {{"a", "1"}, {"a", "2"}});
    e.id = "anything";
    std::reverse(e.metrics.begin(), e.metrics.end()); // a row's metrics and artefacts are sets
    auto second = store->put(e, {{"a", "2"}, {"a", "1"}, {"a", "1"}});
    QVERIFY(first && second);
    QCOMPARE(*first, *second);
    QCOMPARE(*store->count(), std::size_t{1});
    e.metrics.front().value += 1;
    QVERIFY(*store->put(e) != *first);
    QCOMPARE(*store->count(), std::size_t{2});
  }

  void everyFieldOfTheKeyCounts() {
    std::set<Hash> hashes{hash_of(sample().key)};
    auto change = [&](auto member, auto value) {
      RunKey key = sample().key;
      key.*member = value;
      hashes.insert(hash_of(key));
    };
    for (auto member : {&RunKey::kind, &RunKey::shape, &RunKey::dtype, &RunKey::device, &RunKey::driver,
                        &RunKey::toolkit, &RunKey::timer})
      change(member, "other");
    for (auto member : {&RunKey::source, &RunKey::options, &RunKey::profile}) change(member, sha256("other"));
    QCOMPARE(hashes.size(), std::size_t{11});
    RunKey a = sample().key, b = a; // a boundary between fields is no blank
    a.shape = "x", a.dtype = "yz", b.shape = "xy", b.dtype = "z";
    QVERIFY(hash_of(a) != hash_of(b));
  }

  /// Ids are hashes of canonical JSON, whose text is written directly: here it is built the long way.
  void idsAreOfCanonicalJson() {
    const double inf = std::numeric_limits<double>::infinity();
    const std::array<std::string, 8> texts{"",         "plain", "a \"quote\"", "back\\slash",
                                           "\n\t\x01", "\x7f",  "größer",      "\xff\xfe"};
    const std::array<double, 10> numbers{0, -0.0, 0.1, 1, -3, 1e300, 0x1p-1074, inf, -inf, std::nan("")};
    std::mt19937 random(7);
    const auto text = [&] { return texts.at(random() % texts.size()); };
    const auto number = [&] { return numbers.at(random() % numbers.size()); };
    const auto plain = [](double v) { return json_number(v == 0 ? 0 : v); };
    for (int round = 0; round < 300; ++round) {
      Evidence e = sample();
      e.key = {text(), sha256(text()), sha256(text()), {}, text(), text(), text(), text(), text(), text()};
      e.host = text(), e.command = text(), e.status = text(), e.seconds = number();
      e.metrics.clear();
      for (unsigned i = random() % 5; i > 0; --i)
        e.metrics.push_back({static_cast<Metric::Source>(random() % 6), text() + std::to_string(i), text(), text(),
                             text(), number(), number(), number(), static_cast<int>(random() % 3)});
      nlohmann::json document = to_json(e);
      document.erase("id");
      document["seconds"] = plain(e.seconds);
      std::map<std::string, nlohmann::json> metrics;
      for (const Metric& m : e.metrics) {
        nlohmann::json& one = metrics[m.id] = to_json(m);
        one.erase("evidence");
        if (one.contains("lo")) one["value"] = plain(m.value), one["lo"] = plain(m.lo), one["hi"] = plain(m.hi);
      }
      document["metrics"] = nlohmann::json::array();
      for (const auto& [id, metric] : metrics) document["metrics"].push_back(metric);
      std::set<std::string> artefacts{to_hex(sha256("a")), to_hex(sha256("b"))};
      document["artefacts"] = artefacts;
      QCOMPARE(content_id(e, {sha256("b"), sha256("a"), sha256("b")}), to_hex(hash_of(document)));
      QVERIFY(hash_of(e.key) == hash_of(to_json(e.key)));
    }
  }

  void unusualNumbersAndTexts() {
    auto store = Store::open(fresh());
    Evidence e = sample();
    const double inf = std::numeric_limits<double>::infinity();
    e.metrics = {{Metric::Source::measured, "nan", "", "", "", std::nan(""), -inf, inf, 3},
                 {Metric::Source::measured, "zero", "", "", "", -0.0, 0x1p-1074, 0x1.fffffffffffffp1023, 3}};
    e.command = std::string("with a NUL\0, a quote ' and \xff\xfe", 29);
    auto id = store->put(e);
    QVERIFY(id);
    auto back = store->find(*id);
    QVERIFY(back);
    QVERIFY(std::isnan(back->metrics[0].value) && back->metrics[0].lo == -inf && back->metrics[0].hi == inf);
    QVERIFY(back->metrics[1].lo == 0x1p-1074 && back->metrics[1].hi == 0x1.fffffffffffffp1023);
    QCOMPARE(back->command, e.command);
    QVERIFY(store->integrity_check()->empty());
  }

  void findsAndFilters() {
    auto store = Store::open(fresh());
    for (int i = 0; i < 20; ++i) {
      Evidence e = sample(i);
      e.key.kind = i % 2 == 0 ? "time" : "compile";
      e.status = i % 5 == 0 ? "faulted" : "ok";
      QVERIFY(store->put(e));
    }
    auto newest = store->recent({.limit = 3});
    QVERIFY(newest);
    QCOMPARE(newest->size(), std::size_t{3});
    QCOMPARE((*newest)[0].started, sample(19).started);
    QCOMPARE((*newest)[2].started, sample(17).started);
    QCOMPARE(store->recent({.kind = "time"})->size(), std::size_t{10});
    QCOMPARE(store->recent({.kind = "time", .status = "faulted"})->size(), std::size_t{2});
    QCOMPARE(store->recent({.device = "another"})->size(), std::size_t{0});
    QCOMPARE(store->recent({.offset = 18})->size(), std::size_t{2});
    QVERIFY(store->recent({.limit = 1, .metrics = false})->front().metrics.empty());
    auto same = store->find_key(hash_of(sample().key));
    QVERIFY(same);
    QCOMPARE(same->size(), std::size_t{10});
    QVERIFY(store->find_key(sha256("no such key"))->empty());
  }

  void unknownAndAmbiguous() {
    auto store = Store::open(fresh());
    for (int i = 0; i < 40; ++i) QVERIFY(store->put(sample(i))); // 40 rows, 16 first digits
    std::set<char> seen;
    char twice = 0;
    const auto all = store->recent({});
    for (const Evidence& e : *all)
      if (!seen.insert(e.id[0]).second) twice = e.id[0];
    QCOMPARE(store->find(std::string(1, twice)).diagnostics.at(0).code, std::string("evidence.ambiguous"));
    for (const char* id : {"", "zz", "' OR 1=1", "%"})
      QCOMPARE(store->find(id).diagnostics.at(0).code, std::string("evidence.unknown"));
  }

  void manyAtOnceAreTheSameAsOneByOne() {
    auto one = Store::open(fresh()), all = Store::open(fresh());
    std::vector<Store::Row> rows;
    for (int i = 0; i < 20; ++i) rows.push_back({sample(i % 15), {{"source", std::to_string(i % 3)}}});
    std::set<std::string> ids;
    for (const Store::Row& row : rows) ids.insert(*one->put(row.evidence, row.artefacts));
    QCOMPARE(*all->put_all(rows), std::size_t{20});
    QCOMPARE(*all->count(), ids.size());
    for (const std::string& id : ids) {
      auto row = all->find(id);
      QVERIFY(row && row->id == id && row->metrics.size() == 3);
      QCOMPARE(all->artefacts_of(id)->size(), std::size_t{1});
    }
    QVERIFY(all->integrity_check()->empty());
    rows = {{sample(30), {}}, {sample(31), {}}};
    rows[1].evidence.metrics.push_back(rows[1].evidence.metrics.front());
    QVERIFY(!all->put_all(rows)); // one at fault, and none is there
    QCOMPARE(*all->count(), ids.size());
  }

  void duplicateMetricsAreRefusedWhole() {
    auto store = Store::open(fresh());
    Evidence e = sample();
    e.metrics.push_back(e.metrics.front());
    QCOMPARE(store->put(e).diagnostics.at(0).code, std::string("evidence.duplicate-metric"));
    QCOMPARE(*store->count(), std::size_t{0});
  }

  void mergeAddsWhatIsNew() {
    const fs::path there = fresh();
    auto here = Store::open(fresh());
    {
      auto other = Store::open(there);
      for (int i = 0; i < 6; ++i) QVERIFY(other->put(sample(i), {{"source", "shared"}, {"plan", std::to_string(i)}}));
      for (int i = 4; i < 8; ++i) QVERIFY(here->put(sample(i), {{"source", "shared"}, {"plan", std::to_string(i)}}));
    }
    auto merged = here->merge(there);
    QVERIFY(merged);
    QCOMPARE(merged->added, std::size_t{4});
    QCOMPARE(merged->known, std::size_t{2});
    QCOMPARE(merged->damaged, std::size_t{0});
    QCOMPARE(*here->count(), std::size_t{8});
    QCOMPARE(here->merge(there)->added, std::size_t{0});
    QVERIFY(here->artefact(sha256("0")));
    QVERIFY(here->integrity_check()->empty());
    QCOMPARE(here->merge("/nonexistent/x.sqlite").diagnostics.at(0).code, std::string("evidence.access"));
  }

  void damageIsSeenAndNotMerged() {
    const fs::path there = fresh();
    {
      auto other = Store::open(there);
      for (int i = 0; i < 3; ++i) QVERIFY(other->put(sample(i), {{"plan", std::to_string(i)}}));
    }
    sql(there,
        "UPDATE metric SET value = 1 WHERE run = (SELECT number FROM run WHERE started LIKE '%:10.%') AND id = "
        "'registers';"
        "UPDATE artefact SET data = 'x' WHERE number = (SELECT artefact FROM run_artefact JOIN run ON number = run"
        " WHERE started LIKE '%:11.%')");
    QCOMPARE(Store::open(there)->integrity_check()->size(), std::size_t{2});
    auto here = Store::open(fresh());
    auto merged = here->merge(there);
    QVERIFY(merged);
    QCOMPARE(merged->added, std::size_t{1});
    QCOMPARE(merged->damaged, std::size_t{2});
    QVERIFY(here->integrity_check()->empty());
  }

  void otherSchemasAndOtherFiles() {
    const fs::path newer = fresh();
    QVERIFY(Store::open(newer));
    sql(newer, "UPDATE schema SET version = 99");
    QCOMPARE(Store::open(newer).diagnostics.at(0).code, std::string("evidence.newer"));
    auto store = Store::open(fresh());
    QCOMPARE(store->merge(newer).diagnostics.at(0).code, std::string("evidence.schema"));
    const fs::path text = fresh();
    std::ofstream(text) << "this is a text, and certainly no database of any kind; it is longer than a header";
    QCOMPARE(Store::open(text).diagnostics.at(0).code, std::string("evidence.damaged"));
    QCOMPARE(Store::open("/dev/null/x/store.sqlite").diagnostics.at(0).code, std::string("evidence.access"));
    QCOMPARE(Store::open(folder.path().toStdString()).diagnostics.at(0).code, std::string("evidence.access"));
  }

  void severalProcessesAtOnce() { // creating, migrating and writing the same new file
    const fs::path file = fresh();
    constexpr int processes = 6, rows = 25;
    std::vector<pid_t> children;
    for (int p = 0; p < processes; ++p) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      auto store = Store::open(file);
      bool good = static_cast<bool>(store);
      for (int i = 0; good && i < rows; ++i) {
        Evidence e = sample(i);
        e.host = std::to_string(p);
        good = static_cast<bool>(store->put(e, {{"source", "shared by all"}}));
      }
      _exit(good ? 0 : 1);
    }
    for (pid_t child : children) {
      int status = -1;
      QCOMPARE(waitpid(child, &status, 0), child);
      QCOMPARE(status, 0);
    }
    auto store = Store::open(file);
    QVERIFY(store);
    QCOMPARE(*store->count(), std::size_t{processes * rows});
    QVERIFY(store->integrity_check()->empty());
  }

  void killedProcessesLoseNothingFinished() {
    const fs::path file = fresh();
    int pipes[2];
    QCOMPARE(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
      auto store = Store::open(file);
      for (int i = 0; i < 10; ++i) (void)store->put(sample(i));
      (void)!write(pipes[1], "x", 1);
      for (int i = 10;; ++i) (void)store->put(sample(i));
    }
    char done = 0;
    QCOMPARE(read(pipes[0], &done, 1), ssize_t{1});
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    auto store = Store::open(file);
    QVERIFY(store);
    QVERIFY(*store->count() >= 10);
    QVERIFY(store->integrity_check()->empty());
  }

  /// A store of each older schema, with rows in it: they are all there afterwards, and the newest's indexes too.
  void olderSchemasAreBroughtForward() {
    for (int version = 0; version < newest_schema; ++version) {
      const fs::path file = fresh();
      sqlite3* db = nullptr;
      QCOMPARE(sqlite3_open(file.c_str(), &db), SQLITE_OK);
      for (int step = 0; step < version; ++step)
        QCOMPARE(sqlite3_exec(db, schema_steps.at(static_cast<std::size_t>(step)), nullptr, nullptr, nullptr),
                 SQLITE_OK);
      sqlite3_close(db);
      const std::string mark =
          "CREATE TABLE schema(version INTEGER NOT NULL); INSERT INTO schema VALUES (" + std::to_string(version) + ")";
      if (version > 0) sql(file, mark.c_str());
      std::string id;
      if (version > 0) { // the tables are the first schema's, whatever came later
        const fs::path newest = fresh();
        auto now = Store::open(newest);
        for (int i = 2; i < 9; ++i) QVERIFY(now->put(sample(i), {{"source", "kernel"}, {"plan", std::to_string(i)}}));
        id = *now->put(sample(), {{"source", "kernel"}, {"plan", "own"}});
        // Until schema 4 rows of other tables named a run and an artefact by their hashes.
        const std::string copy =
            "ATTACH '" + newest.string() +
            "' AS now; INSERT INTO run SELECT id, kind, key_hash, source, options, profile, shape, dtype, device,"
            " driver, toolkit, timer, started, seconds, host, command, seed, status FROM now.run;"
            "INSERT INTO metric SELECT r.id, m.id, value, lo, hi, samples, unit, m.source, method"
            " FROM now.metric m JOIN now.run r ON r.number = m.run;"
            "INSERT INTO artefact SELECT hash, kind, bytes, data FROM now.artefact;"
            "INSERT INTO run_artefact SELECT r.id, a.hash FROM now.run_artefact l JOIN now.run r ON r.number = l.run"
            " JOIN now.artefact a ON a.number = l.artefact";
        sql(file, copy.c_str());
      }
      auto store = Store::open(file);
      QVERIFY(store);
      QCOMPARE(store->sizes()->schema, newest_schema);
      if (version > 0) {
        QCOMPARE(*store->count(), std::size_t{8});
        QCOMPARE(store->find(id)->metrics.size(), std::size_t{3});
        QCOMPARE(store->artefacts_of(id)->size(), std::size_t{2});
        QCOMPARE(store->artefact(sha256("own"))->data, std::string("own"));
        QCOMPARE(store->find_key(hash_of(sample().key))->size(), std::size_t{8});
      }
      QVERIFY(store->put(sample(1)));
      QVERIFY(store->integrity_check()->empty());
    }
  }

  /// Every filter is answered through an index: the time is that of the rows shown, not of the rows there are.
  void viewsQueriesUseIndexes() {
    const fs::path file = fresh();
    QVERIFY(Store::open(file));
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(file.c_str(), &db), SQLITE_OK);
    for (unsigned set = 0; set < 16; ++set) {
      Store::Filter filter;
      if ((set & 1U) != 0) filter.kind = "synth";
      if ((set & 2U) != 0) filter.device = "NVIDIA X";
      if ((set & 4U) != 0) filter.status = "ok";
      if ((set & 8U) != 0) filter.variant = "0123";
      const std::string query = "EXPLAIN QUERY PLAN " + Store::recent_query(filter);
      sqlite3_stmt* plan = nullptr;
      QCOMPARE(sqlite3_prepare_v2(db, query.c_str(), -1, &plan, nullptr), SQLITE_OK);
      QCOMPARE(sqlite3_step(plan), SQLITE_ROW);
      const QByteArray first(reinterpret_cast<const char*>(sqlite3_column_text(plan, 3)));
      QVERIFY2(first.contains("INDEX"), (QByteArray::fromStdString(query) + ": " + first).constData());
      QCOMPARE(first.startsWith("SEARCH"), set != 0);
      if (filter.variant.empty()) // all that is asked stands in the index: no row is read and thrown away
        QCOMPARE(first.count("=?"), qsizetype(std::popcount(set)));
      if (filter.variant.empty()) { // in the order of the index; no sort of all rows
        while (sqlite3_step(plan) == SQLITE_ROW)
          QVERIFY(QByteArray(reinterpret_cast<const char*>(sqlite3_column_text(plan, 3))) !=
                  "USE TEMP B-TREE FOR ORDER BY");
      }
      sqlite3_finalize(plan);
    }
    sqlite3_stmt* plan = nullptr;
    QCOMPARE(sqlite3_prepare_v2(db, ("EXPLAIN QUERY PLAN " + Store::key_query()).c_str(), -1, &plan, nullptr),
             SQLITE_OK);
    QCOMPARE(sqlite3_step(plan), SQLITE_ROW);
    QCOMPARE(QByteArray(reinterpret_cast<const char*>(sqlite3_column_text(plan, 3))),
             QByteArray("SEARCH run USING INDEX run_key (<expr>=?)"));
    sqlite3_finalize(plan);
    sqlite3_close(db);
  }

  void findsAVariantByABeginningOfItsId() {
    auto store = Store::open(fresh());
    Evidence e = sample();
    for (const char* id : {"0123456789ab", "0123456789ac", "fedcba987654"}) {
      e.command = std::string("synth softmax variant ") + id;
      QVERIFY(store->put(e));
    }
    QCOMPARE(store->recent({.variant = "0123"})->size(), std::size_t{2});
    QCOMPARE(store->recent({.variant = "f"})->front().command.substr(22), std::string("fedcba987654"));
    QCOMPARE(store->recent({.kind = "time", .variant = "0123456789ac"})->size(), std::size_t{1});
    QCOMPARE(store->recent({.kind = "other", .variant = "0123"})->size(), std::size_t{0});
  }

  void retentionKeepsTheNewestOfAKey() {
    auto store = Store::open(fresh());
    for (int i = 0; i < 10; ++i) { // two keys, five rows each, one shared artefact, one of their own
      Evidence e = sample(i);
      e.key.shape = i % 2 == 0 ? "M=1" : "M=2";
      QVERIFY(store->put(e, {{"shared", "all"}, {"own", std::string(10, static_cast<char>('0' + i))}}));
    }
    auto sizes = store->sizes();
    QCOMPARE(sizes->kinds.at("time").rows, std::size_t{10});
    QCOMPARE(sizes->kinds.at("time").metrics, std::size_t{30});
    QCOMPARE(sizes->kinds.at("time").oldest, sample(0).started);
    QCOMPARE(sizes->kinds.at("time").newest, sample(9).started);
    QCOMPARE(sizes->artefacts.at("own").bytes, std::size_t{100});
    QVERIFY(sizes->file_bytes > 0);

    Store::Retention retention{.kind = "time", .before = sample(8).started, .keep = 2, .only_count = true};
    for (bool only : {true, false}) { // 0 to 7 are old enough; 6, 8 and 7, 9 are the newest of their keys
      retention.only_count = only;
      auto pruned = store->prune(retention);
      QVERIFY(pruned);
      QCOMPARE(pruned->rows, std::size_t{6});
      QCOMPARE(pruned->artefacts, std::size_t{6});
      QCOMPARE(pruned->artefact_bytes, std::size_t{60});
      QCOMPARE(*store->count(), std::size_t(only ? 10 : 4));
    }
    QVERIFY(store->artefact(sha256("all")));
    QVERIFY(!store->artefact(sha256(std::string(10, '5'))));
    QVERIFY(store->integrity_check()->empty());
    retention.kind = "another";
    QCOMPARE(store->prune(retention)->rows, std::size_t{0});
  }

  /// 200 kills at random moments, fifty of each of four writers, which tell through a pipe which rows are finished.
  void twoHundredKillsWithFourWriters() {
    const fs::path file = fresh();
    std::mt19937 random(1);
    std::set<std::string> finished;
    constexpr int writers = 4, rounds = 50;
    constexpr std::size_t id_length = 64;
    for (int round = 0; round < rounds; ++round) {
      std::array<pid_t, writers> children{};
      std::array<int, writers> ends{};
      for (int w = 0; w < writers; ++w) {
        int pipes[2];
        QCOMPARE(pipe(pipes), 0);
        ends.at(w) = pipes[0];
        children.at(w) = fork();
        if (children.at(w) == 0) {
          auto store = Store::open(file);
          for (int i = 0; store; ++i) {
            Evidence e = sample();
            e.host = std::to_string(round) + "." + std::to_string(w) + "." + std::to_string(i);
            auto id = store->put(e, {{"source", e.host}});
            if (!id || write(pipes[1], id->data(), id_length) != ssize_t{id_length}) break;
          }
          _exit(1);
        }
        close(pipes[1]);
      }
      std::array<char, id_length> first{};
      QVERIFY(read(ends[0], first.data(), first.size()) == ssize_t{id_length}); // there is work under way
      finished.emplace(first.data(), first.size());
      for (pid_t child : children) {
        usleep(random() % 3000);
        kill(child, SIGKILL);
      }
      for (int w = 0; w < writers; ++w) {
        int status = 0;
        waitpid(children.at(w), &status, 0);
        QVERIFY(WIFSIGNALED(status));
        std::array<char, id_length> id{};
        while (read(ends.at(w), id.data(), id.size()) == ssize_t{id_length}) finished.emplace(id.data(), id.size());
        close(ends.at(w));
      }
    }
    auto store = Store::open(file);
    QVERIFY(store);
    QVERIFY(store->integrity_check()->empty());
    QVERIFY(finished.size() >= rounds);
    for (const std::string& id : finished) QVERIFY2(store->find(id), id.c_str());
  }

  void defaultPath() {
    qputenv("AICF_STORE", "/some/where.sqlite");
    QCOMPARE(Store::default_path(), fs::path("/some/where.sqlite"));
    qunsetenv("AICF_STORE");
    qputenv("XDG_DATA_HOME", "/data");
    QCOMPARE(Store::default_path(), fs::path("/data/aicf/evidence.sqlite"));
    qunsetenv("XDG_DATA_HOME");
    qputenv("HOME", "/home/someone");
    QCOMPARE(Store::default_path(), fs::path("/home/someone/.local/share/aicf/evidence.sqlite"));
  }

  void timesAreUtcAndSort() {
    const std::string now = utc_now();
    QVERIFY(QRegularExpression("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$").match(now.c_str()).hasMatch());
    QVERIFY(std::abs(QDateTime::fromString(now.c_str(), Qt::ISODateWithMs).msecsTo(QDateTime::currentDateTimeUtc())) <
            10000);
  }
};

QTEST_GUILESS_MAIN(TestStore)
#include "test_store.moc"
