"""Tests of the clients and subjects by a small tester in Python, without the suite.

usage: driver.py [--time]

Builds frames by hand, asks each subject and looks at its answers: bytes, rounding, errors, prints,
the end of input. The clients are tried with NumPy and without it, Node and a C compiler where they
are found. --time asks for 10,000 answers and prints what one costs. Exits 1 if something fails.
"""

import ctypes
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap
import time

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parent / "clients"
CODES = {"binary64": "d", "binary32": "f", "binary16": "e", "bfloat16": "H", "int64": "q"}
FORMATS = ("binary64", "binary32", "binary16", "bfloat16")
# Runs a program as if NumPy were not installed.
WITHOUT_NUMPY = ("import runpy, sys; sys.modules['numpy'] = None; sys.argv = sys.argv[1:];"
                 "sys.path.insert(0, __import__('os').path.dirname(sys.argv[0]));"
                 "runpy.run_path(sys.argv[0], run_name='__main__')")
failures = []


def check(what, holds, *details):
    if not holds:
        failures.append(what)
        print("FAILS", what, *details)


def frame(header, body=b""):
    text = json.dumps(header).encode()
    return struct.pack("<QQ", len(text), len(body)) + text + body


def packed(numbers, dtype):
    if dtype == "bfloat16":
        return b"".join(struct.pack("<f", number)[2:] for number in numbers)
    return struct.pack(f"<{len(numbers)}{CODES[dtype]}", *numbers)


def unpacked(data, dtype):
    if dtype == "bfloat16":
        data = b"".join(b"\0\0" + data[k:k + 2] for k in range(0, len(data), 2))
        dtype = "binary32"
    code = CODES[dtype]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


class Subject:
    def __init__(self, *command):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors)
        self.asked = 0
        self.send(frame({"protocol": 1}))
        self.hello, _ = self.receive()

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self):
        header, body = struct.unpack("<QQ", self.process.stdout.read(16))
        return json.loads(self.process.stdout.read(header)), self.process.stdout.read(body)

    def ask(self, operation, format, arguments=None, **arrays):
        """Results by name, as (shape, numbers), or the error's text. An array is (shape, numbers)
        or (shape, numbers, dtype)."""
        self.asked += 1
        listed, body = [], b""
        for name, (shape, numbers, *dtype) in arrays.items():
            dtype = dtype[0] if dtype else format
            listed.append({"name": name, "dtype": dtype, "shape": shape})
            body += packed(numbers, dtype)
        self.send(frame({"id": self.asked, "operation": operation, "format": format,
                         "arguments": arguments or {}, "arrays": listed}, body))
        header, body = self.receive()
        check(f"{operation}: the answer has the request's id", header["id"] == self.asked, header)
        if "error" in header:
            return header["error"]
        results, at = {}, 0
        for array in header["arrays"]:
            check(f"{operation}: {array['name']} is in the format asked for",
                  array["dtype"] == format, header)
            size = math.prod(array["shape"]) * struct.calcsize(CODES[format])
            results[array["name"]] = array["shape"], unpacked(body[at:at + size], format)
            at += size
        check(f"{operation}: the body is as long as its arrays", at == len(body), header)
        return results

    def end(self):
        """The exit code once standard input has ended, and what was on standard error."""
        self.process.stdin.close()
        try:
            code = self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "none: it runs on"
        rest = self.process.stdout.read()
        self.process.stdout.close()
        self.errors.seek(0)
        check("nothing is written after the last answer", rest == b"", rest[:40])
        return code, self.errors.read().decode()


