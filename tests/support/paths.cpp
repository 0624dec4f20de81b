#include "tests/support/paths.hpp"

namespace aicf::test {

QString sourceFile(const QString& inside) { return QStringLiteral(AICF_SOURCE_DIR "/") + inside; }

QString binaryFile(const QString& inside) { return QStringLiteral(AICF_BINARY_DIR "/") + inside; }

std::string source_path(const std::string& inside) { return AICF_SOURCE_DIR "/" + inside; }

} // namespace aicf::test
