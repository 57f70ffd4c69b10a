"""Completions, ports and the pre-commit hook agree with what they stand for: packaging_test.py
BIN, where embedscale and embedscale-check are."""

import ast
import json
import os
import pathlib
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent
BIN = pathlib.Path(sys.argv.pop(1))
sys.path[:0] = [str(HERE), str(SOURCE / "analyses/cite")]

import completions  # noqa: E402
from cite import LINE_COMMENTS  # noqa: E402

# What a port calls a package of packages/debian.txt; vcpkg's own, and what is in another's.
DEBIAN = {"boost": "libboost-dev", "boost-math": "libboost-dev", "boost-multiprecision":
          "libboost-dev", "cli11": "libcli11-dev", "fmt": "libfmt-dev", "gmp": "libgmp-dev",
          "gtest": "libgtest-dev", "highway": "libhwy-dev", "mpfr": "libmpfr-dev",
          "muparser": "libmuparser-dev", "nlohmann_json": "nlohmann-json3-dev",
          "onetbb": "libtbb-dev", "random123": "librandom123-dev",
          "rapidcheck": "librapidcheck-dev", "tbb": "libtbb-dev",
          "tomlplusplus": "libtomlplusplus-dev"}


def read(path):
    return (SOURCE / path).read_text("utf-8")


def version():
    return re.search(r"^  VERSION (\S+)$", read("CMakeLists.txt"), re.M)[1]


def options():
    """Those of CMakeLists.txt."""
    return set(re.findall(r"^option\((\w+) ", read("CMakeLists.txt"), re.M))


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.place = pathlib.Path(directory.name)
        completions.main(cls.place, BIN / "embedscale", BIN / "embedscale-check")
        cls.files = {path.relative_to(cls.place).parts[0].split("-")[0]: path
                     for path in cls.place.rglob("*") if path.is_file()}
        cls.environment = {**os.environ, "PATH": f"{BIN}:/usr/bin:/bin", "HOME": directory.name}

    def bash(self, *words):
        script = ('. "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _embedscale; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return subprocess.run(["bash", "-c", script, self.files["bash"], "embedscale", *words],
                              check=True, env=self.environment, capture_output=True,
                              encoding="utf-8").stdout.split()

    def test_are_told_of_every_option(self):
        """As the programs' own help has them, whatever reads that."""
        helps = {name: subprocess.run([*program, "--help"], capture_output=True, check=True,
                                      encoding="utf-8").stdout
                 for name, *program in (
                     *((name, BIN / "embedscale", name)
                       for name in ("list", "show", "audit", "compare", "port", "cite")),
                     ("check", BIN / "embedscale-check", "check"))}
        for name, text in helps.items():
            wanted = set(re.findall(r"^ +(?:-h, ?)?--([a-z-]+)", text, re.M))
            self.assertIn("help", wanted)
            self.assertEqual(set(self.bash(name, "--")), {"--" + one for one in wanted}, name)
            zsh = self.files["zsh"].read_text().split(f"\n  {name})\n")[1].split(";;")[0]
            self.assertEqual(set(re.findall(r"'\*--([a-z-]+)\[", zsh)), wanted, name)
            fish = re.findall(rf"seen_subcommand_from {name}' -l ([a-z-]+)",
                              self.files["fish"].read_text())
            self.assertEqual(set(fish), wanted, name)
        listed = re.findall(r"^  ([a-z]+)  ", subprocess.run(
            [BIN / "embedscale", "--help"], capture_output=True, encoding="utf-8").stdout, re.M)
        self.assertGreater(len(listed), 7)
        for command in listed:
            self.assertIn(f"'{command}:", self.files["zsh"].read_text())
            self.assertIn(f"-a {command} -d", self.files["fish"].read_text())

    def test_complete_in_bash(self):
        for words, wanted in ((["au"], ["audit"]), (["audit", "--sys"], ["--system", "--systems"]),
                              (["audit", "--system", "gpt2_"], ["gpt2_openai"]),
                              (["port", "--place", "fin"], ["final_norm"]),
                              (["cite", "--style", "b"], ["bibtex"]),
                              (["cite", "combination.rounds"], ["combination.rounds_identically"]),
                              (["check", "--junit", ""], [])):
            self.assertEqual(self.bash(*words), wanted, words)

    def test_are_what_the_shells_read(self):
        subprocess.run(["bash", "-n", self.files["bash"]], check=True)
        for shell in ("zsh", "fish"):
            if shutil.which(shell):
                with self.subTest(shell):
                    subprocess.run([shell, "-n", self.files[shell]], check=True)
        if shutil.which("fish"):
            for line, wanted in (("embedscale au", "audit"),
                                 ("embedscale audit --syst", "--system"),
                                 ("embedscale audit --system gpt2_", "gpt2_openai")):
                told = subprocess.run(
                    ["fish", "-c", f"source {self.files['fish']}; complete -C '{line}'"],
                    env=self.environment, capture_output=True, encoding="utf-8").stdout
                self.assertIn(wanted, [one.split("\t")[0] for one in told.splitlines()], line)