TRIED = textwrap.dedent("""\
    import os, sys
    sys.path.insert(0, {clients!r})
    from embedscale_subject import operation, serve
    print("a print before serving")

    @operation("binary64", "binary32", "binary16", "bfloat16")
    def softmax(z, format):  # gives back what is asked for by 'multiplier', rounded
        print("a print", format)
        os.write(1, b"past sys.stdout\\n")
        return z

    VALUES = {values!r}

    @operation("binary64", "binary32", "binary16", "bfloat16")
    def initialise(distribution, rows, columns, seed, parameter=None):
        return [float.fromhex(value) for value in VALUES]

    @operation("binary32")
    def multiplier(d_model):
        raise ArithmeticError("no root of " + str(d_model))

    @operation("binary32")
    def rms_norm(x, epsilon):
        return [x, x]

    @operation("binary32")
    def optimizer_step(kind, step, parameter, gradient, rate):
        class Tensor:
            def detach(self): return self
            def cpu(self): return self
            def double(self): return parameter
        return {{"parameter": Tensor(), "velocity": 3}}

    serve(name="tried", version=3)
""")
TRIED_IN_JAVASCRIPT = textwrap.dedent("""\
    import {{ operation, serve }} from {clients!r};
    console.log("a print before serving");
    const all = ["binary64", "binary32", "binary16", "bfloat16"];
    operation("softmax", all, ({{ z, format }}) => {{
      console.log("a print", format);
      process.stdout.write("past the console\\n");
      return z;
    }});
    operation("initialise", all, async () => {numbers});
    operation("multiplier", ["binary32"], ({{ d_model }}) => {{
      throw new RangeError("no root of " + d_model);
    }});
    operation("rms_norm", ["binary32"], ({{ x }}) => [[...x], [...x]]);
    operation("optimizer_step", ["binary32"], ({{ parameter }}) =>
      ({{ parameter, velocity: 3 }}));
    await serve({{ name: "tried", version: "3" }});
""")

# A double, and its bits rounded to binary32, binary16 and bfloat16 by hand: ties to the even
# neighbour from both sides, values beside a tie that a way over binary32 would take for one,
# subnormals, the threshold of overflow.
ROUNDED = [
    ("0x1p+0", 0x3F800000, 0x3C00, 0x3F80),
    ("-0x0p+0", 0x80000000, 0x8000, 0x8000),
    ("0x1.002p+0", 0x3F801000, 0x3C00, 0x3F80),  # a tie in binary16: down to even
    ("0x1.006p+0", 0x3F803000, 0x3C02, 0x3F80),  # up to even
    ("0x1.0020000000001p+0", 0x3F801000, 0x3C01, 0x3F80),  # just above the tie
    ("0x1.005ffffffffffp+0", 0x3F803000, 0x3C01, 0x3F80),  # just below it
    ("0x1.01p+0", 0x3F808000, 0x3C04, 0x3F80),  # a tie in bfloat16: down to even
    ("0x1.03p+0", 0x3F818000, 0x3C0C, 0x3F82),  # up to even
    ("0x1.0100000000001p+0", 0x3F808000, 0x3C04, 0x3F81),
    ("0x1.02fffffffffffp+0", 0x3F818000, 0x3C0C, 0x3F81),
    ("-0x1.0300000000001p+0", 0xBF818000, 0xBC0C, 0xBF82),
    ("0x1.000001p+0", 0x3F800000, 0x3C00, 0x3F80),  # a tie in binary32
    ("0x1.000003p+0", 0x3F800002, 0x3C00, 0x3F80),
    ("0x1p-24", 0x33800000, 0x0001, 0x3380),  # the smallest subnormal of binary16
    ("0x1p-25", 0x33000000, 0x0000, 0x3300),  # half of it: to even, 0
    ("0x1.0000000000001p-25", 0x33000000, 0x0001, 0x3300),
    ("0x1.8p-24", 0x33C00000, 0x0002, 0x33C0),
    ("-0x1p-25", 0xB3000000, 0x8000, 0xB300),
    ("0x1.ff8p-15", 0x387FC000, 0x03FF, 0x3880),  # below the normal numbers of binary16
    ("0x1.ffep-15", 0x387FF000, 0x0400, 0x3880),
    ("0x1p-133", 0x00010000, 0x0000, 0x0001),  # the smallest subnormal of bfloat16
    ("0x1p-134", 0x00008000, 0x0000, 0x0000),
    ("0x1.0000000000001p-134", 0x00008000, 0x0000, 0x0001),
    ("0x1.8p-133", 0x00018000, 0x0000, 0x0002),
    ("0x1p-149", 0x00000001, 0x0000, 0x0000),
    ("0x1p-150", 0x00000000, 0x0000, 0x0000),
    ("0x1p-1074", 0x00000000, 0x0000, 0x0000),
    ("0x1.ffcp+15", 0x477FE000, 0x7BFF, 0x4780),  # the largest of binary16
    ("0x1.ffdffffffffffp+15", 0x477FF000, 0x7BFF, 0x4780),
    ("0x1.ffep+15", 0x477FF000, 0x7C00, 0x4780),  # half a place beyond it
    ("-0x1.ffep+15", 0xC77FF000, 0xFC00, 0xC780),
    ("0x1.fep+127", 0x7F7F0000, 0x7C00, 0x7F7F),  # the largest of bfloat16
    ("0x1.fefffffffffffp+127", 0x7F7F8000, 0x7C00, 0x7F7F),
    ("0x1.ffp+127", 0x7F7F8000, 0x7C00, 0x7F80),
    ("0x1.fffffep+127", 0x7F7FFFFF, 0x7C00, 0x7F80),
    ("0x1.ffffffp+127", 0x7F800000, 0x7C00, 0x7F80),
    ("-0x1p+1023", 0xFF800000, 0xFC00, 0xFF80),
    ("inf", 0x7F800000, 0x7C00, 0x7F80),
    ("-inf", 0xFF800000, 0xFC00, 0xFF80),
]


