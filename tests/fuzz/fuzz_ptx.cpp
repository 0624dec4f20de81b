// libFuzzer: any bytes as PTX text, decoded and, where that succeeds, run with a small step limit. Nothing may crash,
// hang, or trip a sanitizer. Seeds: fuzz_seeds and tests/data/ptx. Three mutations of four act on words and lines of
// the text, so that more than one in a hundred inputs still is PTX; the rest are libFuzzer's own.
#include "core/exec/emulator/decode.hpp"
#include "core/exec/emulator/emulator.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

namespace {

void run(std::string_view text, std::string_view entry, std::size_t parameters, unsigned cluster) {
  aicf::Call call;
  call.module.entry = entry;
  call.compiled.ptx = text;
  call.module.launch.grid[0].text = "2";
  call.module.launch.block[0].text = "128";
  call.module.launch.cluster[0].text = std::to_string(cluster);
  call.module.launch.dynamic_shared.text = "1024";
  std::vector<std::byte> memory(4096);
  std::vector<aicf::Buffer> buffers(1);
  buffers[0].bytes = memory;
  for (std::size_t i = 0; i < parameters; ++i) {
    aicf::Arg arg;
    arg.name = "p" + std::to_string(i);
    arg.role = aicf::Arg::Role::inout;
    call.module.args.push_back(arg);
    call.buffers.push_back(0);
  }
  aicf::RunOptions options;
  options.counters = true;
  options.step_limit = 20'000;
  (void)aicf::make_emulator(1)->run({&call, 1}, buffers, options, {});
}

const char* const words[] = {".u8",
                             ".s16",
                             ".u32",
                             ".s32",
                             ".b64",
                             ".f16",
                             ".bf16x2",
                             ".f32",
                             ".f64",
                             ".e4m3",
                             ".tf32",
                             ".b128",
                             ".pred",
                             ".v2",
                             ".v4",
                             ".v8",
                             ".global",
                             ".shared",
                             ".local",
                             ".const",
                             ".param",
                             ".sync",
                             ".aligned",
                             ".async",
                             ".bulk",
                             ".mbarrier",
                             ".cluster",
                             ".acquire",
                             ".release",
                             ".relaxed",
                             ".volatile",
                             ".rn",
                             ".rz",
                             ".ftz",
                             ".sat",
                             ".wide",
                             ".hi",
                             ".lo",
                             ".cc",
                             "add",
                             "sub",
                             "mul",
                             "mad",
                             "fma",
                             "div",
                             "rem",
                             "shl",
                             "shr",
                             "setp.lt",
                             "selp",
                             "cvt",
                             "ld",
                             "st",
                             "atom.add",
                             "red.max",
                             "bar.sync",
                             "bra",
                             "call",
                             "ret",
                             "exit",
                             "mma",
                             "wgmma",
                             "ldmatrix",
                             "cp.async",
                             "mapa",
                             "elect",
                             "0",
                             "1",
                             "-1",
                             "31",
                             "32",
                             "0x7fffffff",
                             "0xffffffffffffffff",
                             "4294967296",
                             "0f7FC00000",
                             "0d7FF0000000000000",
                             "%tid.x",
                             "%ctaid.x",
                             "[",
                             "]",
                             "{",
                             "}",
                             "(",
                             ")",
                             ";",
                             ",",
                             "@",
                             "!",
                             "|",
                             ":",
                             "L:",
                             "_"};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }

/// Begin and end of a word or a sign at or after a place of the text.
std::pair<std::size_t, std::size_t> word_at(const std::string& text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  std::size_t end = std::min(at + 1, text.size());
  while (end < text.size() && in_word(text[end]) && in_word(text[end - 1])) ++end;
  if (at < text.size() && text[at] == '.')
    while (end < text.size() && in_word(text[end])) ++end;
  return {at, end};
}

std::pair<std::size_t, std::size_t> line_at(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1, end = text.find('\n', at);
  return {begin, end == std::string::npos ? text.size() : end + 1};
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max, unsigned seed) {
  std::minstd_rand random(seed);
  if (size < 8 || random() % 4 == 0) return LLVMFuzzerMutate(data, size, max);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (unsigned n = random() % 3 + 1; n > 0 && !text.empty(); --n) {
    const auto place = [&] { return random() % text.size(); };
    switch (random() % 7) {
    case 0: { // a line goes
      const auto [b, e] = line_at(text, place());
      text.erase(b, e - b);
      break;
    }
    case 1: { // a line is repeated elsewhere
      const auto [b, e] = line_at(text, place());
      const std::string line = text.substr(b, e - b);
      text.insert(line_at(text, place()).first, line);
      break;
    }
    case 2: { // lines change places
      const auto [b, e] = line_at(text, place());
      const std::string line = text.substr(b, e - b);
      text.erase(b, e - b);
      if (!text.empty()) text.insert(line_at(text, place()).first, line);
      break;
    }
    case 3: { // a word becomes another of the text
      const auto [b, e] = word_at(text, place());
      const auto [from, to] = word_at(text, place());
      text.replace(b, e - b, text.substr(from, to - from));
      break;
    }
    case 4: { // or one that PTX knows
      const auto [b, e] = word_at(text, place());
      text.replace(b, e - b, words[random() % std::size(words)]);
      break;
    }
    case 5: text.insert(word_at(text, place()).first, words[random() % std::size(words)]); break;
    default: { // a number
      const auto [b, e] = word_at(text, place());
      if (b < text.size() && std::isdigit(static_cast<unsigned char>(text[b])) != 0)
        text.replace(b, e - b, std::to_string(random() % 3 == 0 ? std::uint64_t{random()} * random() : random() % 70));
    }
    }
  }
  size = std::min(text.size(), max);
  std::memcpy(data, text.data(), size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string_view entry = "k"; // whatever the first entry is called
  if (const auto at = text.find(".entry "); at != std::string_view::npos) {
    const auto from = at + 7, to = text.find_first_of(" (\n{", from);
    if (to != std::string_view::npos) entry = text.substr(from, to - from);
  }
  const auto program = aicf::emulator::decode(text, entry);
  if (!program) return 0;
  run(text, entry, program->parameters.size(), text.find("cluster") != std::string_view::npos ? 2 : 1);
  return 0;
}
