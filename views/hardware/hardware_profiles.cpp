#include "views/hardware/hardware_profiles.hpp"

#include "core/base/atlas_path.hpp"
#include "views/engine/text.hpp"
#include "views/frame/workbench.hpp"
#include "views/primitives/forms.hpp"

#include <QFileInfo>

#include <algorithm>
#include <exception>

namespace aicf::views {
namespace {
constexpr auto ownKey = "hardware/own";
}

KnownProfile readProfile(const QString& path) {
  KnownProfile known;
  known.path = path;
  known.name = QFileInfo(path).completeBaseName();
  try {
    Result<HardwareProfile> read = load_hardware_profile(path.toStdString());
    if (read) {
      known.profile = std::make_shared<const HardwareProfile>(std::move(*read));
      if (!known.profile->name.empty()) known.name = qs(known.profile->name);
    } else {
      QStringList lines;
      for (const Diagnostic& d : read.diagnostics) lines << qs(format(d));
      known.problem = lines.join('\n');
    }
  } catch (const std::exception& e) { // a fault of ours in one file must not cost the window
    known.problem = qs(e.what());
  }
  return known;
}

QString sampleProfile() {
  const QString path = qs((atlas_dir() / ".." / "tests" / "data" / "hardware-sample.json").string());
  return QFileInfo::exists(path) ? QFileInfo(path).canonicalFilePath() : QString();
}

HardwareProfiles::HardwareProfiles(Workbench& workbench)
    : QObject(&workbench), workbench_(workbench), own_(workbench.settings().value(ownKey).toStringList()),
      reading_(this) {
  load();
}

HardwareProfiles& HardwareProfiles::of(Workbench& workbench) {
  if (auto* known = workbench.findChild<HardwareProfiles*>(QString(), Qt::FindDirectChildrenOnly)) return *known;
  return *new HardwareProfiles(workbench); // owned by the workbench
}

void HardwareProfiles::load() {
  loaded_ = false;
  reading_.request(
      [own = own_](std::stop_token) {
        std::vector<KnownProfile> all;
        for (const auto& path : shipped_hardware_profiles()) all.push_back(readProfile(qs(path.string())));
        for (const QString& path : own)
          if (QFileInfo::exists(path)) all.push_back(readProfile(path));
        const bool any = std::any_of(all.begin(), all.end(), [](const auto& k) { return k.profile != nullptr; });
        if (const QString path = sampleProfile(); !any && !path.isEmpty()) {
          all.push_back(readProfile(path));
          all.back().sample = true;
        }
        return all;
      },
      [this](std::vector<KnownProfile> all) {
        all_ = std::move(all);
        loaded_ = true;
        current_ = -1;
        for (int i = 0; i < int(all_.size()); ++i) {
          const bool readable = all_[std::size_t(i)].profile != nullptr;
          if (readable && (current_ < 0 || all_[std::size_t(i)].path == wanted_)) current_ = i;
        }
        wanted_.clear();
        tell();
        Q_EMIT loaded();
        Q_EMIT currentChanged();
      });
}

const KnownProfile* HardwareProfiles::current() const {
  return current_ >= 0 && current_ < int(all_.size()) ? &all_[std::size_t(current_)] : nullptr;
}

void HardwareProfiles::setCurrent(int index) {
  if (index == current_ || index < 0 || index >= int(all_.size())) return;
  current_ = index;
  tell();
  Q_EMIT currentChanged();
}

void HardwareProfiles::open(const QString& path) {
  const QString full = QFileInfo(path).absoluteFilePath();
  if (!own_.contains(full)) own_ << full;
  workbench_.settings().setValue(ownKey, own_);
  wanted_ = full;
  load();
}

/// Which figures price which primitives and transformations.
void HardwareProfiles::tell() {
  Related::Pairs pairs;
  if (const KnownProfile* known = current(); known && known->profile) {
    const auto metric = [](const std::string& id) { return Entity{QStringLiteral("metric"), qs(id)}; };
    for (const PrimitiveRealization& r : known->profile->realizations) {
      const ProbedForm form = probedForms().value(qs(r.primitive) + '.' + qs(r.form));
      for (const std::string* figure : {&r.cost_figure, &r.drift_figure, &r.traffic_figure}) {
        if (figure->empty()) continue;
        for (const QString& id : form.primitives) pairs.push_back({{QStringLiteral("primitive"), id}, metric(*figure)});
        for (const QString& id : form.transformations)
          pairs.push_back({{QStringLiteral("transformation"), id}, metric(*figure)});
      }
    }
    for (const LegalityCost& c : known->profile->legality_costs)
      for (const std::string* figure : {&c.with, &c.without})
        if (!figure->empty())
          pairs.push_back({{QStringLiteral("transformation"), qs(c.transformation)}, metric(*figure)});
  }
  workbench_.related().tell(QStringLiteral("hardware"), std::move(pairs));
}

} // namespace aicf::views
