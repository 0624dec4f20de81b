#include "views/frame/icons.hpp"

#include "views/frame/theme.hpp"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QXmlStreamReader>

#include <stdexcept>

namespace aicf::views {
namespace {
constexpr qreal unit = 24;
constexpr qreal stroke = 1.7;

/// Path data of absolute M L H V C Z.
void addPath(QPainterPath& path, const QString& data) {
  static const QRegularExpression token(QStringLiteral("[MLHVCZ]|-?[0-9.]+"));
  QChar command;
  std::vector<qreal> numbers;
  const auto flush = [&] {
    const std::size_t need = command == 'C' ? 6 : command == 'H' || command == 'V' ? 1 : 2;
    if (numbers.size() < need) return;
    const QPointF at = path.currentPosition();
    if (command == 'M') path.moveTo(numbers[0], numbers[1]);
    if (command == 'L') path.lineTo(numbers[0], numbers[1]);
    if (command == 'H') path.lineTo(numbers[0], at.y());
    if (command == 'V') path.lineTo(at.x(), numbers[0]);
    if (command == 'C') path.cubicTo(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    numbers.clear();
  };
  for (auto it = token.globalMatch(data); it.hasNext();) {
    const QString t = it.next().captured();
    if (!t[0].isLetter()) {
      numbers.push_back(t.toDouble());
      flush();
      continue;
    }
    command = t[0];
    numbers.clear();
    if (command == 'Z') path.closeSubpath();
  }
}

QPainterPath read(const QString& name) {
  QFile file(":/icons/" + name + ".svg");
  if (!file.open(QIODevice::ReadOnly)) throw std::logic_error("no icon " + name.toStdString());
  QXmlStreamReader xml(&file);
  QPainterPath path;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    const auto number = [&](const char* key) { return xml.attributes().value(QLatin1String(key)).toDouble(); };
    if (xml.name() == QLatin1String("path")) addPath(path, xml.attributes().value(QLatin1String("d")).toString());
    if (xml.name() == QLatin1String("rect")) path.addRect(number("x"), number("y"), number("width"), number("height"));
    if (xml.name() == QLatin1String("circle")) path.addEllipse({number("cx"), number("cy")}, number("r"), number("r"));
  }
  return path;
}

const QPainterPath& shape(const QString& name) {
  static QHash<QString, QPainterPath> known;
  auto it = known.find(name);
  if (it == known.end()) it = known.insert(name, read(name));
  return *it;
}

class LineIcon : public QIconEngine {
 public:
  explicit LineIcon(QString name) : name_(std::move(name)) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    const Theme& t = theme();
    const QColor color = mode == QIcon::Disabled ? t.color("disabled")
                         : state == QIcon::On    ? t.color("accent")
                                                 : t.color(mode == QIcon::Active ? "text" : "muted");
    paintIcon(*painter, name_, rect, color, stroke);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap image(size);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return image;
  }
  [[nodiscard]] QIconEngine* clone() const override { return new LineIcon(name_); }

 private:
  QString name_;
};
} // namespace

QIcon icon(const QString& name) {
  (void)shape(name);
  return QIcon(new LineIcon(name));
}

void paintIcon(QPainter& painter, const QString& name, const QRect& rect, const QColor& color, qreal width) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(rect.topLeft());
  painter.scale(rect.width() / unit, rect.height() / unit);
  painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(shape(name));
  painter.restore();
}

} // namespace aicf::views
