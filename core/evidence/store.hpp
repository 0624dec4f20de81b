// The evidence store: an SQLite file in WAL mode that several processes may share, one connection an object. Not for
// two threads at a time: open one store a thread.
//
// Rows are named by the hash of their content, so that putting one twice, or merging two stores, adds nothing twice. A
// row is there whole or not at all, also when the process is killed. All errors are diagnostics "evidence.…".
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/evidence/evidence.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace aicf {

class Store {
 public:
  /// $AICF_STORE, else $XDG_DATA_HOME/aicf/evidence.sqlite, else ~/.local/share/aicf/evidence.sqlite.
  [[nodiscard]] static std::filesystem::path default_path();
  /// Creates the file and its folders where there are none, and migrates an older schema. A newer one is an error.
  [[nodiscard]] static Result<Store> open(const std::filesystem::path& path);

  /// The row's id. Metrics with the same id in one row are an error.
  [[nodiscard]] Result<std::string> put(const Evidence& evidence, const std::vector<Artefact>& artefacts = {});

  struct Row {
    Evidence evidence;
    std::vector<Artefact> artefacts;
  };
  /// All of them or, on an error, none; so many at once cost a fraction of one by one.
  [[nodiscard]] Result<std::size_t> put_all(const std::vector<Row>& rows);

  /// By id or by a beginning of it that no other row has.
  [[nodiscard]] Result<Evidence> find(const std::string& id) const;
  /// Newest first.
  [[nodiscard]] Result<std::vector<Evidence>> find_key(const Hash& key) const;

  struct Filter {
    std::string kind = {}, device = {}, status = {}; ///< empty: any
    std::string variant = {};                        ///< a beginning of the id that ends the row's command; empty: any
    std::size_t limit = 100, offset = 0;
    bool metrics = true; ///< false leaves the rows' metrics out
  };
  /// Newest first.
  [[nodiscard]] Result<std::vector<Evidence>> recent(const Filter& filter) const;
  [[nodiscard]] Result<std::size_t> count() const; ///< rows
  /// The query behind recent(), with a parameter for each filter that is set, then limit and offset.
  [[nodiscard]] static std::string recent_query(const Filter& filter);
  [[nodiscard]] static std::string key_query(); ///< the one behind find_key()

  [[nodiscard]] Result<Artefact> artefact(const Hash& hash) const;
  [[nodiscard]] Result<std::vector<Hash>> artefacts_of(const std::string& id) const;

  struct Merged {
    std::size_t added = 0, known = 0, damaged = 0; ///< rows; damaged ones do not have the content of their id
  };
  /// Adds what the store at `other` has and this one has not, all of it or, on an error, nothing. `other` is only read.
  [[nodiscard]] Result<Merged> merge(const std::filesystem::path& other);

  struct Sizes {
    struct Rows {
      std::size_t rows = 0, metrics = 0;
      std::string oldest, newest;
    };
    struct Kept {
      std::size_t count = 0, bytes = 0;
    };
    std::size_t file_bytes = 0, free_bytes = 0; ///< free: within the file
    int schema = 0;
    std::map<std::string, Rows> kinds;
    std::map<std::string, Kept> artefacts; ///< by kind
  };
  [[nodiscard]] Result<Sizes> sizes() const;

  /// What prune() takes away: rows of `kind` (empty: any) that began before `before` (empty: any time) and are not
  /// among the newest `keep` of their key; artefacts that no row refers to any more go with them.
  struct Retention {
    std::string kind = {}, before = {};
    std::size_t keep = 0;
    bool only_count = false; ///< take nothing away
  };
  struct Pruned {
    std::size_t rows = 0, artefacts = 0, artefact_bytes = 0;
  };
  /// The file is made smaller afterwards, which writes it anew.
  [[nodiscard]] Result<Pruned> prune(const Retention& retention);

  /// What is wrong with the file: SQLite's own checks, references, and hashes of rows and artefacts. Empty: nothing.
  [[nodiscard]] Result<std::vector<std::string>> integrity_check() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> db;
  std::filesystem::path path;

  class Reader;
  class Writer;
  [[nodiscard]] Result<std::vector<std::string>> all_ids() const;
};

} // namespace aicf
