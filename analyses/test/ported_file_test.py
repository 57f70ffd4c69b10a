"""`embedscale port --apply` from outside: which entries it changes, each rounded once, and what is
left of a file that could not be written. That the file computes the same is port_evaluated_test's."""

import json
import os
import resource
import struct
import subprocess
import unittest
from fractions import Fraction

from checkpoints import FORMATS, Checkpoints, encoded, safetensors, table
from programs import PROGRAMS, run


class PortedFiles(Checkpoints):
    def ported(self, content, *arguments):
        old = self.config("old.toml", multiplier="'sqrt(3072)'")
        new = self.config("new.toml")
        return ("port", old, new, "--place", "own_table", "--apply", self.file(content),
                self.scratch / "out", *arguments)

    def test_a_port_rounds_each_entry_once_and_leaves_the_rest(self):
        for dtype in ("F32", "F16", "BF16", "F64"):
            with self.subTest(dtype):
                size, value = FORMATS[dtype]
                data, rows = table(9, 16, dtype, 7)
                rest = {"h.bias": ("I8", [3], b"\1\2\3"), "norm.weight": ("F32", [2], bytes(8))}
                content = safetensors({**rest, "wte.weight": (dtype, [9, 16], data)})
                ended = run("embedscale", *self.ported(content))
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                out = (self.scratch / "out").read_bytes()
                length = struct.unpack("<Q", out[:8])[0]
                header = json.loads(out[8:8 + length])
                self.assertEqual(length % 8, 0)

                def of(name):
                    begin, end = header[name]["data_offsets"]
                    return out[8 + length + begin:8 + length + end]
                for name, (_, _, content_of) in rest.items():
                    self.assertEqual(of(name), content_of)
                self.assertEqual(of("lm_head.weight"), data)  # the copy is of the table as it was
                rounded = 0
                for i, x in enumerate(x for row in rows for x in row):
                    exact = Fraction(x) * Fraction("55.5")
                    got = of("wte.weight")[i * size:(i + 1) * size]
                    # 53 + 8 digits are one double's and a bit: the nearest one but for binary64.
                    wanted, has = encoded(dtype, float(exact))
                    self.assertEqual(got, wanted)
                    rounded += Fraction(has) != exact
                self.assertIn(f"wte.weight: times 55.5; {rounded} of 144 entries rounded\n",
                              ended.stdout)
                self.assertIn('{"params": ["wte.weight"], "lr": lr * 55.5', ended.stdout)

    def test_a_port_finds_the_last_norm_and_each_copy_of_the_table(self):
        data, rows = table(4, 16, "F32", 7)
        gain = ("F32", [16], struct.pack("<16f", *16 * [3]))
        same, norms = ("F32", [4, 16], data), "decoder.final_layer_norm.weight"
        tensors = {"shared.weight": same, "encoder.embed_tokens.weight": same, "lm_head.weight": same,
                   **{name: gain for name in (
                       norms, "encoder.final_layer_norm.weight",
                       "decoder.layers.0.final_layer_norm.weight")}}
        old, new = self.config("old.toml", multiplier="2"), self.config("new.toml")

        def applied(content, *more):
            return run("embedscale", "port", old, new, "--place", "final_norm", "--apply",
                       self.file(content), self.scratch / "out", *more)
        ended = applied(safetensors(tensors))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended.stdout)
        twice = struct.pack("<64f", *(2 * x for row in rows for x in row))
        wanted = {name: ("F32", shape, twice if content == data else content)
                  for name, (_, shape, content) in tensors.items()}
        wanted[norms] = ("F32", [16], struct.pack("<16f", *16 * [1.5]))
        self.assertEqual((self.scratch / "out").read_bytes(), safetensors(wanted))
        for what, changed in (("have other bytes", {"lm_head.weight": ("F32", [4, 16], twice)}),
                              ("have other bytes", {"encoder.embed_tokens.weight": (
                                  "F32", [2, 16], data[:128])}),
                              ("may be the gain", {"a.decoder.final_layer_norm.weight": gain})):
            ended = applied(safetensors({**tensors, **changed}))
            self.assertEqual(ended.returncode, 2, ended.stdout)
            self.expect_line(ended.stderr, what)
        two = safetensors({**tensors, "norm.x": gain})
        self.expect_line(applied(two, "--tensor", "gain=shared.weight").stderr, "two parameters")
        own = run("embedscale", "port", old, new, "--place", "own_table", "--apply", self.file(
            safetensors({**tensors, "lm_head.weight": ("F16", [4, 16], bytes(128))})),
            self.scratch / "out")
        self.expect_line(own.stderr, "another shape or dtype")

    def test_a_port_keeps_towers_apart(self):
        old = self.config("old.toml")
        old.write_text(old.read_text() + "[attention]\nscale = 0.5\n")
        matrix = ("F32", [2, 2], struct.pack("<4f", 1, 2, 3, 4))
        file = self.file(safetensors({f"{tower}.layers.0.q_proj.weight": matrix
                                      for tower in ("model", "vision")}))
        words = ("embedscale", "port", old, self.config("new.toml"), "--apply", file,
                 self.scratch / "out")
        self.expect_line(run(*words).stderr, "model.layers.… or vision.layers.…")
        ended = run(*words, "--tensor", "query projection=model.*q_proj*")
        self.assertIn("model.layers.0.q_proj.weight: times", ended.stdout, ended.stderr)
        self.assertNotIn("vision", ended.stdout)

    def test_a_port_replaces_regular_files_alone(self):
        data, _ = table(4, 16, "F32", 7)
        content = safetensors({"wte.weight": ("F32", [4, 16], data)})
        real, out = self.scratch / "real", self.scratch / "out"
        real.write_bytes(b"before")
        real.chmod(0o600)
        out.symlink_to(real)
        self.assertEqual(run("embedscale", *self.ported(content)).returncode, 0)
        self.assertTrue(out.is_symlink())
        self.assertEqual((real.stat().st_mode & 0o777, real.read_bytes()[8:9]), (0o600, b"{"))
        out.unlink()
        os.mkfifo(out)
        ended = run("embedscale", *self.ported(content))
        self.assertEqual(ended.returncode, 3)
        self.expect_line(ended.stderr, "is no regular file")

    def test_nothing_is_left_of_a_port_that_fails(self):
        data, _ = table(2000, 16, "F32", 7)
        good = safetensors({"wte.weight": ("F32", [2000, 16], data)})
        out = self.scratch / "out"
        out.write_bytes(b"before")

        def expect_untouched(what, ended, code):
            self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)
            self.expect_line(ended.stderr, what)
            self.assertEqual(out.read_bytes(), b"before")
            self.assertEqual([path.name for path in self.scratch.glob("*.writing")], [])
        full = subprocess.run(
            [PROGRAMS / "embedscale", *self.ported(good)], encoding="utf-8", capture_output=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
        expect_untouched("File too large", full, 3)
        large = safetensors({"wte.weight": ("F16", [1, 2], struct.pack("<2e", 1, 60000))})
        expect_untouched("overflows F16: 60000 becomes", run("embedscale", *self.ported(large)), 2)
        quantised = safetensors({"wte.weight": ("F8_E4M3", [1, 2], bytes(2))})
        expect_untouched("which is not multiplied", run("embedscale", *self.ported(quantised)), 2)
        none = safetensors({"h.weight": ("F32", [2, 2], bytes(16))})
        expect_untouched("say --tensor 'token table=NAME'", run("embedscale", *self.ported(none)), 2)
        same = ["port", self.config("a.toml", multiplier="2"), self.config("b.toml"), "--apply",
                self.scratch / "model.safetensors", self.scratch / "model.safetensors"]
        expect_untouched("name another file", run("embedscale", *same), 2)
        dry = run("embedscale", *self.ported(good, "--dry-run"))
        self.assertEqual((dry.returncode, out.read_bytes()), (0, b"before"))
        # What the steps do not keep.
        other = self.config("c.toml", more="multiplier_when = 'always'\n")
        other.write_text(other.read_text().replace("rms_norm", "layer_norm"))
        ended = run("embedscale", "port", self.config("a.toml"), other, "--apply",
                    self.scratch / "model.safetensors", out)
        self.assertEqual((ended.returncode, out.read_bytes()), (1, b"before"))
        self.assertIn("block.kind", ended.stdout)
        self.expect_line(ended.stderr, "--apply writes nothing")
        # A process that is killed leaves nothing, either.
        content = safetensors({"wte.weight": ("F32", [1 << 20, 16], bytes(1 << 26))})
        child = subprocess.Popen([PROGRAMS / "embedscale", *self.ported(content)],
                                 stdout=subprocess.DEVNULL)
        child.kill()
        child.wait()
        self.assertEqual(out.read_bytes(), b"before")
        self.assertEqual([path.name for path in self.scratch.glob("*.writing")], [])


if __name__ == "__main__":
    unittest.main()
