"""PyTorch, eager and compiled, on the rows that `aicf bench device` times: bf16, random data, cold L2, CUDA events, median of 41.

    python3 tests/bench/peers.py 8192 4096 > peers.json
"""
import json
import statistics
import sys

import torch


def cold_us(function, flush, repetitions=41):
    for _ in range(5):
        function()
    times = []
    for _ in range(repetitions):
        flush.fill_(0)
        torch.cuda._sleep(200000)  # the host has queued everything before the device gets there
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times)


def main():
    rows, columns = int(sys.argv[1]), int(sys.argv[2])
    torch.manual_seed(1)
    x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16)
    gamma = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
    y = torch.empty_like(x)
    flush = torch.empty(2 * 62914560 // 4, device="cuda", dtype=torch.int32)
    cases = {
        "softmax": lambda: torch.softmax(x, -1),
        "rmsnorm": lambda: torch.nn.functional.rms_norm(x, (columns,), gamma, 1e-6),
        "layernorm": lambda: torch.nn.functional.layer_norm(x, (columns,), gamma, gamma, 1e-5),
        "logsumexp": lambda: torch.logsumexp(x, -1),
    }
    result = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "rows": rows, "columns": columns,
              "copy_us": cold_us(lambda: y.copy_(x), flush), "eager_us": {}, "compiled_us": {}}
    for name, case in cases.items():
        result["eager_us"][name] = cold_us(case, flush)
        result["compiled_us"][name] = cold_us(torch.compile(case), flush)
    json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
