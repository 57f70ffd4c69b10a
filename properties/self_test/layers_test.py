"""Who may know whom: every #include below lib, properties, analyses and examples against one table:
layers_test.py PROJECT

  std, Random123 ← lib ← lib/expected (+ Boost) ← claims, evidence, domain ← analyses
                                                    └ tests: + RapidCheck, GoogleTest
"""

import fnmatch
import pathlib
import posixpath
import re
import sys
import unittest

from source_tree import files_of, is_code, numbered

PROJECT = sys.argv.pop(1)
# The files of a layer, or the headers of a library: the first row with a name that fits. A * is any
# text.
PLACES = (
    ("expected", "lib/embedscale/expected/*"),
    ("fast", "lib/embedscale/fast/*"),
    ("lib", "lib/*"),
    ("subject's tests", "properties/subject/test/*"),
    ("implementations", "properties/subject/implementations/*"),
    ("subject", "properties/subject/*"),
    ("fast's tests", "properties/fast/*"),
    ("tests", "properties/*_test.cpp", "properties/*/test.cpp", "properties/testing/*",
              "properties/self_test/*", "properties/expected/*"),
    ("exact", "properties/exact/*"),
    ("compiled once", "properties/evidence/*.cpp", "properties/block/taylor.cpp",
                      "properties/conventions/moments.cpp", "properties/sinusoidal/spectrum.cpp"),
    ("trials", "properties/topics.hpp", "properties/*trials.hpp", "properties/*properties.cpp",
               "properties/*mutants.cpp", "properties/precision/*.cpp",
               "properties/conventions/draws.hpp", "properties/conventions/replacements.hpp"),
    ("claims", "properties/*"),
    ("analyses", "analyses/training/study/record.*", "analyses/training/*/runs.*"),
    ("training", "analyses/training/study/*", "analyses/training/recipes/*"),
    ("training's tests", "analyses/training/test/*"),
    ("analyses' tests", "analyses/*_test.cpp", "analyses/test/*", "analyses/audit/test/*",
                        "analyses/port/test/*"),
    ("core", "analyses/core/*", "analyses/audit/*", "analyses/compare/*", "analyses/port/*",
             "analyses/report/nearest.*", "analyses/report/table.*", "analyses/report/json_once.*"),
    ("process", "analyses/report/process.*"),
    ("benchmarks", "analyses/performance/*"),
    ("processes", "analyses/parts/mpi.cpp"),
    ("analyses", "analyses/*"),
    ("examples", "examples/*"),
    ("Random123", "Random123/*"),
    ("Boost", "boost/*"),
    ("GMP", "gmp.h"),
    ("MPFR", "mpfr.h"),
    ("RapidCheck", "rapidcheck*"),
    ("GoogleTest", "gtest/*"),
    ("oneDNN", "dnnl.hpp"),
    ("Highway", "hwy/*"),
    ("Google Benchmark", "benchmark/*"),
    ("fmt", "fmt/*"),
    ("JSON", "nlohmann/*"),
    ("CLI11", "CLI/*"),
    ("toml++", "toml++/*"),
    ("TBB", "tbb/*"),
    ("Eigen", "Eigen/*"),
    ("muParser", "muParser*.h"),
    ("MPI", "mpi.h"),
    ("libtorch", "torch/*.h", "ATen/*.h", "c10/*.h"),
    ("POSIX", "sys/*.h", "gnu/*.h", "fcntl.h", "fnmatch.h", "poll.h", "dlfcn.h", "signal.h",
              "spawn.h", "stdlib.h", "errno.h", "malloc.h", "unistd.h"),
)
# What a browser has not.
SYSTEM = {"filesystem", "fstream", "iostream", "thread", "mutex", "csignal"}
# What the files of a layer may include. Eigen's half and bfloat16 check the library's formats.
MAY_INCLUDE = {
    "lib": {"std", "Random123", "lib"},
    "expected": {"std", "Random123", "Boost", "lib", "expected"},
    "fast": {"std", "Highway", "TBB", "Random123", "lib", "fast"},
    "fast's tests": {"std", "Highway", "TBB", "Boost", "GoogleTest", "lib", "fast", "fast's tests",
                     "claims", "trials", "tests"},
    "benchmarks": {"std", "Google Benchmark", "Eigen", "Highway", "TBB", "JSON", "lib", "fast"},
    "exact": {"std", "GMP", "MPFR", "exact"},
    "claims": {"std", "lib", "expected", "exact", "claims"},
    "compiled once": {"std", "Boost", "Eigen", "lib", "expected", "exact", "claims"},
    "trials": {"std", "lib", "expected", "exact", "claims", "trials", "tests"},
    "process": {"std", "POSIX", "process"},
    "subject": {"std", "POSIX", "fmt", "JSON", "lib", "expected", "exact", "claims", "trials",
                "tests", "core", "analyses", "subject"},
    "implementations": {"std", "oneDNN", "subject"},
    "subject's tests": {"std", "POSIX", "GoogleTest", "claims", "tests", "subject"},
    "tests": {"std", "POSIX", "Boost", "Eigen", "RapidCheck", "GoogleTest", "lib", "fast", "expected",
              "exact", "claims", "trials", "tests"},
    "analyses": {"std", "POSIX", "Boost", "fmt", "JSON", "CLI11", "toml++", "TBB", "Eigen",
                 "muParser", "lib", "expected", "exact", "claims", "process", "core", "analyses"},
    "core": {"std", "fmt", "JSON", "toml++", "muParser", "lib", "expected", "claims", "core"},
    "processes": {"std", "MPI", "analyses"},
    "training": {"std", "POSIX", "libtorch", "fmt", "TBB", "lib", "claims", "analyses", "training"},
    "training's tests": {"std", "libtorch", "fmt", "GoogleTest", "lib", "exact", "claims",
                         "analyses", "training", "training's tests"},
    "analyses' tests": {"std", "POSIX", "Boost", "fmt", "JSON", "CLI11", "toml++", "TBB", "Eigen",
                        "muParser", "RapidCheck", "GoogleTest", "lib", "expected", "exact",
                        "claims", "trials", "tests", "process", "core", "analyses",
                        "analyses' tests"},
    "examples": {"std", "Boost", "RapidCheck", "GoogleTest", "lib", "expected", "exact", "claims",
                 "trials", "tests", "examples"},
}
INCLUDE = re.compile(r"""\s*#\s*include\b\s*(?:([<"])([^">]+)[">])?""")


