"""The action's step as a runner starts it, but for building: action_test.py PROJECT BIN."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

project, bin = map(pathlib.Path, sys.argv[1:])
text = (project / "action.yml").read_text(encoding="utf-8")
inputs = dict(re.findall(r"^  (\w+):\n    description: .*\n    default: \"(.*)\"$", text, re.M))
given = re.findall(r"^        ([A-Z]+): \$\{\{ inputs\.(\w+) \}\}$", text, re.M)
script = "".join(re.findall(r"^        (.*\n)", text.split("      run: |\n")[1], re.M))


def run(subject="", **others):
    """The exit code and what is printed, in a workspace with the subjects."""
    with tempfile.TemporaryDirectory() as place:
        action, workspace = pathlib.Path(place, "action"), pathlib.Path(place, "workspace")
        (action / "build/release").mkdir(parents=True)
        (action / "build/release/bin").symlink_to(bin)
        for name in ("analyses", "reports"):
            (action / name).symlink_to(project / name)
        (action / "dev").write_text('#!/bin/sh\n[ "$*" = "embedscale check --list" ]\n')
        (action / "dev").chmod(0o755)
        workspace.symlink_to(project / "properties/subject/test")
        values = {**inputs, "subject": subject, **others}
        env = {name: values[key] for name, key in given}
        ended = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=workspace,
                               env={**os.environ, **env, "GITHUB_ACTION_PATH": str(action)},
                               stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return ended.returncode, ended.stdout + ended.stderr


def expect(what, is_so, said):
    if not is_so:
        sys.exit(f"{what}:\n{said}")


expect("six inputs reach the step", len(given) == len(inputs) == 6, (given, inputs))
code, said = run()
expect("a step that is to do nothing fails", code == 2 and "::error::name paths" in said, said)
python = "/usr/bin/python3 -B "
code, said = run(python + "right.py", claims="normalization.layer*")
expect("a right subject passes", code == 0 and "0 violated" in said, said)
wrong = python + "wrong.py layer_norm_unbiased"
code, said = run(wrong, claims="normalization.layer*")
expect("a wrong subject fails", code == 1 and "::error title=normalization.layer_norm" in said, said)
with tempfile.NamedTemporaryFile("w", suffix=".json") as known:
    names = re.findall(r"^::error title=([\w.]+)::", said, re.M)
    known.write("{" + ", ".join(f'"{name}": "as a paper has it"' for name in names) + "}")
    known.flush()
    code, said = run(wrong, claims="normalization.layer*", baseline=known.name)
    expect("what is known passes", code == 0 and "known (as a paper has it)" in said, said)
with tempfile.TemporaryDirectory() as docs:
    page = pathlib.Path(docs, "a.md")
    mark = "<!-- embedscale: combination.rounds_identically = {} -->\n"
    page.write_text(mark.format("true if"))
    code, said = run(cite=f"{docs}\n{page}")
    expect("right documentation passes, and builds nothing",
           code == 0 and "1 files, 1 marks" in said and "violated" not in said, said)
    page.write_text(mark.format("false"))
    code, said = run(python + "right.py", cite=docs)
    expect("wrong documentation fails where it stands, first",
           code == 1 and f"::error file={page},line=1" in said and "violated" not in said, said)
    code, said = run(cite=docs + "/none")
    expect("what is not there fails", code == 3, said)
