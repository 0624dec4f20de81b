// Occupancy against published values, and against NVIDIA's own cuda_occupancy.h where a toolkit is installed.
#include "core/exec/occupancy.hpp"

#include <QtTest>

#if __has_include("/usr/local/cuda/include/cuda_occupancy.h")
#include "/usr/local/cuda/include/cuda_occupancy.h"
#define AICF_HAS_CALCULATOR 1
#endif

using namespace aicf;

class TestOccupancy : public QObject {
  Q_OBJECT

 private slots:
  void knownCases() { // worked from the programming guide's table
    auto sm = sm_limits("sm_90");
    QVERIFY(sm);
    // 32 registers x 2048 threads are the register file: everything fits.
    QCOMPARE(occupancy(*sm, 32, 0, 256).blocks, 8);
    QVERIFY(occupancy(*sm, 32, 0, 256).fraction == 1);
    // 33 registers take the space of 40: 65536 / (40 * 32) = 51.2 warps, 48 in whole partitions.
    QCOMPARE(occupancy(*sm, 33, 0, 256).blocks, 6);
    QCOMPARE(occupancy(*sm, 33, 0, 256).limiter, std::string("registers"));
    // 100 KiB and the system's 1 KiB go twice into 228 KiB.
    QCOMPARE(occupancy(*sm, 32, 100 * 1024, 256).blocks, 2);
    QCOMPARE(occupancy(*sm, 32, 100 * 1024, 256).limiter, std::string("shared"));
    QCOMPARE(occupancy(*sm, 16, 0, 32).blocks, 32);
    QCOMPARE(occupancy(*sm, 16, 0, 32).limiter, std::string("blocks"));
    QCOMPARE(occupancy(*sm, 16, 0, 1024).limiter, std::string("threads"));
    QCOMPARE(occupancy(*sm, 255, 0, 1024).blocks, 0); // 255 K registers
    QCOMPARE(occupancy(*sm, 256, 0, 32).blocks, 0);
    QCOMPARE(occupancy(*sm, 32, 227 * 1024 + 1, 32).limiter, std::string("shared"));
    QCOMPARE(occupancy(*sm, 32, 0, 1025).blocks, 0);
    QCOMPARE(occupancy(*sm, 32, 0, 0).blocks, 0);
  }

  void architectures() {
    for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120"})
      QVERIFY(sm_limits(arch));
    for (const char* arch : {"sm_75", "90", "", "sm_", "sm_9"})
      QCOMPARE(sm_limits(arch).diagnostics.at(0).code, std::string("exec.arch"));
  }

  void asNvidiasCalculator() {
#ifdef AICF_HAS_CALCULATOR
    int compared = 0;
    for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
      const SmLimits sm = *sm_limits(arch);
      cudaOccDeviceProp device{};
      device.computeMajor = sm.arch / 10;
      device.computeMinor = sm.arch % 10;
      device.maxThreadsPerBlock = 1024;
      device.maxThreadsPerMultiprocessor = sm.threads;
      device.regsPerBlock = device.regsPerMultiprocessor = sm.registers;
      device.warpSize = 32;
      device.sharedMemPerBlock = 48 * 1024;
      device.sharedMemPerMultiprocessor = static_cast<std::size_t>(sm.shared_bytes);
      device.numSms = 100;
      device.sharedMemPerBlockOptin = static_cast<std::size_t>(sm.block_shared_bytes);
      device.reservedSharedMemPerBlock = 1024;
      for (int threads : {1, 32, 33, 64, 96, 128, 160, 224, 256, 288, 384, 512, 544, 640, 768, 1000, 1024})
        for (int registers = 1; registers <= 255; registers += 3)
          for (int shared :
               {0, 1, 1000, 8192, 16384, 20000, 33000, 49152, 70000, 98000, 101376, 120000, 166912, 200000, 232448}) {
            if (shared > sm.block_shared_bytes) continue;
            cudaOccFuncAttributes kernel{};
            kernel.maxThreadsPerBlock = 1024;
            kernel.numRegs = registers;
            kernel.sharedSizeBytes = 0;
            kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
            kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(shared);
            cudaOccDeviceState state{};
            state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
            cudaOccResult result{};
            QCOMPARE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads,
                                                             static_cast<std::size_t>(shared)),
                     CUDA_OCC_SUCCESS);
            const int ours = occupancy(sm, registers, shared, threads).blocks;
            if (ours != result.activeBlocksPerMultiprocessor)
              QFAIL(qPrintable(QString("%1, %2 threads, %3 registers, %4 shared: %5, NVIDIA's %6")
                                   .arg(arch)
                                   .arg(threads)
                                   .arg(registers)
                                   .arg(shared)
                                   .arg(ours)
                                   .arg(result.activeBlocksPerMultiprocessor)));
            ++compared;
          }
    }
    qInfo("%d cases compared", compared);
#else
    QSKIP("SKIP: no CUDA toolkit in /usr/local/cuda, so no cuda_occupancy.h to compare with");
#endif
  }
};

QTEST_GUILESS_MAIN(TestOccupancy)
#include "test_occupancy.moc"
