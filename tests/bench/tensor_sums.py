#!/usr/bin/env python3
"""Sums of tensor cores near and below the least f32: a device's mma.sync beside the model that the emulator keeps.

    python3 tests/bench/tensor_sums.py tests/bench/results/DEVICE-DATE-tensor-sums.json [--raw RAW.json]

Runs six shapes on random operands through the driver, works each element out in integers, prints how many differ, and
writes those elements that tell the model from its neighbours: another least exponent, or a -0 where a sum vanishes.
RAW.json gets what the device gave; where it exists it stands in for the device. Exit status 1 where one differs.
"""
import argparse
import ctypes
import datetime
import json
import pathlib
import random
import struct
import sys

BLOCKS, LANES, FRACTION, LEAST = 64, 32, 25, -158
SHAPES = {  # registers of A, B and C, type of A and B, type of C and D
    "m16n8k4.row.col.f32.tf32.tf32.f32": (2, 1, 4, "tf32", "f32"),
    "m16n8k8.row.col.f32.tf32.tf32.f32": (4, 2, 4, "tf32", "f32"),
    "m16n8k8.row.col.f32.bf16.bf16.f32": (2, 1, 4, "bf16", "f32"),
    "m16n8k16.row.col.f32.bf16.bf16.f32": (4, 2, 4, "bf16", "f32"),
    "m16n8k16.row.col.f32.f16.f16.f32": (4, 2, 4, "f16", "f32"),
    "m16n8k16.row.col.f16.f16.f16.f16": (4, 2, 2, "f16", "f16"),
}
FIELDS = {"f32": (8, 23), "tf32": (8, 10), "bf16": (8, 7), "f16": (5, 10)}  # bits of exponent and fraction
# Ranges of exponents, one for each eighth of the blocks; the seventh has zeros beside large factors.
WIDE = [(-78, -72), (-120, -110), (-76, -70), (-74, -60), (-127, -100), (-80, -74), (-40, 0), (-100, -50)]
HALF = [(-15, -12), (-15, -15), (-14, -8), (-15, 15), (-15, -4), (-13, -10), (-15, -6), (-15, 0)]


def ptx(shape, a, b, c):
    n = a + b + c
    names = lambda letter, first, count: "{" + ", ".join(f"%{letter}{first + i}" for i in range(count)) + "}"
    loads = "".join(f"ld.global.u32 %x{i}, [%i+{4 * i}];\n" for i in range(n))
    stores = "".join(f"st.global.u32 [%o+{4 * i}], %d{i};\n" for i in range(c))
    return f""".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
.reg .b64 %i, %o, %w;
.reg .b32 %t, %n, %x<16>, %d<4>;
ld.param.u64 %i, [in];
ld.param.u64 %o, [out];
mov.u32 %t, %tid.x;
mov.u32 %n, %ctaid.x;
mad.lo.u32 %n, %n, {LANES}, %t;
mul.wide.u32 %w, %n, {4 * n};
add.s64 %i, %i, %w;
mul.wide.u32 %w, %n, {4 * c};
add.s64 %o, %o, %w;
{loads}mma.sync.aligned.{shape} {names("d", 0, c)}, {names("x", 0, a)}, {names("x", a, b)}, {names("x", a + b, c)};
{stores}ret;
}}
"""


def number(r, kind, low, high, zero=0.15):
    exponent_bits, fraction_bits = FIELDS["f16" if kind == "f16" else "f32"]
    bias = (1 << (exponent_bits - 1)) - 1
    sign = 1 << (exponent_bits + fraction_bits)
    if r.random() < zero:
        return r.choice([0, sign])
    exponent = max(r.randint(low, high) + bias, 0)
    return r.getrandbits(1) * sign | exponent << fraction_bits | r.getrandbits(fraction_bits)


