// Whatever a QPainter draws, as an SVG document: paths, text, pictures, clips. Colours, transforms and opacity as they
// are; hatched brushes become a pattern. Text stays text, so that it can be searched and edited.
#pragma once
#include <QByteArray>
#include <QPaintDevice>

#include <memory>

namespace aicf::views {

class SvgDevice : public QPaintDevice {
 public:
  SvgDevice(const QSize& size, const QString& title);
  ~SvgDevice() override;
  SvgDevice(const SvgDevice&) = delete;
  SvgDevice& operator=(const SvgDevice&) = delete;
  [[nodiscard]] QPaintEngine* paintEngine() const override;
  /// Complete once the painter has ended.
  [[nodiscard]] QByteArray document() const;

 protected:
  [[nodiscard]] int metric(PaintDeviceMetric metric) const override;

 private:
  QSize size_;
  QString title_;
  std::unique_ptr<class SvgEngine> engine_;
};

} // namespace aicf::views
