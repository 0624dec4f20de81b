// NVRTC through the loader: PTX, cubin, resources, places of errors, cache. Skips, loudly, where NVRTC is absent.
#include "core/exec/nvrtc.hpp"
#include "core/exec/nvrtc_log.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace aicf;
namespace fs = std::filesystem;

namespace {

KernelModule module_of(std::string source, std::string entry = "k") {
  KernelModule m;
  m.entry = std::move(entry);
  m.cuda_source = std::move(source);
  m.arch = "sm_90";
  return m;
}

const char* const reversing = R"(extern "C" __global__ void k(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[63 - threadIdx.x];
}
)";

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out.push_back(entry.path());
  return out;
}

} // namespace

class TestNvrtc : public QObject {
  Q_OBJECT
  QTemporaryDir cache;
  [[nodiscard]] fs::path folder() const { return cache.path().toStdString(); }

 private slots:
  void initTestCase() {
    QVERIFY(cache.isValid());
    qputenv("AICF_CACHE_DIR", cache.path().toUtf8());
    if (auto info = nvrtc_info(); !info)
      QSKIP(info.missing ? info.missing->how_to_get.c_str() : "NVRTC does not answer");
  }

  void versionAndArchitectures() {
    auto info = nvrtc_info();
    QVERIFY(info);
    QVERIFY(info->major >= 12);
    QVERIFY(fs::exists(info->path));
    QVERIFY(std::find(info->architectures.begin(), info->architectures.end(), 90) != info->architectures.end());
  }

  void compilesToPtxAndCubin() {
    auto compiled = compile(module_of(reversing), {.cache = false});
    QVERIFY(compiled);
    QVERIFY(compiled->ptx.find(".visible .entry k(") != std::string::npos);
    QVERIFY(compiled->ptx.find(".loc") != std::string::npos); // line information
    QVERIFY(compiled->ptx.find(fs::current_path().string()) == std::string::npos);
    QVERIFY(compiled->cubin.size() > 64);
    QCOMPARE(static_cast<char>(compiled->cubin[1]), 'E'); // an ELF file
    QCOMPARE(compiled->shared_bytes, 256);                // 64 floats
    QVERIFY(compiled->registers > 0 && compiled->registers <= 255);
    QCOMPARE(compiled->spill_bytes, 0);
  }

