"""The page "What is a trained table like?": the fingerprint of the table of a real model, of which
a part is kept in trained/ (its NOTICE.md). The words are trained/page.md."""

import json
import math
import pathlib
import struct
import tempfile
import tomllib

from report.markdown import GENERATED_NOTE, figure, fill, significant, table

LENGTHS = "8,16,32,128"
EIGHTHS = "|1st:|2nd:|3rd:|4th:|5th:|6th:|7th:|8th:"
BANDS = 8
BEGINNINGS = {"unit": "1", "1/sqrt(d)": "d^−½"}
FIGURES = ("rows", "channels")


def number(x):
    return significant(x, 3)


def gains_in(checkpoint):
    """The medians of |gain| in eighths of the channels, from fast to slow: these are in halves,
    sines before cosines."""
    data = checkpoint.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    gain = json.loads(data[8:start])["gain.weight"]
    begin, end = (start + offset for offset in gain["data_offsets"])
    sizes = [abs(x) for x, in struct.iter_unpack("<e", data[begin:end])]
    half = len(sizes) // 2
    ordered = [size for pair in zip(sizes[:half], sizes[half:]) for size in pair]
    of_band = len(ordered) // BANDS
    return [sorted(ordered[k:k + of_band])[of_band // 2] for k in range(0, len(ordered), of_band)]


def require_as_told(f, gains):
    """What the words say of these numbers without naming any."""
    grow = [f["tokens"], gains, f["ratios"][-1]["by_band"], f["by_id"][::-1]]
    if not (f["width"] ** -0.5 < f["rms"] < 1 and all(row[0] < row[-1] for row in grow)):
        raise ValueError("trained: the table is not as its words say")


def tables(f, gains):
    """By the section that they stand in."""
    def row(label, values):
        return [label, *map(number, values)]

    return {
        "size": table("Had it begun with|RMS then:|RMS now over that:",
                      [row(BEGINNINGS[one["what"]], (one["deviation"], one["ratio"]))
                       for one in f["beginnings"]]),
        "rows": table("Of the rows|RMS:",
                      [row(f"{100 * share:g} % are smaller", [rms])
                       for share, rms in zip(f["quantile_shares"], f["quantiles"])]),
        "ids": table("Eighth of the ids" + EIGHTHS, [row("RMS of the rows", f["by_id"])]),
        "channels": table("Eighth of the channels" + EIGHTHS, [
            row("tokens", f["tokens"]), row("gain of the first norm", gains),
            *(row(f"tokens over {one['positions']} positions", one["by_band"])
              for one in f["ratios"])])}


def fields(f, vocabulary):
    short, long = f["ratios"][0], f["ratios"][-1]
    return {"equal_rows": f"{f['equal']['rows']:,}",
            "rows_together": f"{f['together']['rows']:,}",
            "rows": f"{f['rows']:,}",
            "all_rows": f"{vocabulary:,}",
            "channels": f"{f['width']:,}",
            "rms": number(f["rms"]),
            "positions": str(long["positions"]),
            "global_ratio": number(f["rms"] / math.sqrt(0.5)),
            "short": str(short["positions"]),
            "exceed_short": significant(100 * short["tokens_exceed"], 2),
            "exceed_long": significant(100 * long["tokens_exceed"], 2),
            "mean_share": significant(100 * f["mean_share"], 2),
            "frequent": number(f["by_id"][0] / f["by_id"][-1])}


def page(f, gains, vocabulary, words):
    """reports/trained.md."""
    require_as_told(f, gains)
    shown, known = tables(f, gains), fields(f, vocabulary)

    def said(section, part):
        return fill(words.part(section, part), known, words.name)

    out = (f"{GENERATED_NOTE}# {words.title}\n\n"
           f"{fill(words.introduction, known, words.name)}\n")
    for name in ("size", "rows", "ids", "channels", "limits"):
        out += f"\n## {words.part(name, 'title')}\n\n{said(name, 'text')}\n"
        out += f"\n{shown[name]}" if name in shown else ""
        if name in FIGURES:
            out += "\n" + figure(f"trained_{name}", said(name, "figure"), said(name, "caption"))
    return out


def files(directory, words, commands):
    """The page and its figures, of the checkpoint in a directory, by their paths below reports/."""
    checkpoint, code = directory / "use_lite.safetensors", directory / "use_lite.toml"
    vocabulary = tomllib.loads(code.read_text(encoding="utf-8"))["model"]["vocabulary"]
    made = {}
    with tempfile.TemporaryDirectory() as drawn:
        [f] = commands.embedscale("trained", "fingerprint", checkpoint, "--config", code,
                                  "--lengths", LENGTHS, "--figures", drawn)
        for name in FIGURES:
            for folder, ending in (("data", "csv"), ("figures", "svg")):
                file = pathlib.Path(drawn, folder, f"fingerprint_{name}.{ending}")
                made[f"{folder}/trained_{name}.{ending}"] = file.read_text(
                    encoding="utf-8").replace(f"fingerprint_{name}", f"trained_{name}")
    made["trained.md"] = page(f, gains_in(checkpoint), vocabulary, words)
    return made
