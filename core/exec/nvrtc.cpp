#include "core/exec/nvrtc.hpp"

#include "core/exec/compile_cache.hpp"
#include "core/exec/nvrtc_api.hpp"
#include "core/exec/nvrtc_log.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>

namespace aicf {
namespace {

/// NVRTC asks the loader for its builtins by their bare name, which finds nothing beside an unpacked wheel, and then
/// compiles nothing: loaded beforehand from NVRTC's own folder, they are found.
void load_builtins(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with("libnvrtc-builtins.so")) (void)SharedLibrary::open({&folder, 1}, {&name, 1}, false);
  }
}

std::optional<NvrtcApi> load() {
  if (cuda_disabled()) return std::nullopt;
  static const std::array<std::string, 3> names{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
  auto library = SharedLibrary::open(cuda_library_dirs(), names);
  if (!library) return std::nullopt;
  load_builtins(library->path().parent_path());
  NvrtcApi api{.library = *library};
  SharedLibrary& l = api.library;
  bool whole = l.bind(api.error_string, "nvrtcGetErrorString");
  whole = l.bind(api.version, "nvrtcVersion") && whole;
  whole = l.bind(api.num_supported_archs, "nvrtcGetNumSupportedArchs") && whole;
  whole = l.bind(api.supported_archs, "nvrtcGetSupportedArchs") && whole;
  whole = l.bind(api.create_program, "nvrtcCreateProgram") && whole;
  whole = l.bind(api.destroy_program, "nvrtcDestroyProgram") && whole;
  whole = l.bind(api.compile_program, "nvrtcCompileProgram") && whole;
  whole = l.bind(api.ptx_size, "nvrtcGetPTXSize") && whole;
  whole = l.bind(api.ptx, "nvrtcGetPTX") && whole;
  whole = l.bind(api.cubin_size, "nvrtcGetCUBINSize") && whole;
  whole = l.bind(api.cubin, "nvrtcGetCUBIN") && whole;
  whole = l.bind(api.log_size, "nvrtcGetProgramLogSize") && whole;
  whole = l.bind(api.log, "nvrtcGetProgramLog") && whole;
  if (!whole) return std::nullopt;
  return api;
}

Unavailable absent() {
  return {"NVRTC (the CUDA run-time compiler) was not found, so no kernel can be compiled",
          how_to_get_cuda_libraries()};
}

class Program {
 public:
  Program(const NvrtcApi& a, const std::string& source, const std::string& name) : api(a) {
    if (api.create_program(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr) != nvrtc_success)
      program = nullptr;
  }
  ~Program() {
    if (program != nullptr) api.destroy_program(&program);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] bool valid() const { return program != nullptr; }
  int compile(const std::vector<std::string>& options) {
    std::vector<const char*> list;
    list.reserve(options.size());
    for (const std::string& option : options) list.push_back(option.c_str());
    return api.compile_program(program, static_cast<int>(list.size()), list.data());
  }
  /// A text or binary that NVRTC hands out in two calls; empty when it has none.
  [[nodiscard]] std::string fetch(int (*size_of)(NvrtcProgram, std::size_t*), int (*get)(NvrtcProgram, char*)) const {
    std::size_t size = 0;
    if (size_of(program, &size) != nvrtc_success || size == 0) return {};
    std::string out(size, '\0');
    return get(program, out.data()) == nvrtc_success ? out : std::string();
  }
  /// The same without the final NUL that the size counts.
  [[nodiscard]] std::string fetch_text(int (*size_of)(NvrtcProgram, std::size_t*),
                                       int (*get)(NvrtcProgram, char*)) const {
    std::string out = fetch(size_of, get);
    while (!out.empty() && out.back() == '\0') out.pop_back();
    return out;
  }

 private:
  const NvrtcApi& api;
  NvrtcProgram program = nullptr;
};

std::vector<std::string> options_for(const KernelModule& module, const NvrtcApi& api) {
  std::vector<std::string> options{"--gpu-architecture=" + module.arch, "-lineinfo", "--ptxas-options=-v"};
  std::filesystem::path include = cuda_include_dir(api.library.path().parent_path());
  if (!include.empty()) options.push_back("--include-path=" + include.string());
  const std::filesystem::path cccl = include / "cccl"; // <cuda/barrier> and the like, since CUDA 13
  std::error_code ignored;
  if (!include.empty() && std::filesystem::is_directory(cccl, ignored))
    options.push_back("--include-path=" + cccl.string());
  options.insert(options.end(), module.options.begin(), module.options.end());
  return options;
}

Hash key_of(const KernelModule& module, const std::vector<std::string>& options, const NvrtcInfo& compiler) {
  std::error_code ignored;
  std::vector<std::string> parts{std::to_string(compiler.major) + "." + std::to_string(compiler.minor),
                                 // releases of one version differ in their builds
                                 std::to_string(std::filesystem::file_size(compiler.path, ignored)), module.entry,
                                 module.cuda_source};
  parts.insert(parts.end(), options.begin(), options.end());
  std::string text;
  for (const std::string& part : parts) text += std::to_string(part.size()) + ":" + part;
  return sha256(text);
}

/// The start of `.entry NAME` in PTX, as NVRTC writes it.
bool has_entry(const std::string& ptx, const std::string& entry) {
  return ptx.find(".entry " + entry + "(") != std::string::npos;
}

/// Why a compilation failed for want of memory, where it did. ptxas says so on standard error alone: a failure without
/// a word is taken for one where this process has a limit.
std::optional<std::string> out_of_memory(const NvrtcApi& api, int status, const std::string& log) {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  const bool limited = limit.rlim_cur != RLIM_INFINITY;
  const std::string within =
      limited ? "; this process may have " + std::to_string(limit.rlim_cur >> 20U) + " MiB" : std::string();
  if (status == nvrtc_out_of_memory || log.find("out of memory") != std::string::npos)
    return "NVRTC ran out of memory" + within;
  if (limited && log.empty())
    return std::string("NVRTC: ") + api.error_string(status) + ", and no word why: most likely out of memory" + within;
  return std::nullopt;
}

std::string file_name(const KernelModule& module) { return module.entry + ".cu"; }
/// An absolute name: for a relative one NVRTC writes the current folder into the PTX.
std::string program_name(const KernelModule& module) { return "/" + file_name(module); }

Result<Compiled> compile_now(const NvrtcApi& api, const KernelModule& module, const std::vector<std::string>& options) {
  const std::string shown = file_name(module), name = program_name(module);
  Program program(api, module.cuda_source, name);
  if (!program.valid()) return error("nvrtc.failed", "NVRTC could not create a program", {shown, 0, 0, 0});
  int status = program.compile(options);
  std::string log = program.fetch_text(api.log_size, api.log);
  std::vector<Diagnostic> said = diagnostics_of(log, name, shown);
  if (status != nvrtc_success) {
    if (auto why = out_of_memory(api, status, log))
      said.push_back(error("nvrtc.memory", *why, {shown, 0, 0, 0}));
    else if (!has_errors(said))
      said.push_back(error("nvrtc.failed",
                           std::string("NVRTC: ") + api.error_string(status) + (log.empty() ? "" : "\n") + log,
                           {shown, 0, 0, 0}));
    return said;
  }
  Compiled out;
  out.ptx = program.fetch_text(api.ptx_size, api.ptx);
  std::string cubin = program.fetch(api.cubin_size, api.cubin);
  const auto* bytes = reinterpret_cast<const std::byte*>(cubin.data()); // NOLINT: chars seen as bytes
  out.cubin.assign(bytes, bytes + cubin.size());
  out.log = without_times(log);
  if (!has_entry(out.ptx, module.entry))
    return error("nvrtc.no-entry", "the source has no kernel '" + module.entry + "'", {shown, 0, 0, 0},
                 "a kernel is found by its plain name: declare it extern \"C\" __global__ void " + module.entry);
  read_resources(log, module.entry, out);
  Result<Compiled> result(std::move(out));
  result.diagnostics = std::move(said);
  return result;
}

} // namespace

