#include "views/charts/svg_device.hpp"

#include <QBuffer>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QPaintEngine>
#include <QPainterPath>
#include <QPixmap>

namespace aicf::views {
namespace {

constexpr int dotsPerInch = 96;
constexpr double millimetresPerInch = 25.4;

QString n(double v) { return QString::number(v, 'g', 7); }

QString pathData(const QPainterPath& path) {
  QString d;
  for (int i = 0; i < path.elementCount(); ++i) {
    const QPainterPath::Element& e = path.elementAt(i);
    switch (e.type) {
    case QPainterPath::MoveToElement: d += QStringLiteral("M%1 %2").arg(n(e.x), n(e.y)); break;
    case QPainterPath::LineToElement: d += QStringLiteral("L%1 %2").arg(n(e.x), n(e.y)); break;
    case QPainterPath::CurveToElement: d += QStringLiteral("C%1 %2").arg(n(e.x), n(e.y)); break;
    case QPainterPath::CurveToDataElement: d += QStringLiteral(" %1 %2").arg(n(e.x), n(e.y)); break;
    }
  }
  return d;
}

QString paint(const char* what, const QColor& color) {
  QString out = QStringLiteral(" %1=\"%2\"").arg(QLatin1String(what), color.name());
  if (color.alpha() < 255) out += QStringLiteral(" %1-opacity=\"%2\"").arg(QLatin1String(what), n(color.alphaF()));
  return out;
}

} // namespace

class SvgEngine : public QPaintEngine {
 public:
  SvgEngine() : QPaintEngine(PaintEngineFeatures(AllFeatures & ~(PerspectiveTransform | ConicalGradientFill))) {}
  bool begin(QPaintDevice* device) override {
    device_ = device;
    return true;
  }
  bool end() override { return true; }
  [[nodiscard]] Type type() const override { return User; }

  void updateState(const QPaintEngineState& s) override {
    const DirtyFlags dirty = s.state();
    if (dirty & DirtyPen) pen_ = s.pen();
    if (dirty & DirtyBrush) brush_ = s.brush();
    if (dirty & DirtyFont) font_ = s.font();
    if (dirty & DirtyTransform) transform_ = s.transform();
    if (dirty & DirtyOpacity) opacity_ = s.opacity();
    if (dirty & DirtyClipEnabled) clipped_ = s.isClipEnabled();
    if (dirty & (DirtyClipPath | DirtyClipRegion)) {
      QPainterPath path;
      if (dirty & DirtyClipPath) path = s.clipPath();
      if (dirty & DirtyClipRegion) path.addRegion(s.clipRegion());
      clipped_ = s.clipOperation() != Qt::NoClip;
      const QPainterPath area = transform_.map(path);
      clipArea_ = area.boundingRect();
      if (clipped_)
        defs_ += QStringLiteral("<clipPath id=\"c%1\"><path d=\"%2\"/></clipPath>\n").arg(++clip_).arg(pathData(area));
    }
  }

