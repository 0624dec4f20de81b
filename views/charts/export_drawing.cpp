#include "views/charts/export_drawing.hpp"

#include "views/charts/svg_device.hpp"
#include "views/frame/theme.hpp"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QMessageBox>
#include <QPdfWriter>
#include <QSaveFile>

namespace aicf::views {
namespace {

constexpr int dotsPerInch = 96, pictureScale = 2;

QString tr(const char* text) { return QCoreApplication::translate("Export", text); }

} // namespace

std::optional<ChartFormat> chartFormatOf(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix == QLatin1String("svg")) return ChartFormat::svg;
  if (suffix == QLatin1String("pdf")) return ChartFormat::pdf;
  if (suffix == QLatin1String("png")) return ChartFormat::png;
  return std::nullopt;
}

QString exportDrawing(const QString& path, const QSize& size, const QString& title,
                      const std::function<void(QPaintDevice&)>& draw) {
  const auto format = chartFormatOf(path);
  if (!format) return tr("%1: a drawing is written as .svg, .pdf or .png").arg(path);
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return tr("%1: %2").arg(path, file.errorString());
  switch (*format) {
  case ChartFormat::svg: {
    const Theme::OnPaper paper;
    SvgDevice device(size, title);
    draw(device);
    file.write(device.document());
    break;
  }
  case ChartFormat::pdf: {
    const Theme::OnPaper paper;
    QPdfWriter device(&file);
    device.setTitle(title);
    device.setResolution(dotsPerInch);
    device.setPageSize(QPageSize(QSizeF(size) / dotsPerInch, QPageSize::Inch));
    device.setPageMargins({});
    draw(device);
    break;
  }
  case ChartFormat::png: {
    QImage image(size * pictureScale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(pictureScale);
    image.fill(theme().color("surface"));
    draw(image);
    image.save(&file, "PNG");
    break;
  }
  }
  return file.commit() ? QString() : tr("%1: %2").arg(path, file.errorString());
}

void askToExport(QWidget* parent, const QString& title, const QString& name,
                 std::function<QString(const QString& path)> write) {
  auto* dialog = new QFileDialog(parent, title, {}, tr("Pictures (*.svg *.pdf *.png)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("svg");
  dialog->selectFile(name + ".svg");
  QObject::connect(dialog, &QFileDialog::fileSelected, parent, [parent, title, write](const QString& path) {
    const QString problem = write(path);
    if (problem.isEmpty()) return;
    auto* box = new QMessageBox(QMessageBox::Warning, title, problem, QMessageBox::Ok, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
  dialog->open();
}

} // namespace aicf::views
