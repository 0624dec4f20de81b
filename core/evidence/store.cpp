#include "core/evidence/store.hpp"

#include "core/evidence/schema.hpp"
#include "core/evidence/sqlite.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace aicf {
namespace fs = std::filesystem;

namespace {

constexpr int busy_timeout_ms = 10000;

Diagnostic failure(const SqliteError& e, const fs::path& path) {
  const char* code = "evidence.sqlite";
  std::string hint;
  if (e.code == SQLITE_BUSY || e.code == SQLITE_LOCKED) {
    code = "evidence.busy";
    hint = "another process has been writing for a long time; try again";
  } else if (e.code == SQLITE_NOTADB || e.code == SQLITE_CORRUPT) {
    code = "evidence.damaged";
    hint = "move the file away, or set AICF_STORE to another one";
  } else if (e.code == SQLITE_CANTOPEN || e.code == SQLITE_READONLY || e.code == SQLITE_PERM) {
    code = "evidence.access";
  } else if (e.code == SQLITE_FULL || e.code == SQLITE_IOERR) {
    code = "evidence.disk";
  }
  return error(code, e.what(), {path.string(), 0, 0, 0}, hint);
}

/// Runs `work` with SQLite's failures as diagnostics.
template <class T, class F> Result<T> guarded(const fs::path& path, F work) {
  try {
    return work();
  } catch (const SqliteError& e) {
    return failure(e, path);
  }
}

sqlite3* connect(const fs::path& path, int flags) {
  sqlite3* db = nullptr;
  if (sqlite3_open_v2(path.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
    SqliteError e(db);
    sqlite3_close(db);
    throw e;
  }
  sqlite3_busy_timeout(db, busy_timeout_ms);
  return db;
}

/// Where the file system cannot, SQLite keeps its older journal. While several processes make this step for a new file,
/// SQLite answers "busy" without waiting: hence the loop.
void enter_wal(sqlite3* db) {
  constexpr int pause_ms = 10;
  for (int waited = 0;; waited += pause_ms) {
    try {
      return execute(db, "PRAGMA journal_mode = WAL");
    } catch (const SqliteError& e) {
      if (e.code != SQLITE_BUSY || waited >= busy_timeout_ms) throw;
    }
    sqlite3_sleep(pause_ms);
  }
}

bool known(const Metric& m) {
  return m.source == Metric::Source::measured || m.source == Metric::Source::exact ||
         m.source == Metric::Source::estimated;
}

Metric::Source source_from(const std::string& name) {
  using enum Metric::Source;
  for (Metric::Source source : {measured, exact, estimated, not_measured, not_permitted, not_supported})
    if (name_of(source) == name) return source;
  return not_supported;
}

Hash hash_from(const std::string& hex) {
  Hash hash{};
  (void)from_hex(hex, hash); // a damaged field reads as zero; integrity_check finds it by the row's hash
  return hash;
}

std::string data_home() {
  auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets the environment after start
    return value != nullptr ? value : "";
  };
  if (std::string xdg = variable("XDG_DATA_HOME"); !xdg.empty()) return xdg;
  if (std::string home = variable("HOME"); !home.empty()) return home + "/.local/share";
  return ".";
}

} // namespace

void Store::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }

fs::path Store::default_path() {
  const char* chosen = std::getenv("AICF_STORE"); // NOLINT(concurrency-mt-unsafe): as above
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return fs::path(data_home()) / "aicf/evidence.sqlite";
}

