#!/usr/bin/python3 -B
"""Runs the tests of CTest, each a part: ./dev test --thorough. What passed by the same sources and
random numbers is not run again."""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import parts


def output_of(words, folder):
    return subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE).stdout


def hash_of_all(project, build):
    """Of what decides whether a test passes: the files that git knows of, how they are compiled,
    and what random numbers derive from; not of libraries' versions."""
    listed = output_of(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                       project)
    told = hashlib.sha256((build / "CMakeCache.txt").read_bytes())
    for name in filter(None, listed.decode().split("\0")):
        if (file := project / name).is_file():
            told.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    for variable in ("EMBEDSCALE_SEED", "EMBEDSCALE_CASES", "EMBEDSCALE_OBSERVATIONS"):
        if variable in os.environ:
            told.update(f"{variable}{os.environ[variable]}\n".encode())
    return told.hexdigest()[:16]


def phases_of(options):
    """First those that others wait for. By CTest, who knows their commands, environment and time;
    in a folder of its own, for its logs."""
    folder = options.build / "thorough"
    folder.mkdir(exist_ok=True)
    (folder / "CTestTestfile.cmake").write_text(f"subdirs([==[{options.build}]==])\n")
    of = hash_of_all(options.project, options.build)
    phases = [], []
    for test in json.loads(output_of(["ctest", "--test-dir", options.build, "--show-only=json-v1",
                                      *options.arguments], options.project))["tests"]:
        awaited = any(one["name"] == "FIXTURES_SETUP" for one in test["properties"])
        name = "^" + re.sub(r"([.+*?()\[\]^$\\|])", r"\\\1", test["name"]) + "$"
        phases[0 if awaited else 1].append((test["name"], of, [
            "ctest", "--test-dir", folder, "-R", name, "-FA", ".", "--timeout", "1800",
            "--no-tests=error", "--output-on-failure"]))
    return phases


def main():
    parser = argparse.ArgumentParser(prog="tests", description=__doc__)
    for option in ("--project", "--build"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument("arguments", nargs="*", help="of ctest, behind --: which tests")
    parts.add_options(parser)
    options = parser.parse_args()
    if options.shard != "1/1":
        parser.error("--shard: tests wait for others, in one build tree; use --mpi")
    phases = phases_of(options)
    if not any(phases):
        parser.error("no test is named so")
    parts.become_maker(options.build, "thorough", phases, options, ["--keep-going"])


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"tests: {error}", file=sys.stderr)
        sys.exit(3)
