"""Generated kernels beside PyTorch, eager and compiled, and beside a copy: one run on one device, one file of results.

    python3 tests/bench/table.py build/release/bin/aicf tests/bench/cases.json tests/bench/results [aicf's options]

bf16, random data, cold L2 (the cache is overwritten before each launch), CUDA events behind a delay so that host time
stays out, median of 41. Writes RESULTS/DEVICE-DATE-table.json and prints the table in Markdown.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

REPETITIONS = 41


def peers(sizes):
    """The same work as each operator, as PyTorch's users write it. Inputs are made on the device."""
    m, n = sizes["M"], sizes["N"]
    x = torch.randn(m, n, device="cuda", dtype=torch.bfloat16)
    gamma = torch.randn(n, device="cuda", dtype=torch.bfloat16)
    target = torch.randint(0, n, (m,), device="cuda")

    def add_rmsnorm(residual):
        s = x + residual
        return F.rms_norm(s, (n,), gamma, 1e-6), s

    return {
        "softmax": lambda: (lambda: torch.softmax(x, -1)),
        "layernorm": lambda: (lambda: F.layer_norm(x, (n,), gamma, gamma, 1e-5)),
        "rmsnorm": lambda: (lambda: F.rms_norm(x, (n,), gamma, 1e-6)),
        "add_rmsnorm": lambda: (lambda r=torch.randn_like(x): add_rmsnorm(r)),
        "cross_entropy": lambda: (lambda: F.cross_entropy(x, target, reduction="none")),
        "logsumexp": lambda: (lambda: torch.logsumexp(x, -1)),
        "bias_gelu": lambda: (lambda: F.gelu(x + gamma)),
        "sum": lambda: (lambda: torch.sum(x, -1)),
        "column_sum": lambda: (lambda: torch.sum(x, 0)),
        "mean_variance": lambda: (lambda: torch.var_mean(x, -1, correction=0)),
    }


def cold_us(function, flush):
    for _ in range(5):
        function()
    times = []
    for _ in range(REPETITIONS):
        torch.cuda._sleep(200000)  # the host has queued everything before the device gets there
        flush.fill_(0)  # right before the run, as ours are timed: what it leaves to be written back counts for all alike
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return statistics.median(times)


def peer_times(case, flush):
    sizes = {k: int(v) for k, v in (part.split("=") for part in case["shape"].split(","))}
    name = pathlib.Path(case["op"]).stem
    torch._dynamo.reset()
    function = peers(sizes)[name]()
    row = {"op": name, "shape": case["shape"]}
    for kind, made in (("eager_us", function), ("compiled_us", torch.compile(function))):
        try:
            row[kind] = cold_us(made, flush)
        except torch.cuda.OutOfMemoryError as e:
            row[kind], row[kind + "_why"] = None, str(e).split(".")[0]
    x = torch.randn(sizes["M"], sizes["N"], device="cuda", dtype=torch.bfloat16)
    row["torch_copy_us"] = cold_us(lambda y=torch.empty_like(x): y.copy_(x), flush)
    return row


def main():
    aicf, cases_file, results = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([aicf, "bench", "device", "--cases", str(cases_file), "--out", out.name, *sys.argv[4:]], check=True)
        document = json.load(open(out.name))
    torch.manual_seed(1)
    flush = torch.empty(5 * 62914560 // 8, device="cuda", dtype=torch.int32)
    cases = json.loads(cases_file.read_text())
    document["peers"] = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "rows": []}
    device = re.sub(r"[^a-z0-9]+", "-", torch.cuda.get_device_name().lower()).strip("-")
    results.mkdir(parents=True, exist_ok=True)
    for row in document["device"]["ops"]:  # every plan that was timed, a line each
        row.pop("validation", None)
        for v in row.get("variants", []):
            v["plan"] = v["plan"]["choices"]
            v["time_us"] = v["time_us"]["value"]
    path = results / f"{device}-{document['date'][:10]}-table.json"
    for case in cases:  # what is finished stays, whatever comes
        document["peers"]["rows"].append(peer_times(case, flush))
        torch.cuda.empty_cache()
        path.write_text(json.dumps(document, indent=0) + "\n")

    print("| | shape | generated | copy of the same bytes | eager | compiled | correct |\n|---|---|---:|---:|---:|---:|---|")
    for ours, theirs in zip(document["device"]["ops"], document["peers"]["rows"]):
        if "error" in ours:
            print(f"| {theirs['op']} | {theirs['shape']} | {ours['error']} |")
            continue
        peers_us = [f"{theirs[k]:.1f}" if theirs[k] else "-" for k in ("eager_us", "compiled_us")]
        print(f"| {theirs['op']} | {ours['shape']} | {ours['best']['time_us']['value']:.1f} |"
              f" {ours['copy']['time_us']['value']:.1f} | {peers_us[0]} | {peers_us[1]} | {ours['correct']} |")
    print(path)


if __name__ == "__main__":
    main()
