// Mathematics set in type: its LaTeX against lines written by hand, its geometry against the rules of typesetting, and
// pixels at places where ink must be, or must not.
#include "core/expr/check.hpp"
#include "views/formula/formula_view.hpp"
#include "views/frame/theme.hpp"
#include "views/ops/gradient_pane.hpp"
#include "views/ops/token_diff.hpp"

#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>

using namespace aicf;
using namespace aicf::views;

namespace {

constexpr auto softmaxText = "op softmax(x: float[M, N]) -> y: float[M, N]\n  m[i] = max[j] x[i, j]\n"
                             "  l[i] = sum[j] exp(x[i, j] - m[i])\n  y[i, j] = exp(x[i, j] - m[i]) / l[i]\n";

Definition parsed(const std::string& text) {
  auto d = parse_definition(text, "test");
  if (!d) throw std::logic_error(format(d.diagnostics.front()));
  return std::move(*d);
}

/// The formula of the only statement's right side, or of the whole line.
QString latex(const std::string& body, const char* inputs = "x: float[N], z: float[N]") {
  const Definition d = parsed("op f(" + std::string(inputs) + ") -> y: float[N]\n  y[i] = " + body + "\n");
  QString text = latexOf(mathOf(d)[1]);
  text.remove(0, text.indexOf(QStringLiteral(" = ")) + 3);
  return text.simplified();
}

/// What was drawn of one box at a large size: ink is black on white.
QImage drawn(const Box& box, int margin = 20) {
  QImage image(int(box.width) + 2 * margin, int(box.height()) + 2 * margin, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  box.paint(painter, QPointF(margin, margin + box.ascent), Qt::black);
  return image;
}
bool ink(const QImage& image, int x, int y) { return image.rect().contains(x, y) && qGray(image.pixel(x, y)) < 128; }
int inkIn(const QImage& image, const QRect& r) {
  int count = 0;
  for (int y = r.top(); y <= r.bottom(); ++y)
    for (int x = r.left(); x <= r.right(); ++x) count += ink(image, x, y) ? 1 : 0;
  return count;
}

Math number(const char* text) { return mathText(Math::Kind::number, QString::fromUtf8(text)); }
Math variable(const char* text) { return mathText(Math::Kind::identifier, QString::fromUtf8(text)); }
Math of(Math::Kind kind, std::vector<Math> parts, const char* text = "") {
  return {kind, QString::fromUtf8(text), std::move(parts), {}};
}
const Box::Run& run(const Box& box, const char* text) {
  const auto at =
      std::find_if(box.runs.begin(), box.runs.end(), [&](const auto& r) { return r.text == QString::fromUtf8(text); });
  if (at == box.runs.end()) throw std::logic_error(std::string("no run ") + text);
  return *at;
}
} // namespace

class TestFormula : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { theme().install(false); }
  void cleanup() { theme().setDark(false); }

  void softmaxAsLatex() {
    const QString text = latexOf(mathOf(parsed(softmaxText)));
    for (const char* line :
         {"m_{i} &= \\max_{0 \\le j < N} x_{i, j}", "l_{i} &= \\sum_{j = 0}^{N - 1} {\\mathrm{e}}^{x_{i, j} - m_{i}}",
          "y_{i, j} &= \\frac{{\\mathrm{e}}^{x_{i, j} - m_{i}}}{l_{i}}"})
      QVERIFY2(text.simplified().contains(QLatin1String(line)), qPrintable(text));
    QVERIFY(text.startsWith("\\begin{align*}"));
  }

