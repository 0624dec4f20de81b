// What is seen of the panes below a widget: how far each is scrolled, and the chosen row of each table or list. Panes
// are told apart by their accessible names; what stands behind another tab is not seen.
#pragma once
#include <QJsonObject>

class QWidget;

namespace aicf::views {

[[nodiscard]] QJsonObject seenOf(const QWidget& root);
/// Chooses the rows that were chosen, where they are still there. True: some row was not the chosen one before.
bool chooseRows(const QWidget& root, const QJsonObject& seen);
/// As far as each pane has that much to scroll.
void scrollTo(const QWidget& root, const QJsonObject& seen);

} // namespace aicf::views