const NvrtcApi* nvrtc_api() {
  static const std::optional<NvrtcApi> api = load();
  return api ? &*api : nullptr;
}

Result<NvrtcInfo> nvrtc_info() {
  const NvrtcApi* api = nvrtc_api();
  if (api == nullptr) return absent();
  NvrtcInfo info;
  info.path = api->library.path();
  int count = 0;
  if (api->version(&info.major, &info.minor) != nvrtc_success || api->num_supported_archs(&count) != nvrtc_success)
    return error("nvrtc.failed", "NVRTC at " + info.path.string() + " does not answer");
  info.architectures.resize(static_cast<std::size_t>(std::max(count, 0)));
  if (api->supported_archs(info.architectures.data()) != nvrtc_success) info.architectures.clear();
  return info;
}

Result<Compiled> compile(const KernelModule& module, const CompileOptions& options) {
  const NvrtcApi* api = nvrtc_api();
  if (api == nullptr) return absent();
  std::vector<std::string> flags = options_for(module, *api);
  if (!options.cache) return compile_now(*api, module, flags);
  auto compiler = nvrtc_info();
  if (!compiler) return compiler.failure<Compiled>();
  Hash key = key_of(module, flags, *compiler);
  if (auto found = cached_compilation(key)) {
    Result<Compiled> result(std::move(*found));
    result.diagnostics = diagnostics_of(result->log, program_name(module), file_name(module)); // warnings again
    return result;
  }
  Result<Compiled> made = compile_now(*api, module, flags);
  if (made) keep_compilation(key, *made);
  return made;
}

} // namespace aicf