def factor(r, kind, mode):
    low, high = (HALF if kind == "f16" else WIDE)[mode]
    zeros = 0.4 if mode in (1, 6) else 0.15

    def one():
        if mode == 6 and r.random() < 0.3:
            return r.choice([0, 0x7BFF] if kind == "f16" else [0, number(r, kind, 60, 90, 0)])
        return number(r, kind, low, high, zeros)

    if kind == "tf32":
        return one()
    return one() | one() << 16 if kind == "f16" else one() >> 16 | one() & 0xFFFF0000


def addend(r, kind, mode):
    if kind == "f16":
        one = lambda: r.choice([0, 0x8000]) if mode < 4 else number(r, "f16", -15, -8)
        return one() | one() << 16
    if mode < 3:
        return r.choice([0, 0x80000000])
    return r.choice([0, 0x80000000, 1, 0x80000001, number(r, "f32", -127, -110, 0)])


def operands(a, b, c, kind, to):
    r = random.Random(7)
    words = []
    for block in range(BLOCKS):
        for _ in range(LANES):
            words += [factor(r, kind, block % 8) for _ in range(a + b)]
            words += [addend(r, to, block % 8) for _ in range(c)]
    return words


class Device:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name, version = ctypes.create_string_buffer(128), ctypes.c_int()
        self.call("cuDeviceGetName", name, 127, device)
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.name, self.version = name.value.decode(), f"{version.value // 1000}.{version.value % 1000 // 10}"
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        if code := getattr(self.cuda, name)(*arguments):
            sys.exit(f"{name}: error {code}")

    def run(self, text, words, results):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        given, got = ctypes.c_uint64(), ctypes.c_uint64()
        bytes_in, bytes_out = ctypes.c_size_t(4 * len(words)), ctypes.c_size_t(4 * results)
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(text.encode()))
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
        self.call("cuMemAlloc_v2", ctypes.byref(given), bytes_in)
        self.call("cuMemAlloc_v2", ctypes.byref(got), bytes_out)
        self.call("cuMemcpyHtoD_v2", given, struct.pack(f"{len(words)}I", *words), bytes_in)
        parameters = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.byref(p), ctypes.c_void_p) for p in (given, got)))
        self.call("cuLaunchKernel", function, BLOCKS, 1, 1, LANES, 1, 1, 0, None, parameters, None)
        self.call("cuCtxSynchronize")
        back = ctypes.create_string_buffer(4 * results)
        self.call("cuMemcpyDtoH_v2", back, got, bytes_out)
        return list(struct.unpack(f"{results}I", back.raw))


def value(kind, bits):
    """Significand with its sign, exponent that alignment sees, exponent of the last bit."""
    exponent_bits, fraction_bits = FIELDS[kind]
    bits >>= 13 if kind == "tf32" else 0
    fraction, field = bits & ((1 << fraction_bits) - 1), bits >> fraction_bits & ((1 << exponent_bits) - 1)
    significand = fraction | (1 << fraction_bits if field else 0)
    scale = max(field, 1) - (1 << (exponent_bits - 1)) + 1
    return -significand if bits >> (exponent_bits + fraction_bits) & 1 else significand, scale, scale - fraction_bits


def model(kind, to, a, b, c, least=LEAST, minus_zero=False):
    """The products of one instruction and C, aligned to the largest, cut, summed; f32 cut again, f16 to nearest even."""
    terms = []
    for x, y in zip((value(kind, w) for w in a), (value(kind, w) for w in b)):
        terms.append((x[0] * y[0], x[1] + y[1], x[2] + y[2]))
    terms.append(value(to, c))
    quantum = max([least] + [scale - FRACTION for significand, scale, _ in terms if significand])
    total = 0
    for significand, _, last in terms:
        shift = last - quantum
        cut = abs(significand) << shift if shift >= 0 else abs(significand) >> -shift
        total += -cut if significand < 0 else cut
    digits, lowest, infinity, sign = (11, -24, 0x7C00, 0x8000) if to == "f16" else (24, -149, 0x7F800000, 0x80000000)
    magnitude = abs(total)
    unit = max(magnitude.bit_length() - digits + quantum, lowest)
    shift = unit - quantum
    kept = magnitude << -shift if shift <= 0 else magnitude >> shift
    if to == "f16" and shift > 0:
        rest, middle = magnitude & ((1 << shift) - 1), 1 << (shift - 1)
        kept += rest > middle or (rest == middle and kept & 1)
    bits = min(kept if kept < 1 << (digits - 1) else (unit - lowest << (digits - 1)) + kept, infinity)
    return bits | (sign if total < 0 and (bits or minus_zero) else 0)