def try_client(what, *command):
    subject = Subject(*command)
    check(f"{what}: says who it is", subject.hello["protocol"] == 1
          and (subject.hello["name"], subject.hello["version"]) == ("tried", "3")
          and subject.hello["operations"]["softmax"] == list(FORMATS), subject.hello)
    z = [0.5, -1.25, 2.0, -0.0, 3.0, math.inf]
    for format in FORMATS:
        answer = subject.ask("softmax", format, z=([6], z))
        check(f"{what}: {format} goes and comes", answer == {"out": ([6], z)}
              and math.copysign(1, answer["out"][1][3]) < 0, answer)
        answer = subject.ask("softmax", format, z=([], [2.5]))
        check(f"{what}: one number", answer == {"out": ([], [2.5])}, answer)
    answer = subject.ask("softmax", "binary32", z=([1, 3, 2], [1, 2, 3, 4, 5, 6]))
    check(f"{what}: three dimensions", answer == {"out": ([1, 3, 2], [1, 2, 3, 4, 5, 6])}, answer)
    drawn = {"distribution": "normal", "rows": 1, "columns": 1, "seed": 1}
    for k, format in enumerate(FORMATS[1:], 1):
        shape, numbers = subject.ask("initialise", format, drawn)["out"]
        for number, row in zip(numbers, ROUNDED):
            data = packed([number], format)
            bits = int.from_bytes(data, "little")
            check(f"{what}: {row[0]} in {format}", bits == row[k], f"{bits:x}, not {row[k]:x}")
        check(f"{what}: all are there", shape == [len(ROUNDED)], shape)
    text = subject.ask("multiplier", "binary32", {"d_model": 7})
    check(f"{what}: an exception is an answer", isinstance(text, str) and "no root of 7" in text
          and "Error: " in text, text)
    text = subject.ask("multiplier", "binary64", {"d_model": 7})
    check(f"{what}: a format that it has not", isinstance(text, str) and "binary64" in text, text)
    text = subject.ask("unheard_of", "binary32")
    check(f"{what}: an operation that it has not", isinstance(text, str) and "unheard_of" in text)
    text = subject.ask("softmax", "binary32", y=([1], [1]))
    answer = subject.ask("rms_norm", "binary32", x=([2], [1, 2]), epsilon=([], [0]))
    check(f"{what}: another shape goes as it is", answer == {"out": ([2, 2], [1, 2, 1, 2])}, answer)
    answer = subject.ask("optimizer_step", "binary32", {"kind": "sgd", "step": 1}, rate=([], [1]),
                         parameter=([2], [1, 2]), gradient=([2], [1, 2]))
    check(f"{what}: results by name", answer == {"parameter": ([2], [1, 2]), "velocity": ([], [3])},
          answer)
    code, errors = subject.end()
    check(f"{what}: ends with its input", code == 0, code)
    check(f"{what}: prints are on standard error", "a print before serving" in errors
          and "a print binary16" in errors and "past " in errors, errors[:300])
    for garbage in (b"\1", struct.pack("<QQ", 2**63, 0), struct.pack("<QQ", 10, 2**63),
                    struct.pack("<QQ", 20, 0) + b"{"):
        subject = Subject(*command)
        subject.send(garbage)
        code, errors = subject.end()
        check(f"{what}: garbage ends it", code not in (0, "none: it runs on")
              and "is no message" in errors, code, errors[-300:])


