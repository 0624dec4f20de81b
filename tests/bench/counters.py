#!/usr/bin/env python3
"""The emulator's counters and CUPTI's beside Nsight Compute's, on the same kernels, the same data, one launch each.

    python3 tests/bench/counters.py build/release/bin/aicf tests/bench/results [--cases tests/bench/counters.json]

ncu runs with its own caches flushed and the clocks left alone (--cache-control all --clock-control none). Writes
RESULTS/DEVICE-DATE-counters.json: for each kernel each counter as the three give it, whether they are equal, and where
they are not, why. Prints the differences and the totals. Exit status 1 where a difference is not explained.
"""
import argparse
import csv
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
STORED = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"  # counted by instruction: the same in each run
BULK = "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"
WAVES = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
PIPE = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"

# What the emulator counts, and the sum of ncu's metrics that counts the same.
EMULATOR = {
    "warp_instructions": ["smsp__inst_executed.sum"],
    "thread_instructions": ["smsp__thread_inst_executed_pred_on.sum"],
    "global_load_requests": [L1.format("requests", "ld")],  # those of cp.async among them
    "global_load_sectors": [L1.format("sectors", "ld")],
    "global_store_requests": [L1.format("requests", "st")],
    "global_store_sectors": [STORED],
    "bulk_load_sectors": [BULK],
    "global_atomic_requests": [L1.format("requests", "atom"), L1.format("requests", "red")],
    "global_atomic_sectors": [L1.format("sectors", "atom"), L1.format("sectors", "red")],
    "shared_load_wavefronts": [WAVES.format("ld"), WAVES.format("ldsm")],
    "shared_store_wavefronts": [WAVES.format("st"), WAVES.format("stsm")],
    # What the pipe counts holds wavefronts that waited for another client of L1; what is counted by instruction does not.
    "shared_bank_conflicts": [CONFLICTS.format("ld"), CONFLICTS.format("st"), "-" + PIPE.format("ld"),
                              "-" + PIPE.format("st"), WAVES.format("ld"), WAVES.format("ldsm"), WAVES.format("st"),
                              WAVES.format("stsm")],
}
# What CUPTI gives under the id on the left must be what ncu gives, to the share on the right.
CUPTI = {
    "sass_warp_instructions": (["smsp__inst_executed.sum"], 0),
    "sass_thread_instructions": (["smsp__thread_inst_executed.sum"], 0),
    "sass_thread_instructions_on": (["smsp__thread_inst_executed_pred_on.sum"], 0),
    "global_load_requests": ([L1.format("requests", "ld")], 0),
    "global_load_sectors": ([L1.format("sectors", "ld")], 0),
    "global_store_requests": ([L1.format("requests", "st")], 0),
    "global_store_sectors": ([STORED], 0),
    "global_atomic_sectors": ([L1.format("sectors", "atom"), L1.format("sectors", "red")], 0),
    "shared_load_wavefronts": ([WAVES.format("ld"), WAVES.format("ldsm")], 0),
    "shared_store_wavefronts": ([WAVES.format("st"), WAVES.format("stsm")], 0),
    "dram_read_bytes": (["dram__bytes_read.sum"], 0.03),
    "dram_bytes": (["dram__bytes_read.sum", "dram__bytes_write.sum"], 0.03),
    "l2_bytes": (["lts__t_bytes.sum"], 0.03),
}
LEAST_BYTES = 1 << 20  # below, what the launch itself moves (code, constants) is no small part
ACCESSES = {"shared": "smsp__sass_inst_executed_op_shared.sum", "global": "smsp__sass_inst_executed_op_global.sum"}
FURTHER = [*ACCESSES.values(), PIPE.format("ld"), PIPE.format("st"), PIPE.format("atom"), CONFLICTS.format("atom"), "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
           WAVES.format("atom"), WAVES.format("ldgsts"), "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
           "l1tex__t_sectors_pipe_lsu_mem_dshared.sum", "lts__t_sector_hit_rate.pct",
           "sm__warps_active.avg.pct_of_peak_sustained_active", "sm__inst_executed_pipe_tensor.sum"]


