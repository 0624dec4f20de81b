// A thin skin over SQLite's C interface: a prepared statement that binds and reads by position, failures as exceptions.
// For core/evidence alone; the store makes diagnostics of them.
#pragma once
#include <sqlite3.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace aicf {

struct SqliteError : std::runtime_error {
  explicit SqliteError(sqlite3* db) : std::runtime_error(sqlite3_errmsg(db)), code(sqlite3_errcode(db) & 0xff) {}
  int code;
};

class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql) : db(connection) {
    if (sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
      throw SqliteError(db);
  }
  ~Statement() { sqlite3_finalize(statement); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds the next parameter; the text must live until the last step.
  Statement& bind(std::string_view text) {
    return checked(sqlite3_bind_text64(statement, ++bound, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  Statement& bind_blob(std::string_view bytes) {
    return checked(bytes.empty() ? sqlite3_bind_zeroblob(statement, ++bound, 0)
                                 : sqlite3_bind_blob64(statement, ++bound, bytes.data(), bytes.size(), SQLITE_STATIC));
  }
  Statement& bind(std::int64_t value) { return checked(sqlite3_bind_int64(statement, ++bound, value)); }
  /// NaN becomes NULL: SQLite has no other way to keep it.
  Statement& bind(double value) { return checked(sqlite3_bind_double(statement, ++bound, value)); }
  Statement& bind_null() { return checked(sqlite3_bind_null(statement, ++bound)); }

  /// True while there is a row.
  bool step() {
    int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw SqliteError(db);
    return code == SQLITE_ROW;
  }
  void run() {
    while (step()) {
    }
    again();
  }

  /// To be bound and stepped again.
  Statement& again() {
    sqlite3_reset(statement);
    bound = 0;
    return *this;
  }

  [[nodiscard]] std::string text(int column) const {
    const void* bytes = sqlite3_column_blob(statement, column); // text is UTF-8, a blob is itself
    auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement, column); }
  /// NULL reads as NaN.
  [[nodiscard]] double real(int column) const {
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? std::nan("")
                                                                 : sqlite3_column_double(statement, column);
  }

 private:
  Statement& checked(int code) {
    if (code != SQLITE_OK) throw SqliteError(db);
    return *this;
  }
  sqlite3* db;
  sqlite3_stmt* statement = nullptr;
  int bound = 0;
};

inline void execute(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw SqliteError(db);
}

/// Undone unless committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* connection) : db(connection) { execute(db, "BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (!committed) sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    execute(db, "COMMIT");
    committed = true;
  }

 private:
  sqlite3* db;
  bool committed = false;
};

} // namespace aicf