def elements(shape, words, results):
    """Row of A, column of B, element of C and of D, by the layouts of the PTX manual."""
    a, b, c, kind, to = SHAPES[shape]
    deep, n, pair = int(shape.split(".")[0].split("k")[1]), a + b + c, 1 if kind == "tf32" else 2
    half = lambda word, j: word if pair == 1 else word >> (16 * j) & 0xFFFF
    for block in range(BLOCKS):
        rows, columns, cells = [[0] * deep for _ in range(16)], [[0] * deep for _ in range(8)], []
        for lane in range(LANES):
            at, group, t = block * LANES + lane, lane >> 2, lane & 3
            word = words[at * n : (at + 1) * n]
            for j in range(pair):
                for i in range(a):
                    rows[group + 8 * (i & 1)][pair * t + j + 4 * pair * (i >> 1)] = half(word[i], j)
                for i in range(b):
                    columns[group][pair * t + j + 4 * pair * i] = half(word[a + i], j)
            for i in range(c):
                given, got = word[a + b + i], results[at * c + i]
                if to == "f32":
                    cells.append((group + 8 * (i >> 1), 2 * t + (i & 1), given, got))
                else:
                    for j in range(2):
                        cells.append((group + 8 * i, 2 * t + j, given >> (16 * j) & 0xFFFF, got >> (16 * j) & 0xFFFF))
        for row, column, given, got in cells:
            yield rows[row], columns[column], given, got


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--raw", type=pathlib.Path)
    options = parser.parse_args()
    if options.raw and options.raw.exists():
        raw = json.loads(options.raw.read_text())
    else:
        device = Device()
        raw = {"device": device.name, "driver": device.version, "date": str(datetime.date.today()), "shapes": {}}
        for shape, (a, b, c, kind, to) in SHAPES.items():
            words = operands(a, b, c, kind, to)
            raw["shapes"][shape] = {"in": words, "out": device.run(ptx(shape, a, b, c), words, BLOCKS * LANES * c)}
        if options.raw:
            options.raw.write_text(json.dumps(raw))
    compared = different = vanished = 0
    rows = []
    for shape, io in raw["shapes"].items():
        kind, to = SHAPES[shape][3:]
        for a, b, c, d in elements(shape, io["in"], io["out"]):
            compared += 1
            different += model(kind, to, a, b, c) != d
            below = model(kind, to, a, b, c, minus_zero=True) != d
            vanished += below
            others = (model(kind, to, a, b, c, least) for least in (LEAST - 1000, LEAST - 1, LEAST + 1))
            if kind != "f16" and (any(other != d for other in others) or (below and vanished % 60 == 0)):
                hexadecimal = lambda words: [f"{w:x}" for w in words]
                rows.append({"type": kind, "a": hexadecimal(a), "b": hexadecimal(b), "c": f"{c:x}", "d": f"{d:x}"})
    head = {"schema": "aicf.tensor-sums/1"} | {k: raw[k] for k in ("device", "driver", "date")}
    head |= {"compared": compared, "different": different, "vanished_from_below": vanished}
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    options.results.write_text(json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n{lines}\n ]\n}}\n')
    print(f"{different} of {compared} elements differ; {len(rows)} rows written")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