def run(command, **more):
    ran = subprocess.run(command, capture_output=True, text=True, **more)
    if ran.returncode not in (0, 1) or not ran.stdout.strip():
        sys.exit(f"{' '.join(map(str, command))}: status {ran.returncode}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return ran.stdout


def document_in(text):
    """ncu writes lines of its own around the program's."""
    return json.loads(text[text.index("{") : text.rindex("}") + 1])


def profiled(command, metrics):
    """A row of ncu's for each launch, and the program's own document."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "ncu.csv"
        out = run(["ncu", "--clock-control", "none", "--cache-control", "all", "--csv", "--page", "raw",
                   "--print-units", "base", "--metrics", ",".join(metrics), "--log-file", str(log), *command])
        lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    return [r for r in rows if r["ID"].isdigit()], document_in(out)


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def total(rows, names):
    """Sum over launches; a name that begins with - is taken away. None where ncu lacks one of them."""
    values = [(-1 if n.startswith("-") else 1, number(r.get(n.lstrip("-")))) for r in rows for n in names]
    return sum(sign * v for sign, v in values) if values and all(v is not None for _, v in values) else None


def values_of(row):
    return {m["id"]: m["value"] for m in row["metrics"]}


def explanation(counter, emulator, hardware):
    """Why the emulator and the hardware differ, from what both counted; None where that does not tell."""
    if counter in ("warp_instructions", "thread_instructions"):
        return "the emulator runs PTX, the hardware the machine code that ptxas makes of it"
    if counter == "bulk_load_sectors":
        return "the copy engine's own reads over the crossbar; the emulator counts the sectors that hold what is copied"
    for space, metric in ACCESSES.items():
        if not counter.startswith(space):
            continue
        written = emulator.get(f"warp_instructions.{space}", 0) + (emulator.get("warp_instructions.generic", 0) if space == "global" else 0)
        made = hardware.get(metric)
        if made is not None and made != written:
            return (f"{int(made)} {space} accesses in the machine code for {int(written)} in PTX: ptxas joins neighbouring "
                    "ones, reads once what is read again, and puts others under predicates")
    return None


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser()
    parser.add_argument("aicf")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cases", default=str(here / "counters.json"))
    parser.add_argument("--only", nargs="*", default=[])
    o = parser.parse_args()
    choice = ["--cases", o.cases, "--json"] + [part for name in o.only for part in ("--only", name)]
    verb = [o.aicf, "selftest", "counters"]
    emulated = json.loads(run([*verb, *choice]))
    metrics = sorted({n.lstrip("-") for names in EMULATOR.values() for n in names} | {n for names, _ in CUPTI.values() for n in names}
                     | set(FURTHER))
    launches, launched = profiled([*verb, "--backend", "cuda", "--launch", *choice], metrics)
    counted = json.loads(run([*verb, "--backend", "cuda", *choice]))

    kernels, unexplained, at = [], [], 0
    tally = {"emulator_equal": 0, "emulator_explained": 0, "cupti_equal": 0, "cupti_other": 0}
    for ours, plain, hardware in zip(emulated["kernels"], launched["kernels"], counted["kernels"]):
        name = ours["name"]
        mine = launches[at : at + len(plain["entries"])]
        at += len(plain["entries"])
        problem = ours.get("error") or plain.get("error") or hardware.get("error")
        if problem or [r["Kernel Name"].split("(")[0] for r in mine] != plain["entries"]:
            kernels.append({"name": name, "error": problem or "ncu saw other launches"})
            unexplained.append(f"{name}: {kernels[-1]['error']}")
            continue
        emulator, cupti, rows = values_of(ours), values_of(hardware), []
        for counter, names in EMULATOR.items():
            a, b = emulator.get(counter), total(mine, names)
            if a is not None and counter.startswith("global_load"):  # the copy engine's are no accesses of the kernel
                a -= emulator.get(counter.replace("global", "bulk"), 0)
            row = {"counter": counter, "of": "emulator", "ours": a, "ncu": b, "equal": a == b}
            if a == b:
                tally["emulator_equal"] += 1
            elif why := explanation(counter, emulator, {m: total(mine, [m]) for m in ACCESSES.values()}):
                row["why"] = why
                tally["emulator_explained"] += 1
            else:
                unexplained.append(f"{name}: {counter}: emulator {a}, ncu {b}")
            rows.append(row)
        for counter, (names, share) in CUPTI.items():
            a, b = cupti.get(counter), total(mine, names)
            near = a is not None and b is not None and abs(a - b) <= share * max(abs(a), abs(b))
            if share and b is not None and b < LEAST_BYTES:
                continue
            rows.append({"counter": counter, "of": "cupti", "ours": a, "ncu": b, "equal": near, "within": share})
            tally["cupti_equal" if near else "cupti_other"] += 1
            if not near:
                unexplained.append(f"{name}: {counter}: CUPTI {a}, ncu {b}")
        kernels.append({"name": name, "kind": ours["kind"], "rows": rows,
                        "ncu": {m: total(mine, [m]) for m in metrics}, "cupti": cupti, "emulator": emulator})
    document = {"schema": "aicf.counters-compared/1", "device": counted.get("device"),
                "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "ncu": run(["ncu", "--version"]).strip().splitlines()[-1], "tally": tally, "kernels": kernels,
                "not_explained": unexplained}
    o.out.mkdir(parents=True, exist_ok=True)
    device = (counted.get("device") or {}).get("name", "device").lower().replace(" ", "-")
    path = o.out / f"{device}-{document['date'][:10]}-counters.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    for line in unexplained:
        print(line)
    print(json.dumps(tally), len(kernels), "kernels,", len(unexplained), "differences not explained;", path)
    return 1 if unexplained else 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    sys.exit(main())
