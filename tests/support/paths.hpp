// Where the sources and what was built of them are, for every test. Compiled into one file, so that no other test's
// command line holds a folder's name and a compiler cache serves every clone.
#pragma once
#include <QString>

#include <string>

namespace aicf::test {

/// Absolute; `inside` is relative to the source tree or to the build's folder.
[[nodiscard]] QString sourceFile(const QString& inside = {});
[[nodiscard]] QString binaryFile(const QString& inside);
[[nodiscard]] std::string source_path(const std::string& inside);

} // namespace aicf::test
