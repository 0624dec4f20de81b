// A machine without CUDA: everything that needs it says so, and what to install.
#include "core/exec/cuda/cuda_backend.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/cuda/driver.hpp"
#include "core/exec/cuda/selftest.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/shared_library.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

using namespace aicf;

class TestCudaAbsent : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { qputenv("AICF_CUDA", "none"); }

  void noLibraryIsLookedFor() {
    QVERIFY(cuda_disabled());
    QVERIFY(cuda_library_dirs().empty());
  }

  void compileSaysWhatIsMissing() {
    KernelModule m;
    m.entry = "k";
    m.arch = "sm_90";
    m.cuda_source = "extern \"C\" __global__ void k() {}";
    auto result = compile(m);
    QVERIFY(!result);
    QVERIFY(result.missing);
    QVERIFY(result.missing->how_to_get.find("AICF_CUDA") != std::string::npos);
    QVERIFY(!nvrtc_info());
  }

  void theDriverSaysWhatIsMissing() {
    auto driver = cuda::driver();
    QVERIFY(!driver && driver.missing && driver.diagnostics.empty());
    QVERIFY(!cuda::devices() && cuda::devices().missing);
    auto backend = make_cuda();
    QVERIFY(!backend && backend.missing && !backend.missing->how_to_get.empty());
    auto checks = cuda::device_selftest();
    QVERIFY(!checks && checks.missing);
  }

  void absentAndForeignLibraries() {
    std::vector<std::string> names{"libaicf-no-such-library.so"};
    QVERIFY(!SharedLibrary::open({}, names));
    QTemporaryDir folder; // a file of that name that is no library
    QFile file(folder.filePath("libaicf-no-such-library.so"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not ELF") > 0);
    file.close();
    std::vector<std::filesystem::path> folders{folder.path().toStdString()};
    QVERIFY(!SharedLibrary::open(folders, names));
  }

  void missingSymbolsAreNamed() {
    std::vector<std::string> names{"libm.so.6"};
    auto library = SharedLibrary::open({}, names);
    QVERIFY(library);
    double (*cosine)(double) = nullptr;
    int (*nothing)() = nullptr;
    QVERIFY(library->bind(cosine, "cos"));
    QCOMPARE(cosine(0.0), 1.0);
    QVERIFY(!library->bind(nothing, "aicf_no_such_symbol"));
    QCOMPARE(library->missing(), std::vector<std::string>{"aicf_no_such_symbol"});
  }
};

QTEST_GUILESS_MAIN(TestCudaAbsent)
#include "test_cuda_absent.moc"
