"""Lets `embedscale check` try functions written in Python: one file, to copy beside them.

    from embedscale_subject import operation, serve

    @operation("binary32", "bfloat16")
    def rms_norm(x, epsilon):
        return x / np.sqrt(np.mean(x * x) + epsilon)

    serve(name="my_model", version="1.2")

and then `embedscale check -- python3 my_model.py`. Names of functions and parameters are those of
protocol.md; a parameter `format` gets the format's name. A function returns a result or a dict of
results by name: ndarrays, nested lists, numbers or PyTorch tensors, which are rounded to the format
here, to nearest, ties to even. With NumPy, it gets ndarrays and NumPy scalars (float32 for
bfloat16), without it nested lists and floats. NotImplementedError tells of a kind or rule that is
not there, which is no defect; any other exception becomes an error answer. From this import on,
file descriptor 1 and sys.stdout are standard error, where prints do no harm.
"""

import inspect
import json
import math
import os
import stat
import struct
import sys
import traceback
try:
    import numpy
except ImportError:
    numpy = None

MAX_HEADER, MAX_BODY = 65_536, 268_435_456
# Of each dtype: bytes of an entry, and its names in struct and NumPy.
_CODES = {"binary64": (8, "d", "<f8"), "binary32": (4, "f", "<f4"), "binary16": (2, "e", "<f2"),
          "bfloat16": (2, "H", "<u2"), "int64": (8, "q", "<i8")}
_operations, _stdout = {}, None


def _keep_stdout():
    """The frames' own copy of standard output; 1 and sys.stdout become standard error."""
    global _stdout
    if _stdout is None:
        _stdout = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr


if stat.S_ISFIFO(os.fstat(0).st_mode) or stat.S_ISSOCK(os.fstat(0).st_mode):
    _keep_stdout()


def operation(*formats):
    """Registers a function under its name for the formats named, in a decorator."""
    if not formats or not set(formats) <= set(_CODES) - {"int64"}:
        raise ValueError(f"operation: no formats are {formats}")

    def register(function):
        wants_format = "format" in inspect.signature(function).parameters
        _operations[function.__name__] = (function, formats, wants_format)
        return function
    return register


def rounded(value, format):
    """A float rounded to a format, as a float: for those who compute in one step by step."""
    return _unpacked(_packed([float(value)], format), 0, 1, format)[0]


def serve(name=None, version=None):
    """Answers requests until standard input ends."""
    if os.isatty(0):
        sys.exit("This is a subject. Run it by: embedscale check -- python3 " + sys.argv[0])
    _keep_stdout()
    frames = os.fdopen(os.dup(0), "rb", 1 << 16)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # where input() finds no frame
    if (first := _receive(frames)) is None or first[0].get("protocol") != 1:
        sys.exit("embedscale_subject.py speaks version 1 of the protocol")
    operations = {key: list(formats) for key, (_, formats, _) in _operations.items()}
    version = {} if version is None else {"version": str(version)}
    _send({"protocol": 1, "name": name or sys.argv[0], **version, "operations": operations})
    while (message := _receive(frames)) is not None:
        request, body = message
        try:
            header, parts = _answer(request, body)
        except NotImplementedError as error:
            header, parts = {"id": request.get("id"), "lacks": str(error)[:2000]}, []
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            header, parts = {"id": request.get("id"), "error": text[:2000]}, []
            traceback.print_exc(limit=-2)
        _send(header, parts)


def _receive(frames):
    lengths = frames.read(16)
    if not lengths:
        return None
    header, body = struct.unpack("<QQ", lengths.ljust(16, b"\xff"))
    rest = frames.read(header + body) if header <= MAX_HEADER and body <= MAX_BODY else b""
    if len(rest) < header + body:
        sys.exit(f"embedscale_subject.py: a frame that begins by {lengths!r} is no message")
    return json.loads(rest[:header]), bytearray(rest[header:])