def requests():
    """One request and more of each operation."""
    e, p = [0.5, -0.25, 0.125, 1.5], [1.0, 0.5, -0.75, 0.25]
    table = [0.5, -1.0, 0.25, 2.0, -0.5, 1.5]
    tokens = ([4], [2, 0, 2, 1], "int64")
    yield "multiplier", {"d_model": 300}, {}
    yield "up", {}, {"e": ([4], e), "p": ([4], p), "m": ([], [3.0])}
    yield "down", {}, {"e": ([4], e), "p": ([4], p), "m": ([], [3.0])}
    for rule in "paper", "tensor2tensor":
        for layout in "interleaved", "halves":
            yield "position_table", {"first": 1857, "count": 3, "d": 8, "rule": rule,
                                     "layout": layout, "base": 10000.0}, {}
    looked = {"table": ([3, 2], table), "tokens": tokens, "multiplier": ([], [1.5])}
    yield "look_up", {}, looked
    yield "input", {}, {**looked, "positions": ([4, 2], e + p)}
    yield "layer_norm", {}, {"x": ([4], e), "epsilon": ([], [0.25])}
    yield "rms_norm", {}, {"x": ([4], e), "epsilon": ([], [0.25])}
    yield "softmax", {}, {"z": ([4], e)}
    yield "softmax", {}, {"z": ([3], [-32768.0, -32640.0, -32768.0])}
    yield "softmax", {}, {"z": ([3], [0.0, 30208.0, 1.0])}
    yield "attention_scale", {"d_model": 512, "d_k": 48}, {}
    yield "logits", {}, {"q": ([2], [255.0, 1.0]), "keys": ([3, 2], [254.0, 3.0] + table[:4]),
                         "scale": ([], [0.125])}
    yield "tied_logits", {}, {"table": ([3, 2], table), "h": ([2], e[:2]), "multiplier": ([], [3])}
    yield "dropout", {"rate": 0.25}, {"x": ([4], e), "kept": ([4], [1, 0, 1, 1], "int64")}
    for distribution in "normal", "uniform", "truncated_normal", "xavier_normal", "xavier_uniform":
        parameter = {} if distribution.startswith("xavier") else {"parameter": 0.5}
        yield "initialise", {"distribution": distribution, "rows": 40, "columns": 8, "seed": 7,
                             **parameter}, {}
    settings = {"sgd": "", "momentum": "momentum", "adam": "beta_1 beta_2 epsilon",
                "adamw": "beta_1 beta_2 epsilon decay schedule"}
    value = {"rate": 0.25, "penalty": 0.5, "momentum": 0.75, "beta_1": 0.875, "beta_2": 0.9375,
             "epsilon": 0.125, "decay": 0.25, "schedule": 0.5}
    for kind, names in settings.items():
        state = {"sgd": [], "momentum": ["velocity"]}.get(kind, ["first", "second"])
        yield "optimizer_step", {"kind": kind, "step": 3}, {
            "parameter": ([4], e), "gradient": ([4], p),
            **{name: ([], [value[name]]) for name in ["rate", "penalty", *names.split()]},
            **{name: ([4], [0.25, 0.5, 0.125, 1.0]) for name in state}}
    yield "clip_by_global_norm", {"parts": 2}, {
        "gradient_0": ([2, 2], e), "gradient_1": ([4], p), "max_norm": ([], [1.0])}


def answers(*command):
    """What a subject answers to all of these requests that it has operations for, by format."""
    subject = Subject(*command)
    by_format = {format: [(operation, subject.ask(operation, format, arguments, **arrays))
                          for operation, arguments, arrays in requests()
                          if format in subject.hello["operations"].get(operation, [])]
                 for format in FORMATS}
    code, errors = subject.end()
    check(f"{command[1:]}: ends with its input", code == 0, code, errors[-500:])
    return by_format


def flat(answer):
    """All numbers of the results; none of an error."""
    results = {} if isinstance(answer, str) else answer
    return [number for _, numbers in results.values() for number in numbers]


def close(a, b, tolerance):
    return len(a) == len(b) > 0 and all(
        x == y or abs(x - y) <= tolerance * max(1, abs(y)) for x, y in zip(a, b))


def try_right(python):
    right = str(HERE / "right.py")
    by_format = answers(python, right)
    check("right.py is the same without NumPy",
          answers(python, "-c", WITHOUT_NUMPY, right) == by_format)
    tolerance = {"binary32": 2.0**-22, "binary16": 2.0**-9, "bfloat16": 2.0**-6}
    for format, limit in tolerance.items():
        for (operation, answer), (_, wide) in zip(by_format[format], by_format["binary64"]):
            check(f"right.py: {operation} in {format}", close(flat(answer), flat(wide), limit),
                  answer, wide)
    last = by_format["binary64"][3][1]["out"][1][-8:]
    expected = [function(1859 * 10000.0**(-i / 4)) for i in range(4)
                for function in (math.sin, math.cos)]
    check("right.py: position 1859", close(last, expected, 1e-12), last, expected)
    return by_format


