"""The page "Should my model keep the factor?", by the comparison over systems of the atlas and a
grid of situations, which starts from decide.toml. The words are decide.md:

  ## sure, short, systems, positions, blocks, output, scales
  ### title        some have none and go on under the one before
  ### text         before the table, with the grid's {d_model}, {vocabulary}, {positions},
                   {root} = d_model^−½ and {blocks}
  ### verdicts     of `systems`, behind the table: a list that tells each, "- *keep*: …"
  ### sentences    behind that, each with its claims; they may tell verdicts, too
  ### list         of `systems`: their names"""

import functools
import tomllib

from merged.sentence import as_list, sentences
from report.markdown import GENERATED_NOTE, fill, significant, table

BLOCKS = 12
RATIO, SHARE = "token_to_position", f"residual_stream.token_share.after_{BLOCKS}"
LOSS = "output.initial_loss"
WAYS = ("up", "folded", "down", "unscaled")

# Of each section: what its figures are, and of each of them a name, by what its situation is
# another than the usual one, its path, and a factor.
GRID = {
    "positions": ("Ratio of token to position", [
        ("sinusoids, N(0, 1/d)", (), RATIO, 1),
        ("sinusoids, N(0, 0.02²)", ("token.standard_deviation=0.02",), RATIO, 1),
        ("sinusoids, N(0, 1)", ("token.standard_deviation=1",), RATIO, 1),
        ("sinusoids, Xavier on (V, d)",
         ("token.law=xavier_uniform", "token.standard_deviation="), RATIO, 1),
        ("learned, drawn like the tokens",
         ("position.kind=learned", "position.law=normal",
          "position.standard_deviation=d_model^-0.5"), RATIO, 1)]),
    "blocks": (f"Token's share after {BLOCKS} blocks, %", [
        ("pre-norm, sinusoids", (), SHARE, 100),
        ("pre-norm, nothing added", ("position.kind=rotary",), SHARE, 100),
        ("pre-norm, norm on the sum, sinusoids",
         ("embedding_norm.kind=layer_norm", "embedding_norm.epsilon=1e-5"), SHARE, 100)]),
    "output": ("First loss, unrelated targets, nats", [
        ("tied", (), LOSS, 1),
        ("tied, logits over √d", ("output.multiplier=1/sqrt(d_model)",), LOSS, 1),
        ("untied, N(0, 0.02²)",
         ("output.tied=false", "output.law=normal", "output.standard_deviation=0.02"), LOSS, 1)]),
    "scales": ("Sinusoids", [
        ("tied: own logit behind a LayerNorm", (), "output.own_logit", 1),
        ("post-norm: first logits, deviation",
         ("block.norm=post",), "first_layer.logit_std_over_keys", 1),
        ("Adam's first step over table and rate", (), "optimizer.adam_relative_step", 1)])}


def shown(comparison, way, path, factor=1):
    """A figure; "—" where it is missing or the way does not apply."""
    figure = (comparison["ways"][way] or {}).get(path)
    return "—" if figure is None else significant(factor * figure, 3)


def as_it_is(comparison, fields):
    """Factor, width, positions and norm."""
    def told(field):
        return fields[field]["value"] or "?"

    factor, width = comparison["rounding"]["own"]["rounded"], told("model.d_model")
    multiplied = "none" if factor == 1 else f"×{significant(factor, 3)}" if factor else "?"
    width = f"{int(width):,}" if width != "?" else width
    normed = "" if told("embedding_norm.kind") == "none" else ", norm on the sum"
    return f"{multiplied}, d = {width}, {told('position.kind')}, {told('block.norm')}{normed}"


def systems_table(words, commands):
    names = words.part("systems", "list").split()
    asked = [f"--system={name}" for name in names]
    told = words.part("systems", "verdicts") + words.part("systems", "sentences")
    rows = []
    for at, audit in zip(*(commands.embedscale(words.name, command, *asked)
                           for command in ("compare", "audit"))):
        fields, verdict = audit["fields"], at["decision"]["verdict"]
        if f"*{verdict}*" not in told:
            raise ValueError(f"{words.name}: verdict '{verdict}' is not told")
        repository, commit = (fields[f"source.{key}"]["value"] for key in ("repository", "commit"))
        other = "up" if at["rounding"]["own"]["rounded"] == 1 else "unscaled"
        rows.append([f"[{at['name']}](https://github.com/{repository}/tree/{commit})", verdict,
                     f"[{as_it_is(at, fields)}](explore.md#system={at['name']})",
                     *(shown(at, way, RATIO) for way in ("own", other)),
                     *(shown(at, way, SHARE, 100) for way in ("own", other))])
    return table("System|Verdict|Factor, width, positions, norm|Ratio:|other way:|Share, %:|"
                 "other way:", rows)


def grid_tables(usual, commands):
    """By their section."""
    @functools.cache
    def compared(changes):
        return commands.embedscale(usual.name, "compare", usual,
                                   *(f"--set={change}" for change in changes))[0]

    return {section: table(
        "|".join([heading, *(f"{way.capitalize()}:" for way in WAYS)]),
        [[name, *(shown(compared(changes), way, path, factor) for way in WAYS)]
         for name, changes, path, factor in lines]) for section, (heading, lines) in GRID.items()}


def page(results, words, usual, commands):
    """reports/decide.md; `usual` is the file of the situation that the grid starts from."""
    model = tomllib.loads(usual.read_text(encoding="utf-8"))["model"]
    fields = {key: f"{model[key]:,}" for key in ("d_model", "vocabulary", "positions")}
    fields |= {"blocks": str(BLOCKS), "root": significant(model["d_model"] ** -0.5, 3)}
    tables = {"systems": systems_table(words, commands), **grid_tables(usual, commands)}
    out = f"{GENERATED_NOTE}# {words.title}\n\n{fill(words.introduction, fields, words.name)}\n"
    for section in ("sure", "short", *tables):
        if words.has_part(section, "title"):
            out += f"\n## {words.part(section, 'title')}\n"
        if words.has_part(section, "text"):
            out += f"\n{fill(words.part(section, 'text'), fields, words.name)}\n"
        if section in tables:
            out += f"\n{tables[section]}"
        behind = as_list(results, sentences(words, section, "sentences"))
        if words.has_part(section, "verdicts"):
            behind = f"{words.part(section, 'verdicts')}\n{behind}"
        out += f"\n{behind}" if behind else ""
    return out
