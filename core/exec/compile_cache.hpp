// Compilations kept in memory and on disk under the hash of all that decides them. The folder may be shared by
// processes: files appear by an atomic rename, and a file that is damaged or of another form counts as absent.
#pragma once
#include "core/base/hash.hpp"
#include "core/exec/backend.hpp"

#include <optional>

namespace aicf {

[[nodiscard]] std::optional<Compiled> cached_compilation(const Hash& key);
/// A folder that cannot be written is no error: the next process compiles again.
void keep_compilation(const Hash& key, const Compiled& compiled);

} // namespace aicf
