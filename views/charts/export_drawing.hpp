// A drawing as a file: SVG or PDF (vectors, text stays text) or PNG at twice the size, by the file's suffix.
#pragma once
#include <QColor>
#include <QSize>
#include <QString>

#include <functional>
#include <optional>

class QPainter;
class QWidget;

namespace aicf::views {

enum class ChartFormat { svg, pdf, png };
/// By the file's suffix; nothing for another one.
[[nodiscard]] std::optional<ChartFormat> chartFormatOf(const QString& path);

/// `draw` gets a painter whose units are pixels of `size`; `ground` fills a PNG (and nothing where it is invalid). An
/// empty string, or why not.
[[nodiscard]] QString exportDrawing(const QString& path, const QSize& size, const QString& title, const QColor& ground,
                                    const std::function<void(QPainter&)>& draw);

/// Asks for a file and exports to it; a message says why it could not. Returns at once.
void askToExport(QWidget* parent, const QString& title, const QString& name,
                 std::function<QString(const QString& path)> write);

} // namespace aicf::views
