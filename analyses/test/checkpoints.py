"""Checkpoints for tests: formats of numbers and files, from their definitions."""

import functools
import json
import math
import random
import struct

from programs import Test


def small(bits, exponent_bits, mantissa_bits, infinite):
    """A number of a small format, from its definition; None where it is none."""
    bias = (1 << (exponent_bits - 1)) - 1
    sign = -1 if bits >> (exponent_bits + mantissa_bits) else 1
    exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << mantissa_bits) - 1)
    last = exponent == (1 << exponent_bits) - 1
    if last and (infinite or mantissa == (1 << mantissa_bits) - 1):
        return None
    one = 1 << mantissa_bits
    if exponent == 0:
        return sign * mantissa / one * 2.0 ** (1 - bias)
    return sign * (one + mantissa) / one * 2.0 ** (exponent - bias)


# By dtype: bytes of an element, and its number.
FORMATS = {
    "F64": (8, lambda x: struct.unpack("<d", x)[0]),
    "F32": (4, lambda x: struct.unpack("<f", x)[0]),
    "F16": (2, lambda x: struct.unpack("<e", x)[0]),
    "BF16": (2, lambda x: struct.unpack("<f", b"\0\0" + x)[0]),
    "F8_E4M3": (1, lambda x: small(x[0], 4, 3, False)),
    "F8_E5M2": (1, lambda x: small(x[0], 5, 2, True)),
}


@functools.cache
def numbers(dtype):
    """Of a format of 8 bits, with their bits."""
    all_bits = ((bits, FORMATS[dtype][1](bytes([bits]))) for bits in range(256))
    return [(bits, value) for bits, value in all_bits if value is not None]


def encoded(dtype, x):
    """The nearest element, ties to even, and its number."""
    if dtype in ("F64", "F32", "F16"):
        data = struct.pack({"F64": "<d", "F32": "<f", "F16": "<e"}[dtype], x)
    elif dtype == "BF16":
        wide = struct.unpack("<I", struct.pack("<f", x))[0]
        data = struct.pack("<H", (wide + 0x7fff + (wide >> 16 & 1)) >> 16)
    else:
        data = bytes([min((abs(value - x), bits & 1, bits) for bits, value in numbers(dtype))[2]])
    return data, FORMATS[dtype][1](data)


def safetensors(tensors, metadata=None):
    """Of name → (dtype, shape, bytes)."""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    return with_header(json.dumps(header), data)


def with_header(text, data=b""):
    text = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(text)) + text + data


def table(rows, width, dtype, seed=1, deviation=0.5):
    """Rows that differ in size, of drawn numbers: as bytes, and as the numbers that these are."""
    draw = random.Random(seed)
    both = [[encoded(dtype, draw.gauss(0.1, deviation) * (1 + i / rows)) for _ in range(width)]
            for i in range(rows)]
    return (b"".join(data for row in both for data, _ in row),
            [[value for _, value in row] for row in both])


def rms(values):
    return math.sqrt(math.fsum(x * x for x in values) / len(values))


class Checkpoints(Test):
    def file(self, content, name="model.safetensors"):
        path = self.scratch / name
        path.write_bytes(content)
        return path

    def config(self, name="code.toml", d_model=16, multiplier="1", more=""):
        path = self.scratch / name
        path.write_text(f"[model]\nd_model = {d_model}\nheads = 2\n[token]\nlaw = 'normal'\n"
                        f"standard_deviation = 1\nmultiplier = {multiplier}\n{more}"
                        "multiplier_format = 'bfloat16'\n[position]\nkind = 'rotary'\n"
                        "[block]\nnorm = 'pre'\nkind = 'rms_norm'\n"
                        "[output]\ntied = true\nsharing = 'by_default'\n")
        return path
