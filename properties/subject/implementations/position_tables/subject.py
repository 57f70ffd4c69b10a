"""A position table by the way that the argument names, in NumPy.

exp         w = exp(−i·log(base)/steps) and angles in the format
pow         w = 1/base^(i/steps) and angles in the format
recurrence  each row from the row before, turned by sin w and cos w, in the format
wide        all in binary64, and rounded once
model       positions, frequencies and angles in the half format of the model
resized     as wide for the first 512 rows, as model for those that come later
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients"))
from embedscale_subject import operation, serve  # noqa: E402

way = sys.argv[1]
halves = ("binary16", "bfloat16")
formats = {"wide": ("binary64", "binary32") + halves, "model": halves, "resized": halves}
rows_at_first = 512


def to(array, format):
    """Rounded to the format; bfloat16's numbers are kept as binary32."""
    if format != "bfloat16":
        return np.asarray(array, {"binary64": "f8", "binary32": "f4", "binary16": "f2"}[format])
    bits = np.asarray(array, "f4").view("u4")
    return (bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000).astype("u4").view("f4")


def frequencies(d, rule, base, format):
    steps = d // 2 if rule == "paper" else d // 2 - 1
    i = to(np.arange(d // 2), format)
    if way == "pow":
        return to(1 / to(to(base, format) ** to(i / to(steps, format), format), format), format)
    return to(np.exp(to(i * to(-np.log(base) / steps, format), format)), format)


def waves(first, count, w, format):
    """Sines and cosines, (count, d/2) each."""
    if way == "recurrence":
        if first + count > 1 << 16:
            raise ValueError("this table is made for fewer positions")
        turn = (np.cos(w) + 1j * np.sin(w)).astype("c8" if format == "binary32" else "c16")
        turns = np.repeat(turn[None], first + count, axis=0)
        turns[0] = 1
        rows = np.cumprod(turns, axis=0)[first:]
        return rows.imag, rows.real
    angles = to(to(np.arange(first, first + count), format)[:, None] * w, format)
    return to(np.sin(angles), format), to(np.cos(angles), format)


@operation(*formats.get(way, ("binary64", "binary32")))
def position_table(first, count, d, rule, layout, base, format):
    used = format if way != "wide" else "binary64"
    sines, cosines = waves(first, count, frequencies(d, rule, base, used), used)
    if way == "resized":
        kept = np.arange(first, first + count)[:, None] < rows_at_first
        wide = waves(first, count, frequencies(d, rule, base, "binary64"), "binary64")
        sines, cosines = (np.where(kept, *of) for of in zip(wide, (sines, cosines)))
    if layout == "halves":
        return np.concatenate([sines, cosines], axis=1)
    return np.stack([sines, cosines], axis=2).reshape(count, d)


serve(name=f"position table: {way}", version=f"by NumPy {np.__version__}")
