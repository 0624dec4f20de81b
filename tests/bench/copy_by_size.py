#!/usr/bin/env python3
"""A copy kernel by size, timed by `aicf bench copy` and, right after it on the same device, through PyTorch's events:
the same kernel (through CuPy, or what compiles kernels in PyTorch) and torch's own copy_. Launches between two events: as many
in either. One: L2 is filled with other data before it. Several cold ones (where one takes less than 100 us): on pairs of buffers
in turn, so many that twice the L2 goes by between two uses of one. Prints a table, and writes both as JSON.

    python3 tests/bench/copy_by_size.py build/release/bin/aicf tests/bench/results [--from MIB] [--to MIB]
"""
import argparse
import datetime
import itertools
import json
import pathlib
import subprocess
import sys

import torch


def quartiles(values):
    values = sorted(values)

    def at(q):
        place = q * (len(values) - 1)
        low = int(place)
        high = min(low + 1, len(values) - 1)
        return values[low] + (place - low) * (values[high] - values[low])

    return at(0.5), at(0.25), at(0.75)


def timed(run, cold, repetitions, batch=1):
    """Microseconds a launch: median and quartiles. run(turn) launches; turns of a cold batch lie apart."""
    turn = itertools.count()
    sweep = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for _ in range(5):
        run(next(turn))
    torch.cuda.synchronize()
    times = []
    for _ in range(repetitions):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        for _ in range(2 + batch // 2):
            sweep.fill_(1)  # keeps the device busy until the launches below are queued
        if batch > 1:
            sweep.fill_(2)
            for _ in range(3):
                run(next(turn) if cold else 0)
        start.record()
        for _ in range(batch):
            run(next(turn) if cold else 0)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / batch)
    median, low, high = quartiles(times)
    return {"time_us": median, "q1": low, "q3": high, "spread": (high - low) / median, "samples": len(times)}


def launcher(kernel):
    """The kernel of `aicf bench copy` for PyTorch's stream: launch(source, target, n); None where nothing compiles it."""
    grid_of = lambda n: -(-n // (4 * kernel["block"] * kernel["vectors"]))
    try:
        import cupy

        function = cupy.RawKernel(kernel["source"], kernel["entry"], backend="nvrtc", options=("-std=c++17",))

        def launch(source, target, n):
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                function((grid_of(n),), (kernel["block"],), (cupy.asarray(source), cupy.asarray(target), n))

        return launch
    except ImportError:
        pass
    try:  # PyTorch passes whole numbers as int
        function = torch.cuda._compile_kernel(kernel["source"].replace("long long n)", "int n)"), kernel["entry"])
    except (AttributeError, RuntimeError) as e:
        print("the same kernel is not launched through PyTorch:", e, file=sys.stderr)
        return None
    return lambda source, target, n: function((grid_of(n), 1, 1), (kernel["block"], 1, 1), (source, target, n))


def through_torch(kernel, ours, l2_bytes):
    """The rows of `aicf bench copy` again: as many launches between two events, cold where its are."""
    launch = launcher(kernel)
    rows = []
    for one in ours:
        size, batch, cold = one["bytes"], one["launches"], one["cold"]
        n = size // 4
        pairs = 1 + -(-2 * l2_bytes // (2 * size)) if cold and batch > 1 else 1
        source = torch.randint(-(2**31), 2**31 - 1, (n,), dtype=torch.int32, device="cuda")
        turns = [(source if i == 0 else source.clone(), torch.empty_like(source)) for i in range(pairs)]
        row = {"bytes": size, "launches": batch, "pairs": pairs}
        row["copy_"] = timed(lambda turn: turns[turn % pairs][1].copy_(turns[turn % pairs][0]), cold, 61, batch)
        if launch is not None:
            for _, target in turns:
                target.zero_()
            row["kernel"] = timed(lambda turn: launch(*turns[turn % pairs], n), cold, 61, batch)
            row["kernel"]["right"] = all(bool(torch.equal(source, target)) for _, target in turns)
        rows.append(row)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aicf")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--from", dest="least", type=int, default=0)
    parser.add_argument("--to", dest="most", type=int, default=4096)
    o = parser.parse_args()
    command = [o.aicf, "bench", "copy", "--json", "--from", str(o.least), "--to", str(o.most)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}: {ran.stderr}")
    ours = json.loads(ran.stdout)["copy"]
    l2_bytes = ours["device"]["l2_bytes"]
    torch_rows = through_torch(ours["kernel"], ours["rows"], l2_bytes)
    torch_launch = through_torch(ours["kernel"], [ours["launch_us"]], l2_bytes)[0]
    document = {
        "schema": "aicf.copy/1",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "torch": torch.__version__,
        "aicf": ours,
        "pytorch": torch_rows,
        "pytorch_launch": torch_launch,
    }
    o.out.mkdir(parents=True, exist_ok=True)
    name = torch.cuda.get_device_name().lower().replace(" ", "-")
    path = o.out / f"{name}-{document['date'][:10]}-copy.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    print(f"{'KiB':>9} {'launches':>9} {'aicf us':>10} {'spread':>8} {'GB/s':>7} {'PyTorch events, same kernel':>28} {'spread':>8} "
          f"{'copy_ us':>10} {'spread':>8}")
    missing = {"time_us": float("nan"), "spread": float("nan")}
    for a, b in zip(ours["rows"], torch_rows):
        same, copy = b.get("kernel", missing), b["copy_"]
        print(f"{a['bytes'] >> 10:>9} {('cold x' if a['cold'] else 'hot x') + str(a['launches']):>9} {a['time_us']:>10.3f} "
              f"{100 * a['spread']:>7.2f}% {a['gb_per_s']:>7.0f} {same['time_us']:>28.3f} {100 * same['spread']:>7.2f}% "
              f"{copy['time_us']:>10.3f} {100 * copy['spread']:>7.2f}%")
    print(f"a launch of one block in a batch: aicf {ours['launch_us']['time_us']:.3f} us, "
          f"PyTorch {torch_launch.get('kernel', missing)['time_us']:.3f} us")
    wide = [r["bytes"] >> 20 for r in ours["rows"] if r["bytes"] >= 64 << 20 and r["spread"] >= 0.02]
    print("spread under 2 % from 64 MiB on" if not wide else f"spread of 2 % or more at {wide} MiB")
    print(path)


main()