  void drawPath(const QPainterPath& path) override {
    write(QStringLiteral("<path d=\"%1\"%2%3 fill-rule=\"%4\"/>")
              .arg(pathData(path), stroke(), fill(),
                   path.fillRule() == Qt::WindingFill ? QStringLiteral("nonzero") : QStringLiteral("evenodd")));
  }
  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    QPainterPath path(points[0]);
    for (int i = 1; i < count; ++i) path.lineTo(points[i]);
    if (mode != PolylineMode) path.closeSubpath();
    write(QStringLiteral("<path d=\"%1\"%2%3/>")
              .arg(pathData(path), stroke(), mode == PolylineMode ? QStringLiteral(" fill=\"none\"") : fill()));
  }
  void drawPixmap(const QRectF& at, const QPixmap& pixmap, const QRectF& from) override {
    drawImage(at, pixmap.toImage(), from, Qt::AutoColor);
  }
  void drawImage(const QRectF& at, const QImage& image, const QRectF& from, Qt::ImageConversionFlags) override {
    QByteArray png;
    QBuffer buffer(&png);
    buffer.open(QIODevice::WriteOnly);
    image.copy(from.toAlignedRect()).save(&buffer, "PNG");
    write(QStringLiteral("<image x=\"%1\" y=\"%2\" width=\"%3\" height=\"%4\" preserveAspectRatio=\"none\" "
                         "style=\"image-rendering: pixelated\" href=\"data:image/png;base64,%5\"/>")
              .arg(n(at.x()), n(at.y()), n(at.width()), n(at.height()), QString::fromLatin1(png.toBase64())));
  }
  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    const QFont font = item.font();
    const double pixels = font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF() * dotsPerInch / 72;
    const QFontMetricsF metrics(font, device_);
    const double width = metrics.horizontalAdvance(item.text());
    const char* others = QFontInfo(font).fixedPitch() ? "monospace" : "Helvetica, Arial, sans-serif";
    const QString text =
        QStringLiteral("<text x=\"%1\" y=\"%2\" textLength=\"%3\" lengthAdjust=\"spacingAndGlyphs\" "
                       "font-family=\"%4, %5\" font-size=\"%6\" font-weight=\"%7\"%8%9 xml:space=\"preserve\">")
            .arg(n(at.x()), n(at.y()), n(width), font.family().toHtmlEscaped(), QLatin1String(others), n(pixels),
                 QString::number(int(font.weight())),
                 font.italic() ? QStringLiteral(" font-style=\"italic\"") : QString(), paint("fill", pen_.color()));
    // Whoever has not this font gets a wider one: what fits here must not be cut there.
    const QRectF box(at.x(), at.y() - metrics.ascent(), width, metrics.height());
    write(text + item.text().toHtmlEscaped() + QStringLiteral("</text>"), !clipArea_.contains(transform_.mapRect(box)));
  }

  QString defs_, body_;

 private:
  [[nodiscard]] QString stroke() const {
    if (pen_.style() == Qt::NoPen) return QStringLiteral(" stroke=\"none\"");
    const double width = pen_.widthF() > 0 ? pen_.widthF() : 1;
    QString out = paint("stroke", pen_.color()) + QStringLiteral(" stroke-width=\"%1\"").arg(n(width));
    if (pen_.isCosmetic() || pen_.widthF() == 0) out += QStringLiteral(" vector-effect=\"non-scaling-stroke\"");
    QStringList dashes;
    if (pen_.style() != Qt::SolidLine)
      for (const qreal d : pen_.dashPattern()) dashes << n(d * width);
    if (!dashes.isEmpty()) out += QStringLiteral(" stroke-dasharray=\"%1\"").arg(dashes.join(','));
    return out;
  }
  [[nodiscard]] QString fill() {
    if (brush_.style() == Qt::NoBrush) return QStringLiteral(" fill=\"none\"");
    if (brush_.style() == Qt::SolidPattern) return paint("fill", brush_.color());
    defs_ += QStringLiteral("<pattern id=\"h%1\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path "
                            "d=\"M0 6L6 0\"%2 stroke-width=\"1\"/></pattern>\n")
                 .arg(++hatch_)
                 .arg(paint("stroke", brush_.color()));
    return QStringLiteral(" fill=\"url(#h%1)\"").arg(hatch_);
  }
  void write(const QString& element, bool clip = true) {
    QString attributes;
    if (!transform_.isIdentity())
      attributes += QStringLiteral(" transform=\"matrix(%1 %2 %3 %4 %5 %6)\"")
                        .arg(n(transform_.m11()), n(transform_.m12()), n(transform_.m21()), n(transform_.m22()),
                             n(transform_.dx()), n(transform_.dy()));
    if (opacity_ < 1) attributes += QStringLiteral(" opacity=\"%1\"").arg(n(opacity_));
    QString whole = attributes.isEmpty() ? element : QStringLiteral("<g%1>%2</g>").arg(attributes, element);
    // The clip is in the device's coordinates, outside the transform.
    if (clipped_ && clip) whole = QStringLiteral("<g clip-path=\"url(#c%1)\">%2</g>").arg(clip_).arg(whole);
    body_ += whole + '\n';
  }

  QPen pen_;
  QBrush brush_;
  QFont font_;
  QTransform transform_;
  QRectF clipArea_; ///< in the device's coordinates
  QPaintDevice* device_ = nullptr;
  double opacity_ = 1;
  bool clipped_ = false;
  int clip_ = 0, hatch_ = 0;
};

SvgDevice::SvgDevice(const QSize& size, const QString& title)
    : size_(size), title_(title), engine_(std::make_unique<SvgEngine>()) {}
SvgDevice::~SvgDevice() = default;

QPaintEngine* SvgDevice::paintEngine() const { return engine_.get(); }

QByteArray SvgDevice::document() const {
  return QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\">\n"
                        "<title>%3</title>\n<defs>\n%4</defs>\n%5</svg>\n")
      .arg(size_.width())
      .arg(size_.height())
      .arg(title_.toHtmlEscaped(), engine_->defs_, engine_->body_)
      .toUtf8();
}

int SvgDevice::metric(PaintDeviceMetric metric) const {
  switch (metric) {
  case PdmWidth: return size_.width();
  case PdmHeight: return size_.height();
  case PdmWidthMM: return qRound(size_.width() * millimetresPerInch / dotsPerInch);
  case PdmHeightMM: return qRound(size_.height() * millimetresPerInch / dotsPerInch);
  case PdmNumColors: return 0;
  case PdmDepth: return 32;
  case PdmDpiX:
  case PdmDpiY:
  case PdmPhysicalDpiX:
  case PdmPhysicalDpiY: return dotsPerInch;
  case PdmDevicePixelRatio: return 1;
  default: return QPaintDevice::metric(metric);
  }
}

} // namespace aicf::views