class Ports(unittest.TestCase):
    packages = set(read("packages/debian.txt").split())

    def test_of_vcpkg_names_what_there_is(self):
        port = json.loads(read("packaging/vcpkg/vcpkg.json"))
        self.assertEqual((port["name"], port["version"]), ("embedscale", version()))
        needed = [*port["dependencies"],
                  *(one for part in port["features"].values() for one in part["dependencies"])]
        names = {one if isinstance(one, str) else one["name"] for one in needed}
        names -= {"vcpkg-cmake", "vcpkg-cmake-config"}
        self.assertLessEqual({DEBIAN[name] for name in names}, self.packages)
        file = read("packaging/vcpkg/portfile.cmake")
        self.assertLessEqual(set(re.findall(r"\bEMBEDSCALE_\w+", file)), options())
        switched = dict(re.findall(r"\b([a-z]+) (EMBEDSCALE_\w+)", file))
        self.assertEqual(switched,
                         {name: f"EMBEDSCALE_{name.upper()}" for name in port["features"]})

    def test_of_conan_names_what_there_is(self):
        for path in ("conanfile.py", "test_package/conanfile.py"):
            with tempfile.TemporaryDirectory() as place:
                py_compile.compile(str(HERE / "conan" / path), place + "/compiled", doraise=True)
        text = read("packaging/conan/conanfile.py")
        recipe = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
        said = {}
        for node in recipe.body:
            if isinstance(node, ast.Assign):
                said.update((target.id, ast.literal_eval(node.value)) for target in node.targets)
        self.assertEqual((said["name"], said["version"]), ("embedscale", version()))
        self.assertEqual(said["options"].keys(), said["default_options"].keys())
        switched = {f"EMBEDSCALE_{name.upper()}" for name in said["options"]}
        self.assertLessEqual(switched | set(re.findall(r"EMBEDSCALE_[A-Z]+", text)), options())
        needed = re.findall(r'"([a-z0-9_]+)/(?:\[|cci)', text)
        self.assertGreater(len(needed), 10)
        self.assertLessEqual({DEBIAN[name] for name in needed}, self.packages)
        for folder in set(re.findall(r'"(\w+)/\*"', text)):
            self.assertTrue((SOURCE / folder).is_dir(), folder)

    def test_of_debian_names_what_there_is(self):
        text = read("cmake/packages.cmake")
        needed = re.findall(r"\blib[\w-]+-dev\b", text)
        self.assertLessEqual(set(needed) - {"libembedscale-dev"}, self.packages)
        dependencies = set(re.findall(r"find_dependency\((\w+)",
                                      read("cmake/embedscale-config.cmake.in")))
        self.assertEqual(len(set(needed)) - 1, len(dependencies), dependencies)


class Hook(unittest.TestCase):
    def test_starts_the_check_for_every_kind_of_file(self):
        text = read(".pre-commit-hooks.yaml")
        said = dict(re.findall(r"^(?:- |  )(\w+): (.+)$", text, re.M))
        program = SOURCE / said["entry"].split()[0]
        self.assertTrue(os.access(program, os.X_OK))
        for suffix in LINE_COMMENTS:
            self.assertRegex("a" + suffix, said["files"])
        self.assertNotRegex("a.cpp", said["files"])
        ended = subprocess.run([program, *said["entry"].split()[1:], "README.md", "LICENSE.txt"],
                               cwd=SOURCE, capture_output=True, encoding="utf-8")
        self.assertEqual(ended.returncode, 3)
        ended = subprocess.run([program, *said["entry"].split()[1:], "README.md"],
                               cwd=SOURCE, capture_output=True, encoding="utf-8")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""), ended.stderr)


if __name__ == "__main__":
    unittest.main()
