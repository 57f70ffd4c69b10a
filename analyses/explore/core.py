"""Writes explore-core.js: the module, what it knows of systems and model types, and what pages show
beside its answers. See build.sh.

Exit codes: 0 done, 3 input or output."""

import argparse
import base64
import gzip
import json
import pathlib
import re
import subprocess
import sys

SHOWN = {"ratio": ("token_to_position",), "token_rms": ("token", "rms"),
         "position_rms": ("position", "rms"), "entropy": ("first_layer", "entropy"),
         "multiplier": ("scaled_down", "factor")}


def at(audit, path):
    for key in path:
        audit = audit[key]
    return audit


def atlas(command, files):
    """The figures of each system that are marks in a picture."""
    done = subprocess.run([command, "audit", "--json", *files], capture_output=True, check=True)
    systems = {}
    for line in done.stdout.decode().splitlines():
        audit = json.loads(line)
        width = audit["fields"]["model.d_model"]["value"]
        systems[audit["name"]] = {"d_model": width and int(width)} | {
            name: at(audit, path) for name, path in SHOWN.items()}
    return systems


def claims(results):
    return {row["id"]: {"finding": row["finding"], "anchor": row["anchor"],
                        "verdict": " ".join(filter(None, (row["verdict"], row["condition"])))}
            for row in json.loads(results)["claims"]}


def verdicts(decide):
    """What the page of decisions says of each verdict that it has."""
    lines = re.findall(r"^- \*([^*]+)\*: (.*?)(?: <sub>.*)?$", decide, re.M)
    return {verdict: {"title": verdict, "text": text} for verdict, text in lines}


def packed(content):
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def main():
    parser = argparse.ArgumentParser(prog="core", description=__doc__)
    for option in ("--project", "--command", "--module", "--out"):
        parser.add_argument(option, type=pathlib.Path, required=True)
    asked = parser.parse_args()

    def read(name):
        return (asked.project / name).read_text(encoding="utf-8")

    try:
        systems = sorted((asked.project / "analyses/systems").glob("*.toml"))
        types = sorted((asked.project / "analyses/model_types").glob("*.toml"))
        known = {"texts": {file.stem: file.read_text(encoding="utf-8") for file in systems},
                 "modelTypes": [file.read_text(encoding="utf-8") for file in types],
                 "atlas": atlas(asked.command, systems),
                 "claims": claims(read("reports/results.json")),
                 "verdicts": verdicts(read("reports/decide.md"))}
        content = json.dumps(known, ensure_ascii=False).encode()
        data = {"module": packed(asked.module.read_bytes()), "known": packed(content)}
        asked.out.parent.mkdir(parents=True, exist_ok=True)
        asked.out.write_text(f"const packed = {json.dumps(data)};\n"
                             + read("analyses/explore/core.js"), encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"core: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
