"""`embedscale fingerprint` from outside: what it says of tables that are computed here, from their
definition, a second time; and files that nobody should have sent."""

import json
import math
import os
import random
import re
import resource
import struct
import subprocess
import unittest

from checkpoints import FORMATS, Checkpoints, rms, safetensors, table, with_header
from programs import PROGRAMS, run

SECONDS = 10
MEMORY = 1 << 29


def npy(descr, order, shape, data, version=1):
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return (b"\x93NUMPY" + bytes([version, 0]) +
            struct.pack("<H" if version == 1 else "<I", len(text)) + text + data)


def deviations(rows):
    """Of each channel over the rows."""
    columns = list(zip(*rows))
    means = [math.fsum(column) / len(column) for column in columns]
    return [rms([x - mean for x in column]) for column, mean in zip(columns, means)]


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Fingerprints(Checkpoints):
    def json(self, *arguments):
        ended = run("embedscale", "fingerprint", "--json", *arguments)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return json.loads(ended.stdout)

    def refused(self, what, *arguments, code=2, command="fingerprint"):
        """One line, soon, and in little memory."""
        ended = subprocess.run([PROGRAMS / "embedscale", command, *arguments], encoding="utf-8",
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=bounded)
        self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)
        self.expect_line(ended.stderr, what)
        self.assertLess(len(ended.stderr), 1000)

    def expect_near(self, got, wanted, error=1e-5):
        """Half a unit of the sixth digit of JSON is 5·10⁻⁶, and 64 sums in binary32 err by 2⁻¹⁸."""
        self.assertEqual(len(got), len(wanted))
        for a, b in zip(got, wanted):
            self.assertLessEqual(abs(a - b), error * abs(b), (got, wanted))

    def test_a_fingerprint_is_what_its_definition_says_in_each_format(self):
        for dtype in FORMATS:
            with self.subTest(dtype):
                data, rows = table(53, 37, dtype)
                found = self.json(self.file(safetensors({"wte.weight": (dtype, [53, 37], data)})))
                everything = [x for row in rows for x in row]
                means = [math.fsum(column) / 53 for column in zip(*rows)]
                sizes = sorted(rms(row) for row in rows)
                share = rms(means) ** 2 / rms(everything) ** 2
                self.expect_near(
                    [found["rms"], found["centred"], found["mean_share"]],
                    [rms(everything), rms([x - m for row in rows for x, m in zip(row, means)]),
                     share])
                self.expect_near(found["quantiles"], [sizes[round(q * 52)] for q in
                                                      (0, 0.01, 0.1, 0.5, 0.9, 0.99, 1)])
                self.expect_near(found["by_id"],
                                 [rms([x for row in rows[k * 53 // 8:(k + 1) * 53 // 8] for x in row])
                                  for k in range(8)])
                self.expect_near([one["ratio"] for one in found["beginnings"]],
                                 [rms(everything) * 37 ** 0.5, rms(everything)])
                self.assertEqual([found["dtype"], found["rows"], found["width"], found["left_out"]],
                                 [dtype, 53, 37, 0])

    def test_the_same_table_is_the_same_in_each_kind_of_file(self):
        data, _ = table(40, 24, "F32")
        one = {"model.embed_tokens.weight": ("F32", [40, 24], data)}
        other = {"h.0.bias": ("F32", [3], bytes(12)), "scalar": ("I64", [], bytes(8)),
                 "empty": ("BOOL", [0, 5], b"")}
        alone = self.json(self.file(safetensors({**other, **one}, {"format": "pt"})))
        self.file(safetensors(one), "model-00001-of-00002.safetensors")
        self.file(safetensors(other), "model-00002-of-00002.safetensors")
        index = {"metadata": {"total_size": 1, "share": 0.5}, "weight_map": {
            **{name: "model-00001-of-00002.safetensors" for name in one},
            **{name: "model-00002-of-00002.safetensors" for name in other}}}
        files = {
            "index": [self.file(json.dumps(index).encode(), "model.safetensors.index.json")],
            "npy": [self.file(npy("'<f4'", False, "(40, 24)", data), "a.npy")],
            "npy of version 2": [self.file(npy("'<f4'", False, "(40, 24)", data, 2), "b.npy")],
            "raw": [self.file(data, "raw"), "--shape", "40,24", "--dtype", "F32"]}
        for name, arguments in files.items():
            with self.subTest(name):
                same = self.json(*arguments)
                for key in ("file", "tensor"):
                    del same[key]
                self.assertEqual(same, {key: alone[key] for key in same})

    def test_rows_that_were_never_trained_are_found(self):
        data, rows = table(200, 32, "F32")
        size = 4 * 32
        rows_of = [data[i * size:(i + 1) * size] for i in range(200)]
        draw = random.Random(3)
        for first, apart in (120, 0.03), (20, 0.3):  # a twelfth of a size apart, or a whole one
            for i in range(first, first + 60):  # none the same
                rows_of[i] = struct.pack("<32f", *(x + draw.gauss(0, apart) for x in rows[7]))
        for i in (11, 82, 90, 199):  # the same
            rows_of[i] = rows_of[12]
        rows_of[100] = struct.pack("<f", math.nan) + rows_of[100][4:]
        rows_of[101] = rows_of[101][4:] + struct.pack("<f", -math.inf)
        found = self.json(self.file(safetensors(
            {"wte.weight": ("F32", [200, 32], b"".join(rows_of))})))
        self.assertEqual(found["equal"], {"rows": 5, "row": 11})
        self.assertEqual(found["together"]["rows"], 61)
        self.assertEqual(found["left_out"], 2)
        eighth = [x for row in rows_of[75:100] for x in struct.unpack("<32f", row)]
        self.expect_near([found["by_id"][3]], [rms(eighth)])
        fifth = [x for i, row in enumerate(rows_of[100:125]) if i > 1
                 for x in struct.unpack("<32f", row)]
        self.expect_near([found["by_id"][4]], [rms(fifth)])
        finite = [struct.unpack("<32f", row) for i, row in enumerate(rows_of) if i not in (100, 101)]
        self.expect_near([found["rms"]], [rms([x for row in finite for x in row])])
        sizes = sorted(rms(row) for row in finite)
        self.expect_near(found["quantiles"], [sizes[int(q * (len(sizes) - 1) + 0.5)] for q in
                                              found["quantile_shares"]])

    def test_what_all_rows_share_does_not_bring_them_together(self):
        draw = random.Random(5)
        mean = [draw.gauss(0, 5) for _ in range(32)]
        data = b"".join(struct.pack("<32f", *(x + draw.gauss(0, 0.5) for x in mean))
                        for _ in range(100)) + 40 * struct.pack("<32f", *32 * [math.nan])
        found = self.json(self.file(safetensors({"wte.weight": ("F32", [140, 32], data)})))
        self.assertGreater(found["mean_share"], 0.9)
        self.assertEqual([found["together"]["rows"], found["equal"]["rows"]], [1, 0])

    def test_a_header_may_be_as_long_as_a_pickle_begins(self):
        header = json.dumps({"wte.weight": {"dtype": "F32", "shape": [2, 2],
                                            "data_offsets": [0, 16]}}).ljust(640)
        self.assertEqual(self.json(self.file(with_header(header, bytes(16))))["rows"], 2)

    def test_rows_with_what_is_no_number_are_left_out_in_each_format(self):
        none = {"F64": (b"\0" * 6 + b"\xf0\x7f", b"\0" * 6 + b"\xf8\xff"),
                "F32": (b"\0\0\x80\x7f", b"\0\0\xc0\xff"), "F16": (b"\0\x7c", b"\0\xfe"),
                "BF16": (b"\x80\x7f", b"\xc0\xff"), "F8_E4M3": (b"\x7f", b"\xff"),
                "F8_E5M2": (b"\x7c", b"\xfe")}
        largest = {"F16": b"\xff\x7b", "F8_E4M3": b"\xfe", "F8_E5M2": b"\x7b"}
        for dtype, specials in none.items():
            with self.subTest(dtype):
                size = FORMATS[dtype][0]
                data = bytearray(table(9, 3, dtype)[0])
                for row, special in zip((2, 8), specials):
                    data[row * 3 * size:row * 3 * size + size] = special
                if dtype in largest:
                    data[:size] = largest[dtype]
                found = self.json(self.file(safetensors({"wte.weight": (dtype, [9, 3], bytes(data))})))
                self.assertEqual(found["left_out"], 2)
                values = [FORMATS[dtype][1](bytes(data[k * size:(k + 1) * size]))
                          for row in (0, 1, 3, 4, 5, 6, 7) for k in range(3 * row, 3 * row + 3)]
                self.expect_near([found["rms"]], [rms(values)])

    def test_tokens_are_compared_with_positions_by_channel(self):
        data, rows = table(60, 16, "F32")
        places, vectors = table(30, 16, "F16", 5, 0.1)
        file = self.file(safetensors({"wte.weight": ("F32", [60, 16], data),
                                      "wpe.weight": ("F16", [30, 16], places)}))
        token = deviations(rows)

        def expect(found, vectors, lengths, order, m, k):
            self.assertEqual([one["positions"] for one in found["ratios"]], lengths)
            for one in found["ratios"]:
                position = [k * x for x in deviations(vectors[:one["positions"]])]
                ratios = [m * a / b for a, b in zip(token, position)]
                self.expect_near([one["deviation"], one["tokens_exceed"]],
                                 [rms(position), sum(r > 1 for r in ratios) / 16])
                bands = [sorted(ratios[j] for j in order[2 * b:2 * b + 2]) for b in range(8)]
                self.expect_near(one["by_band"], [band[1] for band in bands])

        expect(self.json(file, "--lengths", "4,30,31"), vectors, [4, 30], list(range(16)), 1, 1)
        config = self.scratch / "code.toml"
        config.write_text(
            "[model]\nd_model = 16\nheads = 2\n[token]\nlaw = 'normal'\nstandard_deviation = 0.25\n"
            "multiplier = 4\n[position]\nkind = 'sinusoidal'\nlayout = 'halves'\nfirst = 3\n"
            "multiplier = 0.5\nfrequencies = 'tensor2tensor'\nbase = 100\n")
        waves = [100 ** (-i / 7) for i in range(8)]
        sinusoids = [[f(i * w) for f in (math.sin, math.cos) for w in waves] for i in range(3, 103)]
        found = self.json(file, "--config", config, "--lengths", "8,100")
        order = [j for i in range(8) for j in (i, 8 + i)]
        expect(found, sinusoids, [8, 100], order, 4, 0.5)
        self.assertEqual(found["multiplier"], 4)
        self.assertEqual(found["beginnings"][0]["deviation"], 0.25)
        # A table whose first rows stand for no position.
        learned = self.scratch / "learned.toml"
        learned.write_text(re.sub(r"kind = .*(?s:.)*", "kind = 'learned'\nlaw = 'normal'\n"
                                  "standard_deviation = 1\nmultiplier = 0.25\nfirst = 2\n", config.read_text()))
        expect(self.json(file, "--config", learned, "--lengths", "4"), vectors[2:], [4],
               list(range(16)), 4, 0.25)
        ended = run("embedscale", "fingerprint", file, "--config", config, "--figures", self.scratch)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertTrue(all(len(line) < 80 for line in ended.stdout.splitlines()), ended.stdout)
        for name in ("rows", "channels"):
            self.assertIn("</svg>", (self.scratch / f"figures/fingerprint_{name}.svg").read_text())

    def test_what_no_file_of_tensors_can_be_is_refused(self):
        good = {"wte.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}

        def header(data=bytes(16), **changes):
            return with_header(json.dumps({"wte.weight": {**good["wte.weight"], **changes}}), data)
        two = '{"a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [%s]}, '\
              '"b": {"dtype": "F32", "shape": [2, 1], "data_offsets": [%s]}}'
        self.json(self.file(header()))
        for what, content in {
                "neither safetensors nor .npy": b"",
                "is neither": struct.pack("<Q", 2**64 - 1) + b"{}",
                "is no file beside it": b'{"weight_map": {"a": "../model.safetensors"}}',
                "which is no file": b'{"weight_map": {"a": "/etc/passwd"}}',
                "JSON without a weight_map": b'{"model_type": "gpt2"}',
                '"weight_map" twice': b'{"weight_map": {"a": "b"}, "weight_map": {"a": "b"}}',
                "tells of a header": with_header(b"{" + b" " * 10)[:12] + b" " * 3,
                "is not JSON": with_header("{" + " " * 7),
                "has an array": with_header('{"a": [[]]}'),
                "an object where": with_header('{"a": ' * 3 + "1" + "}" * 3),
                '"wte.weight" twice': with_header(
                    json.dumps(good)[:-1] + ", " + json.dumps(good)[1:], bytes(16)),
                '"dtype" twice': with_header('{"a": {"dtype": "F32", "dtype": "F32"}}'),
                "a negative number": header(shape=[-2, 2]),
                "has a value": header(shape=[2.0, 2]),
                "beyond 2^64 bytes": header(shape=[2**33, 2**31]),
                "[2, 3] of F32 has 24": header(shape=[2, 3]),
                "a shape and two data_offsets": header(data_offsets=[0]),
                "needs a dtype, a shape and two": header(data_offsets=[16, 0]),
                "and nothing else": header(bias="none"),
                "dtype F31": header(dtype="F31"),
                "and its header tells of 16": header(bytes(17)),
                "begins at 4, where": with_header(two % ("0, 8", "4, 12"), bytes(12)),
                "begins at 12, where": with_header(two % ("0, 8", "12, 20"), bytes(20)),
                "more numbers": header(shape=[1] * 33),
                "no floating-point numbers": header(bytes(4), dtype="I8", data_offsets=[0, 4]),
                "must have 1 to": header(b"", shape=[0, 2], data_offsets=[0, 0]),
                "tables are": with_header(two % ("0, 8", "8, 16"), bytes(16)),
                "no row has finite": header(struct.pack("<4f", *[math.nan] * 4)),
                "a pickle": b"\x80\x02}q\x00.",
                "a zip archive": b"PK\x03\x04" + bytes(100),
                "HDF5": b"\x89HDF\r\n\x1a\n",
                "GGUF": b"GGUF\x03\0\0\0",
                "gzip": b"\x1f\x8b\x08",
                "Git LFS": b"version https://git-lfs.github.com/spec/v1\n",
                "Python objects": npy("'|O'", False, "(2, 2)", bytes(16)),
                "Fortran": npy("'<f4'", True, "(2, 2)", bytes(16)),
                "big-endian": npy("'>f4'", False, "(2, 2)", bytes(16)),
                "several parts": npy("[('a', '<f4')]", False, "(2, 2)", bytes(16)),
                "is none": npy("'<f4'", False, "(2, two)", bytes(16)),
                "has 15 bytes of elements": npy("'<f4'", False, "(2, 2)", bytes(15)),
                "of a version": npy("'<f4'", False, "(2, 2)", bytes(16), 9),
                "a header of 65535 bytes": b"\x93NUMPY\x01\0\xff\xff" + bytes(70000)}.items():
            with self.subTest(what):
                self.refused(what, self.file(content))
        deep = with_header(b'{"a":' * 100000)
        self.refused("an object where", self.file(deep))
        self.refused("", self.file(with_header(b"[" * 1000000)))
        many = ",".join(f'"{i}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}'
                        for i in range(50000))
        self.refused("say --tensor", self.file(with_header("{" + many + "}")))

    def test_what_is_no_regular_file_or_another_size_is_refused(self):
        fifo = self.scratch / "fifo"
        os.mkfifo(fifo)
        self.refused("cannot read", fifo, code=3)
        self.refused("Is a directory", self.scratch, code=3)
        self.refused("No such file", self.scratch / "none", code=3)
        raw = self.file(bytes(24), "raw")
        self.refused("has 24 bytes, and [3, 3] of F32 has 36", raw, "--shape", "3,3", "--dtype", "F32")
        self.refused("must be one of F64", raw, "--shape", "3,2", "--dtype", "float")
        self.refused("needed together", raw, "--shape", "3,2")
        self.refused("says of itself", self.file(safetensors({})), "--shape", "1,8", "--dtype", "F32")
        data = ("F32", [2, 2], bytes(16))
        two = self.file(safetensors({"a.wte.weight": data, "b.wte.weight": data}))
        self.refused("has 2 that may be the token table: a.wte.weight, b.wte.weight", two)
        self.assertEqual(self.json(two, "--tensor", "token table=b.*")["tensor"], "b.wte.weight")
        self.refused("has 2 channels, and", two, "--tensor", "token table=b.*", "--config",
                     self.config(d_model=4))


if __name__ == "__main__":
    unittest.main()
