"""The page about moving a checkpoint, with ports of the atlas in full. The words are port.md:
sections in the order of their names,

  ### title
  ### text     with the fields {defect 1}, {claim topic.predicate}; of a port also {command},
               {steps}, {optimizer}, {besides}, {example}, {example logits}, and {token_table} for
               the s of a parameter
  ### from     the port's old code: a system of the atlas, and fields that are set: "a.b=c"
  ### to       its new code"""

import math
import re

from merged.measured import tokens_of
from merged.sentence import short_link
from report.markdown import GENERATED_NOTE, filled, table

WIDEST = 100
LABELS = {"adam": {"first_moment": "Adam: first moment", "second_moment": "Adam: second moment",
                   "epsilon": "Adam: epsilon", "rate": "Adam: rate", "decay": "AdamW: decay (1)",
                   "l2": "Adam: L2 penalty"},
          "sgd": {"buffer": "SGD, momentum: buffer (2)", "rate": "SGD, momentum: rate",
                  "l2": "SGD, momentum: L2 penalty"}}
NOTE = "(1) 1 where the rate does not multiply it; (2) s where it holds the rate."

# Two words and four channels in the old code, whose factor is 2; and what Adam knows of a first
# entry: moments and rate.
POSITION = (0, 1, 0, 1)
OLD = {"first word": (1, -1.5, 1, -1.5), "second word": (0.5, 1, -0.5, 0.25),
       "gain": (1, 2, 1, 0.5), "bias": (0.5, 0, 0, -0.5)}
PARAMETERS = {"first word": "token_table", "second word": "token_table", "gain": "gain",
              "bias": "bias"}
STATES = (("token_table", "table", "the table", (0.004, 0.0016, 1e-3)),
          ("gain", "gain", "gain and bias", (0.25, 0.09, 1e-3)))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def computed(factor, model):
    """The first word's input, that behind the norm, with gain and bias; and the logits of both."""
    x = [factor * e + p for e, p in zip(model["first word"], POSITION)]
    normed = [one / math.sqrt(dot(x, x) / len(x)) for one in x]
    hidden = [g * n + b for g, n, b in zip(model["gain"], normed, model["bias"])]
    return x, normed, hidden, [dot(model[word], hidden) for word in ("first word", "second word")]


def listed(row):
    return ", ".join(f"{x:g}" for x in row).replace("-", "−")


def example(port):
    """The model in both codes, as a table; and its logits where the token table alone is
    multiplied."""
    followed = {row["parameter"]: row for row in port["optimizer"]}

    def ported(parameters):
        return {name: [followed[parameter]["s"] * x for x in OLD[name]]
                if parameter in parameters else OLD[name]
                for name, parameter in PARAMETERS.items()}

    new = ported(followed)
    rows = [("multiplier m", [2], [1])]
    rows += [(label, OLD[name], new[name]) for label, name in
             (("table, first word", "first word"), ("table, second word", "second word"),
              ("gain g", "gain"), ("bias b", "bias"))]
    rows += zip(("x of the first word, p = 0, 1, 0, 1", "N(x), RMSNorm without ε",
                 "h = g ⊙ N(x) + b", "**logits** of both words"),
                computed(2, OLD), computed(1, new))
    for parameter, entry, rated, state in STATES:
        adam = followed[parameter]["adam"]
        rows += [(label, [old], [old * adam[key]]) for label, key, old in zip(
            (f"Adam, first moment of the {entry}'s first entry", "Adam, second moment of it",
             f"rate of {rated}"), ("first_moment", "second_moment", "rate"), state)]
    *_, alone = computed(1, ported(["token_table"]))
    shown = [[what, listed(old), listed(new)] for what, old, new in rows]
    return table("|Old code|New code", shown).rstrip("\n"), listed(alone)