Result<Store> Store::open(const fs::path& path) {
  std::error_code failed;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  if (failed)
    return error("evidence.access", "its folder cannot be made: " + failed.message(), {path.string(), 0, 0, 0});
  return guarded<Store>(path, [&]() -> Result<Store> {
    Store store;
    store.path = path;
    store.db.reset(connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    sqlite3* db = store.db.get();
    enter_wal(db);
    execute(db, "PRAGMA synchronous = NORMAL");
    execute(db, "PRAGMA cache_size = -65536"); // KiB, at most: rows are found by hashes, all over the file
    execute(db, "PRAGMA foreign_keys = ON");
    if (int version = schema_version(db); version > newest_schema)
      return error("evidence.newer",
                   "the store has schema " + std::to_string(version) + ", this program knows " +
                       std::to_string(newest_schema),
                   {path.string(), 0, 0, 0}, "use the newer program");
    migrate(db);
    return store;
  });
}

/// Puts rows through statements that are prepared once. Within a transaction of the caller's.
class Store::Writer {
 public:
  explicit Writer(const Store& store)
      : db(store.db.get()), path(store.path),
        run(db, "INSERT OR IGNORE INTO run(id, kind, key_hash, source, options, profile, shape, dtype, device, driver,"
                " toolkit, timer, started, seconds, host, command, seed, status)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        metric(db, "INSERT INTO metric(run, id, value, lo, hi, samples, unit, source, method)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        artefact_there(db, "SELECT number FROM artefact WHERE hash = ?"),
        artefact(db, "INSERT INTO artefact(hash, kind, bytes, data) VALUES (?, ?, ?, ?)"),
        link(db, "INSERT OR IGNORE INTO run_artefact(run, artefact) VALUES (?, ?)") {}

  Result<std::string> put(const Evidence& e, const std::vector<Artefact>& artefacts) {
    std::set<std::string> ids;
    for (const Metric& m : e.metrics)
      if (!ids.insert(m.id).second)
        return error("evidence.duplicate-metric", "two metrics '" + m.id + "' in one row", {path.string(), 0, 0, 0});
    std::vector<Hash> hashes;
    hashes.reserve(artefacts.size());
    for (const Artefact& a : artefacts) hashes.push_back(sha256(a.data));
    const std::string id = content_id(e, hashes), key_hash = to_hex(hash_of(e.key)), source = to_hex(e.key.source),
                      options = to_hex(e.key.options), profile = to_hex(e.key.profile);
    run.bind(id).bind(e.key.kind).bind(key_hash).bind(source).bind(options).bind(profile).bind(e.key.shape);
    run.bind(e.key.dtype).bind(e.key.device).bind(e.key.driver).bind(e.key.toolkit).bind(e.key.timer);
    run.bind(e.started).bind(e.seconds).bind(e.host).bind(e.command);
    run.bind(static_cast<std::int64_t>(e.seed)).bind(e.status).run();
    if (sqlite3_changes64(db) == 0) return id; // known, and rows are there whole
    const std::int64_t number = sqlite3_last_insert_rowid(db);
    for (const Metric& m : e.metrics) {
      metric.bind(number).bind(m.id);
      for (double value : {m.value, m.lo, m.hi}) known(m) ? metric.bind(value) : metric.bind_null();
      metric.bind(std::int64_t{m.samples}).bind(m.unit).bind(name_of(m.source)).bind(m.method).run();
    }
    for (std::size_t i = 0; i < artefacts.size(); ++i)
      link.bind(number).bind(number_of(artefacts[i], to_hex(hashes[i]))).run();
    return id;
  }

 private:
  std::int64_t number_of(const Artefact& a, const std::string& hash) {
    const bool there = artefact_there.bind(hash).step();
    const std::int64_t number = there ? artefact_there.integer(0) : 0;
    artefact_there.again();
    if (there) return number;
    artefact.bind(hash).bind(a.kind).bind(static_cast<std::int64_t>(a.data.size())).bind_blob(a.data).run();
    return sqlite3_last_insert_rowid(db);
  }

  sqlite3* db;
  fs::path path;
  Statement run, metric, artefact_there, artefact, link;
};

Result<std::string> Store::put(const Evidence& evidence, const std::vector<Artefact>& artefacts) {
  return guarded<std::string>(path, [&]() -> Result<std::string> {
    Transaction transaction(db.get());
    auto id = Writer(*this).put(evidence, artefacts);
    if (id) transaction.commit();
    return id;
  });
}

Result<std::size_t> Store::put_all(const std::vector<Row>& rows) {
  return guarded<std::size_t>(path, [&]() -> Result<std::size_t> {
    Transaction transaction(db.get());
    Writer writer(*this);
    for (const Row& row : rows)
      if (auto id = writer.put(row.evidence, row.artefacts); !id) return id.failure<std::size_t>();
    transaction.commit();
    return rows.size();
  });
}

/// Rows one after another through statements that are prepared once.
class Store::Reader {
 public:
  static constexpr const char* columns = "id, kind, source, options, profile, shape, dtype, device, driver, toolkit,"
                                         " timer, started, seconds, host, command, seed, status, number";

  explicit Reader(const Store& store, bool with_metrics = true)
      : metrics(with_metrics), path(store.path),
        row(store.db.get(), std::string("SELECT ") + columns + " FROM run WHERE id = ?"),
        metric(store.db.get(),
               "SELECT id, value, lo, hi, samples, unit, source, method FROM metric WHERE run = ? ORDER BY id") {}

  Result<Evidence> read(const std::string& id) {
    row.again().bind(id);
    if (!row.step()) return error("evidence.unknown", "no row '" + id + "'", {path.string(), 0, 0, 0});
    Evidence e = here(row);
    row.again();
    return e;
  }

  /// Of a statement that stands at a row of `columns`.
  Evidence here(const Statement& at) {
    Evidence e;
    e.id = at.text(0);
    e.key = {at.text(1),
             hash_from(at.text(2)),
             hash_from(at.text(3)),
             hash_from(at.text(4)),
             at.text(5),
             at.text(6),
             at.text(7),
             at.text(8),
             at.text(9),
             at.text(10)};
    e.started = at.text(11);
    e.seconds = at.real(12);
    e.host = at.text(13);
    e.command = at.text(14);
    e.seed = static_cast<std::uint64_t>(at.integer(15));
    e.status = at.text(16);
    if (!metrics) return e;
    metric.again().bind(at.integer(17));
    while (metric.step()) {
      Metric m{source_from(metric.text(6)), metric.text(0), metric.text(5), metric.text(7), e.id};
      if (known(m)) m.value = metric.real(1), m.lo = metric.real(2), m.hi = metric.real(3);
      m.samples = static_cast<int>(metric.integer(4));
      e.metrics.push_back(std::move(m));
    }
    metric.again();
    return e;
  }

 private:
  bool metrics;
  fs::path path;
  Statement row, metric;
};

Result<Evidence> Store::find(const std::string& id) const {
  return guarded<Evidence>(path, [&]() -> Result<Evidence> {
    const bool hex = !id.empty() && id.find_first_not_of("0123456789abcdef") == std::string::npos;
    std::vector<std::string> found;
    if (hex) {
      const std::string end = id + "g"; // the first character after the hexadecimal digits
      Statement ids(db.get(), "SELECT id FROM run WHERE id >= ? AND id < ? LIMIT 2");
      ids.bind(id).bind(end);
      while (ids.step()) found.push_back(ids.text(0));
    }
    if (found.empty()) return error("evidence.unknown", "no row '" + id + "'", {path.string(), 0, 0, 0});
    if (found.size() > 1 && found.front() != id)
      return error("evidence.ambiguous", "several rows begin with '" + id + "'", {path.string(), 0, 0, 0},
                   "give more digits");
    return Reader(*this).read(found.front());
  });
}

namespace {

std::vector<std::string> first_column(Statement& statement) {
  std::vector<std::string> out;
  while (statement.step()) out.push_back(statement.text(0));
  return out;
}

} // namespace

/// The index holds a beginning of the key. The plus keeps SQLite from putting the constant into the other condition,
/// which then is about no column and uses no index.
std::string Store::key_query() {
  return std::string("SELECT ") + Reader::columns +
         " FROM run WHERE substr(key_hash, 1, 16) = substr(?1, 1, 16) AND +key_hash = ?1 ORDER BY started DESC, id";
}

Result<std::vector<Evidence>> Store::find_key(const Hash& key) const {
  return guarded<std::vector<Evidence>>(path, [&]() -> Result<std::vector<Evidence>> {
    const std::string hex = to_hex(key);
    Statement rows(db.get(), key_query());
    rows.bind(hex);
    std::vector<Evidence> out;
    Reader reader(*this);
    while (rows.step()) out.push_back(reader.here(rows));
    return out;
  });
}

/// Only the filters that are set: an index then gives the rows in their order (schema.hpp has one for each).
std::string Store::recent_query(const Filter& filter) {
  std::string where;
  auto add = [&](bool set, const char* condition) {
    if (set) where += (where.empty() ? " WHERE " : " AND ") + std::string(condition);
  };
  // Few rows have a variant's id: its index comes first, and a plus keeps the others' out.
  const bool few = !filter.variant.empty();
  add(!filter.kind.empty(), few ? "+kind = ?" : "kind = ?");
  add(!filter.device.empty(), few ? "+device = ?" : "device = ?");
  add(!filter.status.empty(), few ? "+status = ?" : "status = ?");
  add(few, "substr(command, -12) >= ? AND substr(command, -12) < ?");
  return std::string("SELECT ") + Reader::columns + " FROM run" + where + " ORDER BY started DESC, id LIMIT ? OFFSET ?";
}

Result<std::vector<Evidence>> Store::recent(const Filter& filter) const {
  return guarded<std::vector<Evidence>>(path, [&]() -> Result<std::vector<Evidence>> {
    const std::string query = recent_query(filter), end = filter.variant + "g"; // after the hexadecimal digits
    Statement rows(db.get(), query);
    for (const std::string* value : {&filter.kind, &filter.device, &filter.status})
      if (!value->empty()) rows.bind(*value);
    if (!filter.variant.empty()) rows.bind(filter.variant).bind(end);
    rows.bind(static_cast<std::int64_t>(filter.limit)).bind(static_cast<std::int64_t>(filter.offset));
    std::vector<Evidence> out;
    Reader reader(*this, filter.metrics);
    while (rows.step()) out.push_back(reader.here(rows));
    return out;
  });
}

Result<std::size_t> Store::count() const {
  return guarded<std::size_t>(path, [&]() -> Result<std::size_t> {
    Statement rows(db.get(), "SELECT count(*) FROM run");
    rows.step();
    return static_cast<std::size_t>(rows.integer(0));
  });
}

Result<Artefact> Store::artefact(const Hash& hash) const {
  return guarded<Artefact>(path, [&]() -> Result<Artefact> {
    const std::string hex = to_hex(hash);
    Statement row(db.get(), "SELECT kind, data FROM artefact WHERE hash = ?");
    row.bind(hex);
    if (!row.step()) return error("evidence.unknown", "no artefact '" + hex + "'", {path.string(), 0, 0, 0});
    Artefact out{row.text(0), row.text(1)};
    if (sha256(out.data) != hash)
      return error("evidence.damaged", "artefact '" + hex + "' does not have the content of its hash",
                   {path.string(), 0, 0, 0});
    return out;
  });
}

Result<std::vector<Hash>> Store::artefacts_of(const std::string& id) const {
  return guarded<std::vector<Hash>>(path, [&]() -> Result<std::vector<Hash>> {
    Statement rows(db.get(), "SELECT artefact.hash FROM run JOIN run_artefact ON run_artefact.run = run.number"
                             " JOIN artefact ON artefact.number = run_artefact.artefact WHERE run.id = ? ORDER BY 1");
    rows.bind(id);
    std::vector<Hash> out;
    while (rows.step()) out.push_back(hash_from(rows.text(0)));
    return out;
  });
}

Result<std::vector<std::string>> Store::all_ids() const {
  return guarded<std::vector<std::string>>(path, [&]() -> Result<std::vector<std::string>> {
    Statement ids(db.get(), "SELECT id FROM run ORDER BY number");
    return first_column(ids);
  });
}

Result<Store::Merged> Store::merge(const fs::path& other) {
  return guarded<Merged>(other, [&]() -> Result<Merged> {
    Store from; // not open(): the other store is not to be written, not even migrated
    from.path = other;
    from.db.reset(connect(other, SQLITE_OPEN_READONLY));
    if (int version = schema_version(from.db.get()); version != newest_schema)
      return error("evidence.schema",
                   "has schema " + std::to_string(version) + ", this program merges " + std::to_string(newest_schema),
                   {other.string(), 0, 0, 0},
                   version < newest_schema ? "open it once with this program, which migrates it"
                                           : "use the newer program");
    auto ids = from.all_ids();
    if (!ids) return ids.failure<Merged>();
    Merged merged;
    Reader reader(from);
    Transaction transaction(db.get());
    Writer writer(*this);
    Statement here(db.get(), "SELECT 1 FROM run WHERE id = ?");
    for (const std::string& id : *ids) {
      if (here.again().bind(id).step()) {
        ++merged.known;
        continue;
      }
      auto row = reader.read(id);
      auto hashes = from.artefacts_of(id);
      if (!row || !hashes) return row ? hashes.failure<Merged>() : row.failure<Merged>();
      std::vector<Artefact> artefacts;
      bool whole = content_id(*row, *hashes) == id;
      for (const Hash& hash : *hashes) {
        auto artefact = from.artefact(hash);
        whole = whole && artefact;
        if (whole) artefacts.push_back(std::move(*artefact));
      }
      if (!whole) {
        ++merged.damaged;
        continue;
      }
      if (auto put = writer.put(*row, artefacts); !put) return put.failure<Merged>();
      ++merged.added;
    }
    transaction.commit();
    return merged;
  });
}

Result<Store::Sizes> Store::sizes() const {
  return guarded<Sizes>(path, [&]() -> Result<Sizes> {
    Sizes out;
    auto number = [&](const char* sql) {
      Statement s(db.get(), sql);
      return s.step() ? static_cast<std::size_t>(s.integer(0)) : 0;
    };
    const std::size_t page = number("PRAGMA page_size");
    out.file_bytes = page * number("PRAGMA page_count");
    out.free_bytes = page * number("PRAGMA freelist_count");
    out.schema = schema_version(db.get());
    Statement rows(db.get(), "SELECT kind, count(*), min(started), max(started) FROM run GROUP BY kind");
    while (rows.step())
      out.kinds[rows.text(0)] = {static_cast<std::size_t>(rows.integer(1)), 0, rows.text(2), rows.text(3)};
    Statement metrics(db.get(), "SELECT run.kind, count(*) FROM metric JOIN run ON run.number = metric.run GROUP BY 1");
    while (metrics.step()) out.kinds[metrics.text(0)].metrics = static_cast<std::size_t>(metrics.integer(1));
    Statement kept(db.get(), "SELECT kind, count(*), sum(bytes) FROM artefact GROUP BY kind");
    while (kept.step())
      out.artefacts[kept.text(0)] = {static_cast<std::size_t>(kept.integer(1)),
                                     static_cast<std::size_t>(kept.integer(2))};
    return out;
  });
}

Result<Store::Pruned> Store::prune(const Retention& retention) {
  return guarded<Pruned>(path, [&]() -> Result<Pruned> {
    Pruned pruned;
    {
      execute(db.get(), "CREATE TEMP TABLE IF NOT EXISTS doomed(number INTEGER PRIMARY KEY)");
      execute(db.get(), "DELETE FROM doomed");
      Transaction transaction(db.get());
      Statement(db.get(), "INSERT INTO doomed SELECT number FROM (SELECT number, kind, started, row_number() OVER"
                          " (PARTITION BY key_hash ORDER BY started DESC, id) AS place FROM run)"
                          " WHERE (?1 = '' OR kind = ?1) AND (?2 = '' OR started < ?2) AND place > ?3")
          .bind(retention.kind)
          .bind(retention.before)
          .bind(static_cast<std::int64_t>(retention.keep))
          .run();
      execute(db.get(), "DELETE FROM metric WHERE run IN (SELECT number FROM doomed)");
      execute(db.get(), "DELETE FROM run_artefact WHERE run IN (SELECT number FROM doomed)");
      execute(db.get(), "DELETE FROM run WHERE number IN (SELECT number FROM doomed)");
      pruned.rows = static_cast<std::size_t>(sqlite3_changes64(db.get()));
      constexpr const char* orphans = " FROM artefact WHERE number NOT IN (SELECT artefact FROM run_artefact)";
      Statement left(db.get(), std::string("SELECT count(*), coalesce(sum(bytes), 0)") + orphans);
      left.step();
      pruned.artefacts = static_cast<std::size_t>(left.integer(0));
      pruned.artefact_bytes = static_cast<std::size_t>(left.integer(1));
      left.again();
      execute(db.get(), (std::string("DELETE") + orphans).c_str());
      if (retention.only_count) return pruned; // undone
      transaction.commit();
    }
    execute(db.get(), "VACUUM");
    execute(db.get(), "PRAGMA wal_checkpoint(TRUNCATE)");
    return pruned;
  });
}

Result<std::vector<std::string>> Store::integrity_check() const {
  return guarded<std::vector<std::string>>(path, [&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> problems;
    Statement check(db.get(), "PRAGMA integrity_check");
    for (std::string& line : first_column(check))
      if (line != "ok") problems.push_back(std::move(line));
    Statement references(db.get(), "PRAGMA foreign_key_check");
    while (references.step()) problems.push_back("a row of " + references.text(0) + " refers to nothing");
    Statement hashes(db.get(), "SELECT hash FROM artefact");
    for (const std::string& hex : first_column(hashes)) {
      Hash hash{};
      if (!from_hex(hex, hash) || !artefact(hash)) problems.push_back("artefact " + hex + " does not have that hash");
    }
    Statement ids(db.get(), "SELECT id FROM run");
    Reader reader(*this);
    for (const std::string& id : first_column(ids)) {
      auto row = reader.read(id);
      auto artefacts = artefacts_of(id);
      if (!row || !artefacts || content_id(*row, *artefacts) != id)
        problems.push_back("run " + id + " does not have that hash");
    }
    return problems;
  });
}

} // namespace aicf
