// Tokens to a File. After an error the rest of the statement is skipped and the next one is read, so that every
// statement with a syntax error is reported once.
#pragma once
#include "core/lang/ast.hpp"

namespace aicf::lang {

/// The result refers to the text of `source`, which must outlive it.
[[nodiscard]] File parse(const Source& source, Problems& problems);

} // namespace aicf::lang
