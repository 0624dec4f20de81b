// The store's tables and their history: version n is reached from n - 1 by step n.
#pragma once
#include <array>

struct sqlite3;

namespace aicf {

inline constexpr std::array<const char*, 4> schema_steps{R"(
CREATE TABLE run(
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, key_hash TEXT NOT NULL, source TEXT NOT NULL, options TEXT NOT NULL,
  profile TEXT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL,
  toolkit TEXT NOT NULL, timer TEXT NOT NULL, started TEXT NOT NULL, seconds REAL, host TEXT NOT NULL,
  command TEXT NOT NULL, seed INTEGER NOT NULL, status TEXT NOT NULL);
CREATE INDEX run_key ON run(key_hash);
CREATE INDEX run_started ON run(started);
CREATE INDEX run_kind ON run(kind, started);
CREATE TABLE metric(
  run TEXT NOT NULL REFERENCES run(id), id TEXT NOT NULL, value REAL, lo REAL, hi REAL, samples INTEGER NOT NULL,
  unit TEXT NOT NULL, source TEXT NOT NULL, method TEXT NOT NULL, PRIMARY KEY(run, id)) WITHOUT ROWID;
CREATE TABLE artefact(hash TEXT PRIMARY KEY, kind TEXT NOT NULL, bytes INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE run_artefact(
  run TEXT NOT NULL REFERENCES run(id), artefact TEXT NOT NULL REFERENCES artefact(hash),
  PRIMARY KEY(run, artefact)) WITHOUT ROWID;
CREATE INDEX run_artefact_artefact ON run_artefact(artefact);
)",
                                                         R"(
CREATE INDEX run_device ON run(device, started);
CREATE INDEX run_status ON run(status, started);
CREATE INDEX run_kind_status ON run(kind, status, started);
CREATE INDEX run_device_kind ON run(device, kind, status, started);
CREATE INDEX run_variant ON run(substr(command, -12));
)",
                                                         R"(
CREATE INDEX run_device_status ON run(device, status, started);
CREATE INDEX run_device_kind_only ON run(device, kind, started);
)",
                                                         // Rows of other tables name a run and an artefact by number:
                                                         // by hash, each of them lay on a page of its own.
                                                         R"(
ALTER TABLE run RENAME TO old_run;
ALTER TABLE metric RENAME TO old_metric;
ALTER TABLE artefact RENAME TO old_artefact;
ALTER TABLE run_artefact RENAME TO old_run_artefact;
CREATE TABLE run(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, key_hash TEXT NOT NULL,
  source TEXT NOT NULL, options TEXT NOT NULL, profile TEXT NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL,
  device TEXT NOT NULL, driver TEXT NOT NULL, toolkit TEXT NOT NULL, timer TEXT NOT NULL, started TEXT NOT NULL,
  seconds REAL, host TEXT NOT NULL, command TEXT NOT NULL, seed INTEGER NOT NULL, status TEXT NOT NULL);
CREATE TABLE metric(
  run INTEGER NOT NULL REFERENCES run(number), id TEXT NOT NULL, value REAL, lo REAL, hi REAL,
  samples INTEGER NOT NULL, unit TEXT NOT NULL, source TEXT NOT NULL, method TEXT NOT NULL,
  PRIMARY KEY(run, id)) WITHOUT ROWID;
CREATE TABLE artefact(
  number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, bytes INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE TABLE run_artefact(
  run INTEGER NOT NULL REFERENCES run(number), artefact INTEGER NOT NULL REFERENCES artefact(number),
  PRIMARY KEY(run, artefact)) WITHOUT ROWID;
INSERT INTO run SELECT NULL, id, kind, key_hash, source, options, profile, shape, dtype, device, driver, toolkit,
  timer, started, seconds, host, command, seed, status FROM old_run ORDER BY rowid;
INSERT INTO metric SELECT run.number, m.id, m.value, m.lo, m.hi, m.samples, m.unit, m.source, m.method
  FROM run JOIN old_metric m ON m.run = run.id ORDER BY run.number;
INSERT INTO artefact SELECT NULL, hash, kind, bytes, data FROM old_artefact ORDER BY rowid;
INSERT INTO run_artefact SELECT run.number, artefact.number FROM run
  JOIN old_run_artefact o ON o.run = run.id JOIN artefact ON artefact.hash = o.artefact ORDER BY run.number;
DROP TABLE old_run_artefact;
DROP TABLE old_metric;
DROP TABLE old_artefact;
DROP TABLE old_run;
CREATE INDEX run_key ON run(substr(key_hash, 1, 16));
CREATE INDEX run_started ON run(started);
CREATE INDEX run_kind ON run(kind, started);
CREATE INDEX run_device ON run(device, started);
CREATE INDEX run_status ON run(status, started);
CREATE INDEX run_kind_status ON run(kind, status, started);
CREATE INDEX run_device_kind ON run(device, kind, status, started);
CREATE INDEX run_variant ON run(substr(command, -12));
CREATE INDEX run_device_status ON run(device, status, started);
CREATE INDEX run_device_kind_only ON run(device, kind, started);
CREATE INDEX run_artefact_artefact ON run_artefact(artefact);
)"};

inline constexpr int newest_schema = static_cast<int>(schema_steps.size());

/// 0 for an empty file. Throws SqliteError.
[[nodiscard]] int schema_version(sqlite3* db);
/// To `newest_schema`, each step whole or not at all; another process may be doing the same. Throws SqliteError.
void migrate(sqlite3* db);

} // namespace aicf