def try_numpy(python, expected):
    ours = answers(python, str(HERE.parent / "implementations/numpy/subject.py"))["binary32"]
    for (operation, answer), (_, wide) in zip(ours, expected["binary64"]):
        if operation != "initialise":  # other draws
            limit = 1e-3 if operation == "position_table" else 2e-6
            check(f"numpy: {operation}", close(flat(answer), flat(wide), limit), answer, wide)


def try_wrong(python, expected):
    listed = subprocess.run([python, HERE / "wrong.py", "--list"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    check("wrong.py has 14 subjects and more", len(listed) >= 14, listed)
    for line in listed:
        name, _, thread = line.partition(" # ")
        check(f"{name} has a thread", thread != "", line)
        by_format = answers(python, str(HERE / "wrong.py"), name)
        check(f"{name} has an operation", any(by_format.values()))
        for format, ours in by_format.items():
            operations = {operation for operation, _ in ours}
            theirs = [pair for pair in expected[format] if pair[0] in operations]
            check(f"{name} answers", all(isinstance(answer, dict) for _, answer in ours), ours)
            check(f"{name} is wrong in {format}", not ours or repr(ours) != repr(theirs))


def try_examples(python, numpy, expected):
    right = dict(expected["binary32"])
    commands = [[python, str(CLIENTS / "example.py")]]
    commands += [["node", str(CLIENTS / "example.mjs")]] if shutil.which("node") else []
    for command in commands:
        for operation, answer in answers(*command)["binary32"]:
            check(f"{command[-1]}: {operation}",
                  close(flat(answer), flat(right[operation]), 2.0**-22), answer)
    compiler = shutil.which("cc")
    if compiler is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "libexample.so")
        subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-shared",
                        "-fPIC", CLIENTS / "example.c", "-o", library, "-lm"], check=True)
        loaded = ctypes.CDLL(library)
        vector = ctypes.c_float * 4
        e, p, out = vector(0.5, -0.25, 0.125, 1.5), vector(1.0, 0.5, -0.75, 0.25), vector()
        size, m, epsilon = ctypes.c_size_t(4), ctypes.c_float(3), ctypes.c_float(0.25)
        for operation, inputs in (("up", (e, p, size, m)), ("down", (e, p, size, m)),
                                  ("layer_norm", (e, size, epsilon))):
            code = getattr(loaded, f"embedscale_{operation}_binary32")(*inputs, out)
            check(f"example.c: {operation}", code == 0
                  and close(list(out), flat(right[operation]), 2.0**-22), code, list(out))


def measure(what, *command):
    """Time of a small answer, with the tester's share of it: frames made once, read in one go."""
    subject = Subject(*command)
    header = {"id": 1, "operation": "softmax", "format": "binary32", "arguments": {},
              "arrays": [{"name": "z", "dtype": "binary32", "shape": [8]}]}
    request, times = frame(header, packed([0.5] * 8, "binary32")), 10_000
    began = time.perf_counter()
    for _ in range(times):
        subject.send(request)
        subject.receive()
    took = time.perf_counter() - began
    subject.end()
    print(f"{what}: {1e6 * took / times:.1f} us an answer")


def main():
    python = sys.executable
    try:
        import numpy
    except ImportError:
        numpy = None
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tried, script = folder / "tried.py", folder / "tried.mjs"
        values = [row[0] for row in ROUNDED]
        tried.write_text(TRIED.replace("{clients!r}", repr(str(CLIENTS)))
                         .replace("{values!r}", repr(values))
                         .replace("{{", "{").replace("}}", "}"), encoding="utf-8")
        numbers = json.dumps([float.fromhex(value) for value in values])
        script.write_text(TRIED_IN_JAVASCRIPT.format(
            clients=str(CLIENTS / "embedscale_subject.mjs"), numbers=numbers), encoding="utf-8")
        clients = {"Python without NumPy": (python, "-c", WITHOUT_NUMPY, str(tried))}
        if numpy:
            clients["Python with NumPy"] = (python, str(tried))
        if shutil.which("node"):
            clients["Node"] = ("node", str(script))
        if "--time" in sys.argv:
            for what, command in clients.items():
                measure(what, *command)
            return
        for what, command in clients.items():
            try_client(what, *command)
    expected = try_right(python)
    if numpy:
        try_numpy(python, expected)
    try_wrong(python, expected)
    try_examples(python, numpy, expected)
    print(f"{len(failures)} failures; tried: {', '.join(clients)}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
