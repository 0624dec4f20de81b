// Every view with real data, drawn without anybody at the keyboard: softmax is opened and analysed, the rules are
// ticked, a small synthesis runs in the real worker, two of its variants are compared.
#pragma once
#include <QString>

namespace aicf::views {

/// VIEW-THEME-SCALE.png in `folder` at 1280x800 and VIEW-THEME-SCALE-2560x1440.png, light and dark, at the present
/// scale. An exit status; what failed is said on standard error.
[[nodiscard]] int screenshots(const QString& folder);
/// The same in a process of its own, whose pixels are `scale` times as fine.
[[nodiscard]] int screenshotsAtScale(const QString& folder, int scale);

} // namespace aicf::views
