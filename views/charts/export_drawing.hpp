// A drawing as a file: SVG or PDF (vectors, text stays text) or PNG at twice the size, by the file's suffix.
#pragma once
#include <QSize>
#include <QString>

#include <functional>
#include <optional>

class QPaintDevice;
class QWidget;

namespace aicf::views {

enum class ChartFormat { svg, pdf, png };
/// By the file's suffix; nothing for another one.
[[nodiscard]] std::optional<ChartFormat> chartFormatOf(const QString& path);

/// `draw` paints, once, on a device whose units are pixels of `size`. SVG and PDF are for paper: the theme's colours
/// are the light ones meanwhile. A PNG is as the window shows it, on the theme's ground. An empty string, or why not.
[[nodiscard]] QString exportDrawing(const QString& path, const QSize& size, const QString& title,
                                    const std::function<void(QPaintDevice&)>& draw);

/// Asks for a file and exports to it; a message says why it could not. Returns at once.
void askToExport(QWidget* parent, const QString& title, const QString& name,
                 std::function<QString(const QString& path)> write);

} // namespace aicf::views
