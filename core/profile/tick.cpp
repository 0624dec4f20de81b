#include "core/profile/tick.hpp"

#include "core/profile/fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace aicf {

Result<CompilerProfile> with_tick(const CompilerProfile& profile, std::string_view tick) {
  std::size_t equals = tick.find('=');
  auto wrong = [&](const std::string& why) { return error("profile.tick", "\"" + std::string(tick) + "\": " + why); };
  if (equals == std::string_view::npos || equals == 0)
    return wrong("a tick is written `path=value`, `path+=element` or `path-=element`");
  char sign = tick[equals - 1];
  bool element = sign == '-' || sign == '+';
  std::string path(tick.substr(0, element ? equals - 1 : equals)), value(tick.substr(equals + 1));
  auto field = std::find_if(profile_fields().begin(), profile_fields().end(),
                            [&](const ProfileField& f) { return f.path == path; });
  if (field == profile_fields().end()) return wrong("no such setting");
  if (!element) { // the text form reads it; what stood before is overwritten
    auto one = profile_from_text(path + " = " + value, "tick");
    if (!one) return one;
    CompilerProfile changed = profile;
    field->set(changed, field->get(*one));
    return changed;
  }
  if (field->type != ProfileField::Type::texts) return wrong("it is not a list of words");
  nlohmann::json list = field->get(profile);
  auto at = std::find(list.begin(), list.end(), value);
  if (sign == '-' && at != list.end()) list.erase(at);
  if (sign == '+' && at == list.end()) list.push_back(value);
  if (std::string why = problem(*field, list); !why.empty()) return wrong(why);
  CompilerProfile changed = profile;
  field->set(changed, list);
  return changed;
}

} // namespace aicf