def layer_of(path):
    for layer, *names in PLACES:
        if any(fnmatch.fnmatchcase(path, name) for name in names):
            return layer
    return "std" if re.fullmatch("[a-z_0-9]*", path) else "unknown"  # no slash and no dot


def target_of(path, quote, name, paths):
    """The included file as a path of the project, or the name as it is for a library's header."""
    if quote == "<" and name.startswith("properties/"):
        return posixpath.normpath(name)
    if name.startswith("embedscale/"):
        return posixpath.normpath("lib/" + name)
    if quote == "<":
        return name
    # analyses/ is an include directory of its own programs: "report/table.hpp" from anywhere in it.
    # So is the root: "properties/exact/rational.hpp".
    above = pathlib.PurePosixPath(path)
    beside, below = (posixpath.normpath(above.parent / name), posixpath.normpath(
        f"{above.parts[0]}/{name}"))
    return next((one for one in (beside, below, name) if one in paths), beside)


def forbidden(files):
    """Every arrow that is not in the table."""
    for path, text in files.items():
        for number, line in numbered(text):
            if not (found := INCLUDE.match(line)):
                continue
            quote, name = found.groups()  # none for a macro, which nobody can check
            target = target_of(path, quote, name, files) if name else "what a macro says"
            layer, other = layer_of(path), layer_of(target)
            if other not in MAY_INCLUDE.get(layer, ()) or (layer == "core" and target in SYSTEM):
                yield f"{path}:{number} includes {target}: {layer} may not know {other}"


class Layers(unittest.TestCase):
    def test_know_only_what_the_picture_allows(self):
        all = files_of(PROJECT, "lib", "properties", "analyses", "examples")
        files = {path: text for path, text in all.items() if is_code(path)}
        for known in ("lib/embedscale/combination.hpp", "properties/combination/claims.hpp",
                      "analyses/combination/sections.cpp", "analyses/test/page_test.cpp"):
            self.assertIn(known, files)
        self.assertEqual(list(forbidden(files)), [])

    def test_planted_arrows_are_reported(self):
        """The test is tested: one arrow of each forbidden kind."""
        for path, include in (
                ("lib/embedscale/planted.hpp", "#include <boost/math/constants/constants.hpp>"),
                ("lib/embedscale/planted.hpp", "#include \"../../properties/claim.hpp\""),
                ("lib/embedscale/expected/planted.hpp", "#include <properties/claim.hpp>"),
                ("properties/planted.hpp", "#include \"testing/planted.hpp\""),  # beside it
                ("properties/evidence/planted.hpp", "  #  include <nlohmann/json.hpp>"),
                ("properties/topic/planted.hpp", "#include <boost/version.hpp>"),
                ("properties/planted_test.cpp", "#include \"../analyses/report/table.hpp\""),
                ("analyses/planted.cpp", "#include <unheard/of.hpp>"),
                ("analyses/planted.cpp", "#include PLANTED"),
                ("analyses/audit/planted.cpp", "#include \"../report/file.hpp\""),
                ("analyses/core/planted.cpp", "#include <filesystem>"),
                ("examples/planted.cpp", "#include <embedscale/../../analyses/report/table.hpp>"),
                ("elsewhere/planted.cpp", "#include <vector>")):
            found = list(forbidden({path: f"#pragma once\n// A file.\n{include}\n"}))
            self.assertEqual(len(found), 1, f"{path} {include}")
            self.assertTrue(found[0].startswith(f"{path}:3 includes "), found[0])


if __name__ == "__main__":
    unittest.main()