  void spillsAreCounted() {
    // 64 values live across a barrier in at most 16 registers cannot stay in registers.
    std::string source = R"(extern "C" __global__ void __launch_bounds__(1024, 2) k(float* x) {
  float a[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) a[i] = x[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) x[(63 - i) * 1024 + threadIdx.x] = a[i] * a[(i * 7 + 3) % 64];
})";
    auto compiled = compile(module_of(source), {.cache = false});
    QVERIFY(compiled);
    QVERIFY(compiled->registers <= 32); // 65536 registers over 2048 threads
    QVERIFY(compiled->spill_bytes > 0);
  }

  void equalInputsGiveEqualOutputs() {
    auto a = compile(module_of(reversing), {.cache = false}), b = compile(module_of(reversing), {.cache = false});
    QVERIFY(a && b);
    QVERIFY(a->ptx == b->ptx);
    QVERIFY(a->log == b->log);
  }

  void headersOfTheToolkit() {
    auto compiled =
        compile(module_of("#include <cuda_bf16.h>\nextern \"C\" __global__ void k(__nv_bfloat16* x) { x[0] = "
                          "__float2bfloat16(1.0f); }\n"));
    QVERIFY(compiled);
  }

  void errorsArePlacedInTheSource() {
    auto result =
        compile(module_of("extern \"C\" __global__ void k(float* x) {\n  int unused = 3;\n  x[0] = y;\n  foo();\n}\n"));
    QVERIFY(!result);
    QVERIFY(!result.missing);
    std::vector<int> lines;
    for (const Diagnostic& d : result.diagnostics) {
      if (d.severity != Diagnostic::Severity::error) continue;
      QCOMPARE(d.code, std::string("nvrtc.source"));
      QCOMPARE(d.at.file, std::string("k.cu"));
      lines.push_back(d.at.line);
    }
    QCOMPARE(lines, (std::vector<int>{3, 4}));
    QCOMPARE(result.diagnostics[0].at.column, 10); // the y of "  x[0] = y;"
  }

  void warningsAccompanyAValueAlsoFromTheCache() {
    KernelModule m = module_of("extern \"C\" __global__ void k(float* x) {\n  int unused = 3;\n  x[0] = 1;\n}\n");
    for (int pass = 0; pass < 2; ++pass) {
      auto result = compile(m);
      QVERIFY(result);
      QCOMPARE(result.diagnostics.size(), std::size_t{1});
      QCOMPARE(result.diagnostics[0].severity, Diagnostic::Severity::warning);
      QCOMPARE(result.diagnostics[0].at.line, 2);
    }
  }

  void assemblerErrors() {
    auto result = compile(module_of("extern \"C\" __global__ void k() {\n asm(\"bad.instr;\");\n}\n"));
    QVERIFY(!result);
    QVERIFY(has_errors(result.diagnostics));
    QCOMPARE(result.diagnostics[0].code, std::string("nvrtc.ptxas"));
  }

  void wrongArchitectureAndEntry() {
    KernelModule m = module_of(reversing);
    m.arch = "sm_12";
    auto wrong = compile(m);
    QVERIFY(!wrong);
    QCOMPARE(wrong.diagnostics[0].code, std::string("nvrtc.option"));
    auto mangled = compile(module_of("__global__ void k(float* x) { x[0] = 1; }"));
    QVERIFY(!mangled);
    QCOMPARE(mangled.diagnostics[0].code, std::string("nvrtc.no-entry"));
  }

  void cacheIsKeyedByAllThatDecides() {
    KernelModule m = module_of(std::string("// one of its own\n") + reversing);
    std::size_t before = files_below(folder()).size();
    QVERIFY(compile(m, {.cache = false}));
    QCOMPARE(files_below(folder()).size(), before);
    QVERIFY(compile(m));
    QVERIFY(compile(m));
    QCOMPARE(files_below(folder()).size(), before + 1);
    m.options = {"--fmad=false"};
    QVERIFY(compile(m));
    m.arch = "sm_80";
    QVERIFY(compile(m));
    QCOMPARE(files_below(folder()).size(), before + 3);
  }

  void diskCacheServesOtherProcessesAndMistrustsDamage() {
    KernelModule m = module_of(std::string("// of another process\n") + reversing);
    auto before = files_below(folder());
    pid_t child = fork(); // so that nothing is in this process's memory yet
    if (child == 0) _exit(compile(m) ? 0 : 1);
    int status = -1;
    QCOMPARE(waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
    fs::path made;
    for (const fs::path& file : files_below(folder()))
      if (std::find(before.begin(), before.end(), file) == before.end()) made = file;
    QVERIFY(!made.empty());
    const auto whole = fs::file_size(made);
    for (auto size : {whole, whole / 2, std::uintmax_t{0}}) {
      fs::resize_file(made, size);
      child = fork();
      if (child == 0) {
        auto old = fs::last_write_time(made);
        auto compiled = compile(m);
        bool rewritten = fs::last_write_time(made) != old;
        _exit(compiled && compiled->shared_bytes == 256 && !compiled->cubin.empty() ? (rewritten ? 2 : 0) : 1);
      }
      QCOMPARE(waitpid(child, &status, 0), child);
      // Whole: taken from disk. Damaged: compiled again and mended.
      QCOMPARE(WEXITSTATUS(status), size == whole ? 0 : 2);
      QCOMPARE(fs::file_size(made), whole);
    }
  }

  void threadsCompileAtTheSameTime() {
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 6; ++i) { // three sources, each by all threads
          auto compiled = compile(module_of("// threads " + std::to_string((i + t) % 3) + "\n" + reversing));
          good += compiled && compiled->shared_bytes == 256 ? 1 : 0;
        }
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(good.load(), 24);
  }

  void logOfSeveralKernels() {
    // The form is ptxas's (CUDA 13.0); the numbers are made up.
    const char* log = "ptxas info    : Compiling entry function 'other' for 'sm_90'\n"
                      "ptxas         .     0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
                      "ptxas info    : Used 77 registers, used 0 barriers\n"
                      "ptxas info    : Compile time = 16.019 ms\n"
                      "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                      "ptxas         .     0 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
                      "ptxas info    : Used 10 registers, used 1 barriers, 256 bytes smem\n";
    Compiled c;
    QVERIFY(read_resources(log, "k", c));
    QCOMPARE(c.registers, 10);
    QCOMPARE(c.shared_bytes, 256);
    QCOMPARE(c.spill_bytes, 32);
    QVERIFY(!read_resources(log, "absent", c));
    QVERIFY(without_times(log).find("Compile time") == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestNvrtc)
#include "test_nvrtc.moc"