def _send(header, parts=()):
    text, body = json.dumps(header).encode(), b"".join(parts)
    frame = memoryview(struct.pack("<QQ", len(text), len(body)) + text + body)
    while frame:
        frame = frame[os.write(_stdout, frame):]


def _answer(request, body):
    name, format = request["operation"], request["format"]
    function, formats, wants_format = _operations.get(name, (None, (), False))
    if format not in formats:
        raise LookupError(f"this subject has no {name} in {format}")
    inputs, at = request["arguments"], 0
    for array in request["arrays"]:
        dtype, shape = array.get("dtype", format), array["shape"]
        count, size = math.prod(shape), _CODES[dtype][0]
        inputs[array["name"]] = _array(body, at, count, dtype, shape)
        at += size * count
    if wants_format:
        inputs["format"] = format
    results = function(**inputs)
    if not isinstance(results, dict):
        results = {"out": results}
    arrays, parts = [], []
    for key, result in results.items():
        if hasattr(result, "detach"):
            result = result.detach().cpu().double()
        shape, data = _bytes(result, format)
        arrays.append({"name": key, "dtype": format, "shape": shape})
        parts.append(data)
    return {"id": request["id"], "arrays": arrays}, parts


def _unpacked(body, at, count, dtype):
    numbers = struct.unpack_from(f"<{count}{_CODES[dtype][1]}", body, at)
    if dtype != "bfloat16":
        return numbers
    return struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *[n << 16 for n in numbers]))


def _packed(numbers, format):
    if format == "bfloat16":  # the upper half of binary32
        wide = _packed([_to_bfloat16(number) for number in numbers], "binary32")
        return b"".join(wide[k:k + 2] for k in range(2, len(wide), 4))
    try:
        return struct.pack(f"<{len(numbers)}{_CODES[format][1]}", *numbers)
    except OverflowError:  # struct refuses what rounds to infinity
        bound = 65520.0 if format == "binary16" else 2.0**128 - 2.0**103
        return _packed([math.copysign(math.inf, number) if abs(number) >= bound else number
                        for number in numbers], format)


def _to_bfloat16(number):
    if not math.isfinite(number):
        return number
    place = math.ldexp(1.0, max(math.frexp(number)[1] - 1, -126) - 7)
    return math.copysign(round(number / place) * place, number)


if numpy is None:
    def _array(body, at, count, dtype, shape):
        items = list(_unpacked(body, at, count, dtype))
        for length in reversed(shape[1:]):
            items = [items[k:k + length] for k in range(0, len(items), length)] if length else []
        return items if shape else items[0]

    def _bytes(result, format):
        shape, items = [], [result.tolist() if hasattr(result, "tolist") else result]
        while items and isinstance(items[0], (list, tuple)):
            shape.append(len(items[0]))
            if any(len(item) != shape[-1] for item in items):
                raise ValueError("a result is a ragged list")
            items = [number for item in items for number in item]
        return shape, _packed([float(number) for number in items], format)
else:
    _DTYPES = {dtype: numpy.dtype(name) for dtype, (_, _, name) in _CODES.items()}

    def _array(body, at, count, dtype, shape):
        array = numpy.frombuffer(body, _DTYPES[dtype], count, at).reshape(shape)
        if dtype == "bfloat16":
            array = numpy.left_shift(array, 16, dtype="<u4").view("<f4")
        return array if shape else array[()]

    def _bytes(result, format):
        array = numpy.asarray(result)
        with numpy.errstate(all="ignore"):  # overflow to infinity is the format's
            if format == "bfloat16":  # to a multiple of the last place: the upper half of binary32
                array = array.astype(float)
                place = numpy.ldexp(1.0, numpy.maximum(numpy.frexp(array)[1] - 1, -126) - 7)
                array = numpy.copysign(numpy.rint(array / place) * place, array).astype("<f4")
                data = (array.view("<u4") >> 16).astype("<u2")
            else:
                data = array.astype(_DTYPES[format], copy=False)
        return list(array.shape), data.tobytes()
