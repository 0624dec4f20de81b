// The lines of aicf.worker/1 (DESIGN.md, section 14), for both ends: one JSON-RPC 2.0 object a line, UTF-8, at most
// 64 MiB, nested at most 64 deep. What arrives is taken for hostile: too long, too deep or no message is said, and
// never more.
#pragma once
#include "core/base/diagnostic.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aicf {

inline constexpr const char* worker_protocol = "aicf.worker/1";
inline constexpr std::size_t longest_worker_line = std::size_t{64} << 20U;

struct WorkerMessage {
  std::string method;
  nlohmann::json params; ///< an object
};

/// A whole line, its end included.
[[nodiscard]] std::string worker_line(std::string_view method, nlohmann::json params);
/// Nothing when it is no message; `why` then says what is wrong with it.
[[nodiscard]] std::optional<WorkerMessage> worker_message(const std::string& line, std::string& why);

/// Bytes as they come, whole lines as they are complete (without their ends; a line of blanks is none). A line that is
/// too long is dropped up to its end, and never held.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t longest = longest_worker_line) : longest_(longest) {}
  [[nodiscard]] std::vector<std::string> feed(std::string_view bytes);
  /// How many were dropped so far.
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

 private:
  std::size_t longest_, dropped_ = 0;
  std::string line_;
  bool dropping_ = false;
};

/// As to_json(Diagnostic) writes them; what is not of that form is left out. Texts from outside: see plain_text.
[[nodiscard]] std::vector<Diagnostic> diagnostics_from(const nlohmann::json& list);
/// Without control characters but line ends and tabs, so that a text from another machine moves no terminal's cursor.
[[nodiscard]] std::string plain_text(std::string text);

} // namespace aicf