def command(old, new):
    """How one would ask for it, in lines that a page can show."""
    lines = [f"./dev embedscale port {old[0]} {new[0]}"]
    for side, (_, *changes) in (("from", old), ("to", new)):
        for change in changes:
            quote = "'" if "(" in change else ""
            option = f"--set {quote}{side}.{change}{quote}"
            if len(lines[-1]) + len(option) > WIDEST:
                lines[-1] += " \\"
                lines.append("   ")
            lines[-1] += " " + option
    return "```sh\n" + "\n".join(lines) + "\n```"


def links(results, ids):
    """The claims by their short names, as links where they have a page."""
    all = [short_link(results.rows[id]) if id in results.rows else f"`{id.partition('.')[2]}`"
           for id in ids if id]
    return f" <sub>{' · '.join(all)}</sub>" if all else ""


def steps(results, port):
    return "\n".join(f"{number}. *{step['parameter'].replace('_', ' ')}*: {step['text']}"
                     f"{links(results, step['claims'])}"
                     for number, step in enumerate(port["steps"], 1))


def number(x):
    return f"{x:.12g}"


def optimizer(port):
    """A column for each s, with the parameters that have it."""
    columns = {}
    for row in port["optimizer"]:
        columns.setdefault(row["s"], []).append(row)
    names = [", ".join(row["parameter"].replace("_", " ") for row in rows)
             for rows in columns.values()]
    lines = [["s", *map(number, columns)]]
    for optimizer, labels in LABELS.items():
        lines += [[label, *(number(rows[0][optimizer][key]) for rows in columns.values())]
                  for key, label in labels.items()]
    lines.append(["weight in a global norm", *(number(abs(s)) for s in columns)])
    return table("|".join(["Multiply", *(f"{name}:" for name in names)]), lines) + f"\n{NOTE}"


def besides(results, port):
    """What changes the function, then the rest. Clipping stands in the table of every port."""
    all = [(not one["only_in_training"], one["name"], one) for one in port["obstacles"]
           if one["name"] != "global_clipping"]
    all += [(one["stops_function"], one["field"], one) for one in port["differences"]]
    return "\n".join(
        f"- *{name}*{', **changes the function**' if stops else ''}: {one['text']}"
        f"{links(results, [one['claim']])}"
        for stops, name, one in sorted(all, key=lambda one: not one[0])) or "Nothing else differs."


def defect(results, number):
    """"the multiplier missing ([SamLynnEvans/Transformer#10](…), off by 1/sqrt d)"."""
    one = results.declared["defects"].get(number)
    if not one:
        return None
    thread = re.sub("^([^/ ]+/[^/ ]+)#([0-9]+)$", r"[\g<0>](https://github.com/\1/issues/\2)",
                    one["thread"])
    size = re.sub("^-", "−", one["size"]).replace("sqrt ", "√")
    return f"{one['what']} ({thread}: {size})"


def fields_of_port(results, commands, where, old, new):
    sides = [f"--set={side}.{change}" for side, (_, *changes) in (("from", old), ("to", new))
             for change in changes]
    [port] = commands.embedscale(where, "port", old[0], new[0], *sides)
    made = {"command": lambda: command(old, new), "steps": lambda: steps(results, port),
            "optimizer": lambda: optimizer(port), "besides": lambda: besides(results, port),
            "example": lambda: example(port)[0], "example logits": lambda: example(port)[1]}
    for row in port["optimizer"]:
        made[row["parameter"]] = lambda s=row["s"]: number(s)
    return made


def page(results, words, commands):
    """reports/port.md."""
    out = f"{GENERATED_NOTE}# {words.title}\n\n{words.introduction}\n"
    for section in sorted(words.sections):
        known, where = {}, f"{words.name}, section '{section}'"
        if words.has_part(section, "from"):
            old, new = (tokens_of(words.part(section, side)) for side in ("from", "to"))
            known = fields_of_port(results, commands, where, old, new)

        def value(name):
            kind, _, of = name.partition(" ")
            if kind == "defect":
                return defect(results, of)
            if kind == "claim":
                return links(results, [of]).lstrip(" ")
            return known[name]() if name in known else None

        text = filled(words.part(section, "text"), value, where)
        out += f"\n## {words.part(section, 'title')}\n\n{text}\n"
    return out
