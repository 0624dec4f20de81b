#include "synth/workers/protocol.hpp"

#include <algorithm>

namespace aicf {
namespace {

using nlohmann::json;
constexpr int deepest_message = 64;

/// Of brackets outside strings: nothing of ours is deep, and printing a document recurses over it.
int depth(const std::string& line) {
  int deepest = 0, open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '"')
      quoted = !quoted;
    else if (quoted && c == '\\')
      ++i;
    else if (!quoted && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++open);
    else if (!quoted && (c == ']' || c == '}'))
      --open;
  }
  return deepest;
}

std::string text_of(const json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? plain_text(it->get<std::string>()) : std::string();
}

int number_of(const json& object, const char* key) {
  auto it = object.find(key);
  if (it == object.end() || !it->is_number_integer()) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(it->get<std::int64_t>(), 0, 1 << 30));
}

} // namespace

std::string worker_line(std::string_view method, json params) {
  return json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump(
             -1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

std::optional<WorkerMessage> worker_message(const std::string& line, std::string& why) {
  if (depth(line) > deepest_message) {
    why = "a message nested deeper than " + std::to_string(deepest_message) + " levels";
    return std::nullopt;
  }
  json message = json::parse(line, nullptr, false);
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string()) {
    why = "not a JSON-RPC request: " + plain_text(line.substr(0, 200));
    return std::nullopt;
  }
  json params = message.contains("params") ? std::move(message["params"]) : json::object();
  if (!params.is_object()) {
    why = "params are not an object";
    return std::nullopt;
  }
  return WorkerMessage{message["method"].get<std::string>(), std::move(params)};
}

std::vector<std::string> LineBuffer::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (!dropping_ && line_.size() + part.size() > longest_) {
      dropping_ = true;
      ++dropped_;
      std::string().swap(line_);
    }
    if (!dropping_) line_.append(part);
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (line_.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(std::move(line_));
    line_.clear();
    dropping_ = false;
  }
  return lines;
}

std::vector<Diagnostic> diagnostics_from(const json& list) {
  std::vector<Diagnostic> out;
  if (!list.is_array()) return out;
  for (const json& item : list) {
    if (!item.is_object()) continue;
    Diagnostic d;
    const std::string severity = text_of(item, "severity");
    d.severity = severity == "warning" ? Diagnostic::Severity::warning
                 : severity == "note"  ? Diagnostic::Severity::note
                                       : Diagnostic::Severity::error;
    d.code = text_of(item, "code");
    d.message = text_of(item, "message");
    d.hint = text_of(item, "hint");
    d.at = {text_of(item, "file"), number_of(item, "line"), number_of(item, "column"), number_of(item, "length")};
    out.push_back(std::move(d));
  }
  return out;
}

std::string plain_text(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) text[i] = '?';
    if (c == 0xc2 && next >= 0x80 && next <= 0x9f) text[i] = text[i + 1] = '?'; // the C1 controls, in UTF-8
  }
  return text;
}

} // namespace aicf