  void latexOfEachForm_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* body, const char* expected) {
      QTest::newRow(body) << QString::fromUtf8(body) << QString::fromUtf8(expected);
    };
    row("x[i] * z[i] + 1", "x_{i} \\cdot z_{i} + 1");
    row("(x[i] + z[i]) * 2", "\\left(x_{i} + z_{i}\\right) \\cdot 2");
    row("x[i] - (z[i] - 1)", "x_{i} - \\left(z_{i} - 1\\right)");
    row("x[i] / (z[i] + 1)", "\\frac{x_{i}}{z_{i} + 1}");
    row("(x[i] + 1)^2 * z[i]", "{\\left(x_{i} + 1\\right)}^{2} \\cdot z_{i}");
    row("sqrt(x[i]^2 + z[i]^2)", "\\sqrt{{x_{i}}^{2} + {z_{i}}^{2}}");
    row("rsqrt(x[i]) + z[i]", "\\frac{1}{\\sqrt{x_{i}}} + z_{i}");
    row("abs(x[i] - z[i])", "\\left|x_{i} - z_{i}\\right|");
    row("floor(x[i]) + z[i]", "\\left\\lfloor x_{i}\\right\\rfloor + z_{i}");
    row("max(x[i], z[i])", "\\operatorname{max}\\left(x_{i}, z_{i}\\right)");
    row("where(x[i] > 0, x[i], z[i])",
        "\\begin{cases} x_{i} & \\text{if } 0 < x_{i} \\\\ z_{i} & \\text{otherwise} \\end{cases}");
    row("exp(x[i] / z[i])", "\\operatorname{exp}\\left(\\frac{x_{i}}{z_{i}}\\right)");
    row("x[i] * (sum[j] z[j])", "x_{i} \\cdot \\sum_{j = 0}^{N - 1} z_{j}");
    row("x[i] + (sum[j] z[j]) * 2", "x_{i} + \\left(\\sum_{j = 0}^{N - 1} z_{j}\\right) \\cdot 2");
    row("-x[i] * z[i]", "\\left(-x_{i}\\right) \\cdot z_{i}");
    row("x[i] * 1e-5 + z[i]", "x_{i} \\cdot {10}^{-5} + z_{i}");
    row("x[i] + z[i] * pi", "x_{i} + z_{i} \\cdot \\pi");
  }
  void latexOfEachForm() {
    QFETCH(QString, body);
    QFETCH(QString, expected);
    const QString got = latex(body.toStdString());
    // How a product with a sign in front is grouped is the parser's affair.
    if (body.startsWith('-'))
      QVERIFY2(got == expected || got == QLatin1String("-x_{i} \\cdot z_{i}"), qPrintable(got));
    else
      QCOMPARE(got, expected);
  }

  void aFractionIsOneAboveTheOther() {
    const Box box = typeset(of(Math::Kind::fraction, {variable("a"), variable("bcd")}), 40);
    const Box::Run &above = run(box, "a"), &below = run(box, "bcd");
    QVERIFY(above.at.y() < below.at.y());
    QCOMPARE(box.shapes.size(), std::size_t(1));
    const QRectF bar = box.shapes[0].path.boundingRect();
    QVERIFY2(above.at.y() < bar.top() && below.at.y() > bar.bottom(), "the bar between them");
    // Both centred on the bar.
    const qreal a = above.at.x() + QFontMetricsF(above.font).horizontalAdvance("a") / 2;
    QVERIFY(std::abs(a - bar.center().x()) < 0.5);
    const QImage image = drawn(box);
    const QPoint middle(20 + int(bar.center().x()), 20 + int(box.ascent + bar.center().y()));
    QVERIFY2(ink(image, middle.x(), middle.y()), "the bar is drawn");
    QVERIFY2(inkIn(image, {0, 0, image.width(), middle.y() - 4}) > 20, "the numerator is drawn");
    QVERIFY2(inkIn(image, {0, middle.y() + 4, image.width(), image.height() - middle.y() - 4}) > 40, "the denominator");
    // Between bar and numerator there is air.
    const int airY = 20 + int(box.ascent + bar.top()) - 3;
    QCOMPARE(inkIn(image, {0, airY, image.width(), 1}), 0);
  }

  void scriptsAreSmallerAndMoved() {
    const Box up = typeset(of(Math::Kind::power, {variable("x"), number("2")}), 40);
    const Box down = typeset(of(Math::Kind::subscript, {variable("x"), variable("i")}), 40);
    QVERIFY(run(up, "2").at.y() < -5);
    QVERIFY(run(down, "i").at.y() > 5);
    QVERIFY(run(up, "2").font.pointSizeF() < run(up, "x").font.pointSizeF());
    // An index and an exponent of one base stand one above the other.
    const Box both =
        typeset(of(Math::Kind::power, {of(Math::Kind::subscript, {variable("x"), variable("i")}), number("2")}), 40);
    QCOMPARE(run(both, "2").at.x(), run(both, "i").at.x());
    QVERIFY(run(both, "2").at.y() < run(both, "i").at.y());
  }

  void aSumHasItsLimitsCentred() {
    const Math sum = of(Math::Kind::big, {variable("N"), number("0"), variable("x")}, "∑");
    const Box box = typeset(sum, 40);
    const QRectF sign = box.shapes[0].path.boundingRect();
    const auto centre = [&](const char* text) {
      const Box::Run& r = run(box, text);
      return r.at.x() + QFontMetricsF(r.font).horizontalAdvance(r.text) / 2;
    };
    QVERIFY(std::abs(centre("N") - sign.center().x()) < 4);
    QVERIFY(std::abs(centre("0") - sign.center().x()) < 4);
    QVERIFY(run(box, "N").at.y() < sign.top() && run(box, "0").at.y() > sign.bottom());
    QVERIFY2(run(box, "x").at.x() > sign.right(), "the summand follows");
    QCOMPARE(run(box, "x").at.y(), 0.0);
    // A sigma: ink along top and bottom, none at the right in the middle.
    const QImage image = drawn(box);
    const auto at = [&](qreal x, qreal y) { return ink(image, 20 + int(x), 20 + int(box.ascent + y)); };
    QVERIFY(at(sign.center().x(), sign.top()));
    QVERIFY(at(sign.center().x(), sign.bottom()));
    QVERIFY(!at(sign.right() - 3, sign.center().y()));
    QVERIFY(!at(sign.left() + 3, sign.center().y()));
  }

  void fencesAndRootsGrow() {
    const Math tall =
        of(Math::Kind::fraction, {of(Math::Kind::fraction, {variable("a"), variable("b")}), variable("c")});
    const Box inner = typeset(tall, 30), outer = typeset(of(Math::Kind::fence, {tall}, "()"), 30);
    QVERIFY(outer.height() >= inner.height() && outer.width > inner.width);
    QVERIFY(outer.shapes.size() == inner.shapes.size() + 2);
    const Box root = typeset(of(Math::Kind::root, {tall}), 30);
    QVERIFY(root.ascent > inner.ascent);
    // The line over what stands under a root.
    const QImage image = drawn(root);
    const QRectF sign = root.shapes.back().path.boundingRect();
    const int right = 20 + int(sign.right()) - 4, line = 20 + qRound(root.ascent + sign.top());
    QVERIFY(ink(image, right, line) || ink(image, right, line - 1));
    // A plain pair is the font's own.
    QVERIFY(typeset(of(Math::Kind::fence, {variable("x")}, "()"), 30).shapes.empty());
  }

  void equalsSignsStandBelowOneAnother() {
    const FormulaLayout layout(mathOf(parsed(softmaxText)), 14);
    QCOMPARE(layout.lines().size(), std::size_t(4));
    std::vector<qreal> xs;
    for (std::size_t i = 1; i < layout.lines().size(); ++i) {
      const auto& [box, origin] = layout.lines()[i];
      for (const Box::Run& r : box.runs)
        if (r.text == QLatin1String("=") && r.font.pointSizeF() > 12) {
          xs.push_back(origin.x() + r.at.x());
          break;
        }
    }
    QCOMPARE(xs.size(), std::size_t(3));
    QVERIFY(std::abs(xs[0] - xs[2]) < 1.0 && std::abs(xs[1] - xs[2]) < 1.0);
    // Twice the size is twice the size.
    const FormulaLayout large(mathOf(parsed(softmaxText)), 28);
    QVERIFY(large.size().width() > 1.7 * layout.size().width() && large.size().width() < 2.2 * layout.size().width());
    // Nothing of a line reaches into the next.
    for (std::size_t i = 1; i < layout.lines().size(); ++i) {
      const auto& [above, a] = layout.lines()[i - 1];
      const auto& [below, b] = layout.lines()[i];
      QVERIFY(a.y() + above.descent <= b.y() - below.ascent);
    }
  }

  void whatIsTooLongEnds() {
    std::string terms = "x[i]";
    for (int i = 0; i < 20000; ++i) terms += " + z[i]";
    QElapsedTimer timer;
    timer.start();
    const auto lines = mathOf(parsed("op f(x: float[N], z: float[N]) -> y: float[N]\n  y[i] = " + terms + "\n"));
    QVERIFY(latexOf(lines[1]).contains("\\dots"));
    std::string deep = "x[i]";
    for (int i = 0; i < 3000; ++i) deep = "(" + deep + ") / (1 + z[i])";
    const auto nested = mathOf(parsed("op f(x: float[N], z: float[N]) -> y: float[N]\n  y[i] = " + deep + "\n"));
    (void)typeset(nested[1], 12);
    QVERIFY(latexOf(nested[1]).contains("\\dots"));
    QVERIFY2(timer.elapsed() < 20'000, "in no time");
  }

  void theViewCopiesSelectsZoomsAndExports() {
    FormulaView view("formula");
    view.resize(600, 300);
    view.show();
    view.setFormula(mathOf(parsed(softmaxText)), QString::fromLatin1(softmaxText));
    view.copyLatex();
    QVERIFY(QApplication::clipboard()->text().contains("\\sum"));
    view.copyText();
    QCOMPARE(QApplication::clipboard()->text(), QString::fromLatin1(softmaxText));
    QVERIFY(view.accessibleDescription().contains("∑"));
    QSignalSpy chosen(&view, &FormulaView::chosen);
    const auto places = view.layoutOfFormula().rectsOf("l");
    QVERIFY(places.size() >= 2); // where it is defined, and where it is used
    QTest::mouseClick(view.widget(), Qt::LeftButton, {}, places.back().center().toPoint());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(view.selected(), QStringLiteral("l"));
    // The mark is drawn: the same place is another colour than before.
    const QPoint corner(int(places.back().left()) - 1, int(places.back().center().y()));
    QCOMPARE(view.widget()->grab().toImage().pixelColor(corner * view.devicePixelRatio()), theme().color("selection"));
    const qreal width = view.layoutOfFormula().size().width();
    view.setZoom(2);
    QVERIFY(view.layoutOfFormula().size().width() > 1.7 * width);
    QVERIFY(view.widget()->minimumWidth() >= int(view.layoutOfFormula().size().width()));
    QTemporaryDir folder;
    for (const char* suffix : {"svg", "pdf", "png"}) {
      const QString file = folder.filePath(QStringLiteral("f.%1").arg(QLatin1String(suffix)));
      QCOMPARE(view.exportTo(file), QString());
      QFile written(file);
      QVERIFY(written.open(QIODevice::ReadOnly) && written.size() > 200);
      const QByteArray bytes = written.readAll();
      if (*suffix == 's') QVERIFY(bytes.contains("<text") && bytes.contains(theme().color("text").name().toLatin1()));
      if (*suffix == 's') QVERIFY(bytes.contains("italic")); // variables are
      if (suffix == QByteArray("pdf")) QCOMPARE(bytes.count("/Type /Page\n"), 1);
    }
    QVERIFY(!view.exportTo(folder.filePath("f.gif")).isEmpty());
    // Dark: the ink is lighter than the ground.
    view.select({});
    theme().setDark(true);
    // On paper it stays dark on light.
    const QString onPaper = folder.filePath("paper.svg");
    QCOMPARE(view.exportTo(onPaper), QString());
    QFile paper(onPaper);
    QVERIFY(paper.open(QIODevice::ReadOnly));
    QVERIFY(!paper.readAll().contains(theme().color("text").name().toLatin1()));
    QVERIFY(theme().isDark());
    QCoreApplication::processEvents(); // a palette reaches the widgets by the event loop
    view.setZoom(3);
    const QImage dark = view.widget()->grab().toImage();
    const QColor ground = dark.pixelColor(2, dark.height() - 3);
    int lightest = 0;
    for (int y = 0; y < dark.height(); ++y)
      for (int x = 0; x < dark.width(); ++x) lightest = std::max(lightest, dark.pixelColor(x, y).lightness());
    QVERIFY(ground.lightness() < 80 && lightest > 150);
  }

  void aStepShowsWhatChanged() {
    const auto words = [](const QString& text, const TextRanges& ranges) {
      QStringList out;
      for (const auto& [at, length] : ranges) out << text.mid(at, length);
      return out;
    };
    const QString before = "a + b * c", after = "a + b * d + e";
    const ChangedWords changed = changedWords(before, after);
    QCOMPARE(words(before, changed.before), QStringList({"c"}));
    QCOMPARE(words(after, changed.after), QStringList({"d + e"}));
    QVERIFY(changedWords("x[i]", "x[i]").before.empty());
    QCOMPARE(words("old", changedWords("old", "").before), QStringList({"old"}));
    const QString merge = "l = a.l + b.l", rescaled = "l = a.l * exp(a.m - m) + b.l";
    QCOMPARE(words(rescaled, changedWords(merge, rescaled).after), QStringList({"* exp(a.m - m)"}));
    QVERIFY(changedWords(merge, rescaled).before.empty());
  }

  void theDerivativeIsAnOperator() {
    // d/dx of x^2 is 2 x times the cotangent.
    const Derived square = derive(parsed("op sq(x: float[N]) -> y: float[N]\n  y[i] = x[i]^2\n"), {});
    QVERIFY2(square.problem.isEmpty(), qPrintable(square.problem));
    QVERIFY(square.definition && square.text.contains("d_y") && square.text.contains("d_x"));
    QVERIFY(parse_definition(square.text.toStdString(), "again"));
    const Derived none = derive(parsed("op k(i0: i32[N]) -> y: i32[N]\n  y[i] = i0[i] + 1\n"), {});
    QVERIFY(!none.definition && !none.problem.isEmpty());
  }
};

QTEST_MAIN(TestFormula)
#include "test_formula.moc"
