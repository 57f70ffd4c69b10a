"""The programs under test as child processes, and what they wrote."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAMS, SOURCE, SITE = (pathlib.Path(os.environ[f"EMBEDSCALE_{name}"])
                          for name in ("PROGRAMS", "SOURCE_DIR", "SITE"))

# Small parameters of an analysis of combination that take some milliseconds.
QUICK = ("--positions", "16", "--samples", "20")


def run(program, *arguments, out=subprocess.PIPE, input=""):
    """How a program of the project, or one by its path, ended, with what it printed as text."""
    return subprocess.run([PROGRAMS / program, *arguments], input=input, stdout=out,
                          stderr=subprocess.PIPE, encoding="utf-8")


def measure(*arguments, **options):
    """The analysis of combination."""
    return run("analyses", "combination", *arguments, **options)


def write(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(path):
    return path.read_text(encoding="utf-8")


def tree(root):
    """Every file below a directory, by its relative path."""
    return {str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*")) if path.is_file()}


def fnv1a(text):
    """The hash that the project's records have, from its definition."""
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value:016x}"


class Test(unittest.TestCase):
    """With a directory of its own, gone when the test is."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.scratch = pathlib.Path(directory.name)

    def expect_line(self, text, what):
        """That text is one line, and says so."""
        self.assertEqual(text.find("\n"), len(text) - 1, text)
        self.assertIn(str(what), text)
