#include "core/evidence/schema.hpp"

#include "core/evidence/sqlite.hpp"

namespace aicf {

int schema_version(sqlite3* db) {
  Statement table(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema'");
  table.step();
  if (table.integer(0) == 0) return 0;
  Statement version(db, "SELECT max(version) FROM schema");
  return version.step() ? static_cast<int>(version.integer(0)) : 0;
}

void migrate(sqlite3* db) {
  while (schema_version(db) < newest_schema) {
    Transaction transaction(db);
    const int version = schema_version(db); // again: now nobody else can be at it
    if (version >= newest_schema) return;
    if (version == 0) execute(db, "CREATE TABLE schema(version INTEGER NOT NULL)");
    execute(db, schema_steps[static_cast<std::size_t>(version)]);
    execute(db, "DELETE FROM schema");
    Statement(db, "INSERT INTO schema(version) VALUES (?)").bind(std::int64_t{version + 1}).run();
    transaction.commit();
  }
}

} // namespace aicf
