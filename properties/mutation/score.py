"""What became of mutants, counted, with an interval: what score.json holds."""

import contextlib
import json
import pathlib
import re
from decimal import Decimal, localcontext

from mutants import without_blanks

# Both tails of the interval of a score together.
INTERVAL_ALPHA = 0.05
LEAST_SCORE = 0.95
DEAD = ("killed", "timed out")


def kept_results(folder):
    """Of the commands of a list of parts (analyses/parts), by name and hash; a line may be torn."""
    results = {}
    for path in folder.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
            with contextlib.suppress(ValueError, TypeError, KeyError):
                row = json.loads(line)
                results[row["part"], row["of"]] = json.loads(row["result"]["told"])
    return results


def parse_equivalents(text):
    """Mutants argued to be no change at all, by their ids, with the reason:

      # A comment.
      attention.hpp#1f2e3d4c5b6a
        The change, in words or as a line.
        Why no test can tell it from the original.
    """
    text, argued = re.sub("^#.*", "", text, flags=re.MULTILINE), {}
    entry = re.compile(r"^(\S+#\w+)((?:\n +[^\n]+)+)", re.MULTILINE)
    for name, reason in entry.findall(text):
        if name in argued:
            raise ValueError(f"equivalent mutants: twice: {name}")
        argued[name] = without_blanks(reason)
    if rest := without_blanks(entry.sub("", text)):
        raise ValueError(f"equivalent mutants: neither an id nor its reason: {rest}")
    return argued


def equivalents_of(project):
    path = pathlib.Path(project, "properties/mutation/equivalent.txt")
    return parse_equivalents(path.read_text(encoding="utf-8"))


def at_most(n, p, k):
    """P(K <= k) of a binomial law, for 0 < p < 1."""
    term = total = (1 - p)**n
    for i in range(k):
        term *= p * (n - i) / ((1 - p) * (i + 1))
        total += term
    return total


def greatest(is_so):
    """The greatest p in (0, 1) of which it is true, to the last bit and more, by bisection."""
    low, high = Decimal(0), Decimal(1)
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if is_so(middle) else (low, middle)
    return low


def clopper_pearson(n, k, alpha):
    """The p whose tails P(K <= k) and P(K >= k) are both above α/2 (1934)."""
    tail = Decimal(alpha) / 2
    with localcontext() as context:
        context.prec = 40  # terms are multiplied up to n times, each by less than four roundings
        lower = 1 - greatest(lambda q: at_most(n, q, n - k) > tail) if k > 0 else 0
        upper = greatest(lambda p: at_most(n, p, k) > tail) if k < n else 1
        return float(lower), float(upper)


def tally(results, argued):
    """The score is the share of the killed in those that compile and are not argued equivalent, 1
    where there are none. A survivor that is argued equivalent counts as that only."""
    fates = ["equivalent" if result["fate"] == "survived" and result["id"] in argued
             else result["fate"].replace(" ", "_") for result in results]
    count = {fate: fates.count(fate)
             for fate in ("killed", "timed_out", "survived", "equivalent", "invalid")}
    dead = count["killed"] + count["timed_out"]
    judged = dead + count["survived"]
    lower, upper = clopper_pearson(judged, dead, INTERVAL_ALPHA)
    return {"mutants": len(results), **count, "score": dead / judged if judged else 1.0,
            "lower": lower, "upper": upper}


def score(results, order, argued, seed):
    """Of a beginning of `order`."""
    mutants, by_file, unexplained, killed_equivalents = {one.id: one for one in order}, {}, [], []
    for result in results:
        mutant = mutants[result["id"]]
        by_file.setdefault(mutant.file, []).append(result)
        shown = {"id": mutant.id, "line": mutant.line, "column": mutant.column,
                 "operator": mutant.edit.operator, "before": mutant.before, "after": mutant.after,
                 "by": result["by"]}
        if mutant.id not in argued and result["fate"] == "survived":
            unexplained.append(shown)
        elif mutant.id in argued and result["fate"] in DEAD:
            killed_equivalents.append(shown)
    return {"seed": seed, "population": len(order), "interval_alpha": INTERVAL_ALPHA,
            "least_score": LEAST_SCORE, "total": tally(results, argued),
            "headers": [{"header": file, **tally(by_file[file], argued)}
                        for file in sorted(by_file)],
            "unexplained": unexplained, "killed_equivalents": killed_equivalents}


def passes(scored):
    """Whether something that compiles was tried, and survivors, and only they, are argued
    equivalent."""
    total = scored["total"]
    return (total["mutants"] > total["invalid"] and not scored["unexplained"] and
            not scored["killed_equivalents"])


def summary(scored):
    """Counts, score, and what makes it fail."""
    total = scored["total"]
    text = "".join(f"{key:10} {total[key]}\n" for key in ("mutants", "killed", "timed_out",
                                                          "survived", "equivalent", "invalid"))
    text += (f"score      {100 * total['score']:.1f} %, 95 % interval [{100 * total['lower']:.1f}, "
             f"{100 * total['upper']:.1f}]; of {scored['population']} mutants, "
             f"seed {scored['seed']}\n")
    for one in scored["unexplained"]:
        text += f"\nsurvived: {one['id']}\n  - {one['before']}\n  + {one['after']}\n"
    for one in scored["killed_equivalents"]:
        text += f"\nargued equivalent, but killed by {one['by']}: {one['id']}\n"
    return text
