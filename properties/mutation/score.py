"""What became of mutants, counted, with an interval; and those that are argued to be no change."""
import math
import re
from collections import Counter

from mutants import without_blanks

INTERVAL_ALPHA = 0.05  # both tails of the interval of a score together
LEAST_SCORE = 0.95


def parse_equivalents(text):
    """Mutants argued to be no change at all, by their ids, with the reason:

        # A comment.
        attention.hpp#1f2e3d4c5b6a
          The change, in words or as a line.
          Why no test can tell it from the original.
    """
    text = re.sub(r"^#[^\n]*", "", text, flags=re.MULTILINE)
    entry, argued = re.compile(r"^(\S+#\w+)((?:\n +[^\n]+)+)", re.MULTILINE), {}
    for match in entry.finditer(text):
        if match[1] in argued:
            raise ValueError(f"equivalent mutants: twice: {match[1]}")
        argued[match[1]] = without_blanks(match[2])
    if rest := without_blanks(entry.sub("", text)):
        raise ValueError(f"equivalent mutants: neither an id nor its reason: {rest}")
    return argued


def interval(n, k):
    """Of k of n: Clopper and Pearson 1934."""

    def lower(successes):
        if successes == 0:
            return 0.0
        low, high = 0.0, 1.0
        while low < (p := (low + high) / 2) < high:
            logs = (math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) +
                    i * math.log(p) + (n - i) * math.log1p(-p) for i in range(successes, n + 1))
            if math.fsum(map(math.exp, logs)) < INTERVAL_ALPHA / 2:
                low = p
            else:
                high = p
        return low

    return lower(k), 1 - lower(n - k)


def tally(results, argued):
    """How many of what; the score is the share of the killed in those that are valid and not argued
    equivalent, 1 where there are none. A survivor that is argued equivalent counts as that only."""
    of = Counter("equivalent" if one["fate"] == "survived" and one["id"] in argued else one["fate"]
                 for one in results)
    dead = of["killed"] + of["timed out"]
    judged = dead + of["survived"]
    lower, upper = interval(judged, dead)
    return {"mutants": len(results), "killed": of["killed"], "timed_out": of["timed out"],
            "survived": of["survived"], "equivalent": of["equivalent"], "invalid": of["invalid"],
            "score": dead / judged if judged else 1.0, "lower": lower, "upper": upper}


def score(results, order, argued, seed):
    """What score.json holds and the page about trust shows, of a beginning of `order`."""
    by_id, by_file = {mutant.id: mutant for mutant in order}, {}
    unexplained, killed_equivalents = [], []
    for result in results:
        by_file.setdefault(result["id"].split("#")[0], []).append(result)
        listed, fate = result["id"] in argued, result["fate"]
        if fate not in ("killed", "timed out") if listed else fate != "survived":
            continue
        mutant = by_id[result["id"]]
        (killed_equivalents if listed else unexplained).append(
            {"id": mutant.id, "line": mutant.line, "column": mutant.column,
             "operator": mutant.edit.operator, "before": mutant.before, "after": mutant.after,
             "by": result["by"]})
    return {"seed": seed, "population": len(order),
            "argued_equivalent": sum(mutant.id in argued for mutant in order),
            "interval_alpha": INTERVAL_ALPHA, "least_score": LEAST_SCORE,
            "processor_seconds": round(sum(taken for result in results
                                           for _, taken in result["tried"])),
            "total": tally(results, argued),
            "headers": [{"header": file} | tally(some, argued)
                        for file, some in sorted(by_file.items())],
            "unexplained": unexplained, "killed_equivalents": killed_equivalents}


def passes(found):
    """Whether enough were killed, and all survivors and only survivors are argued equivalent."""
    total = found["total"]
    return (total["mutants"] > total["invalid"] and total["score"] >= LEAST_SCORE
            and not found["unexplained"] and not found["killed_equivalents"])


def summary(found):
    """Counts, score, and the ids of what makes it fail."""
    total = found["total"]
    text = "".join(f"{key:10} {total[key]}\n" for key in
                   ("mutants", "killed", "timed_out", "survived", "equivalent", "invalid"))
    text += (f"score      {100 * total['score']:.1f} %, 95 % interval [{100 * total['lower']:.1f}, "
             f"{100 * total['upper']:.1f}]; of {found['population']} mutants, seed "
             f"{found['seed']}\n")
    text += "".join(f"\nsurvived: {one['id']}\n" for one in found["unexplained"])
    return text + "".join(f"\nargued equivalent, but killed by {one['by']}: {one['id']}\n"
                          for one in found["killed_equivalents"])


def progress(counts, goal, seconds_left):
    """"12 of 148 mutants: 10 killed, 1 survived, 1 invalid; 14 min left"."""
    text = (f"{counts['mutants']} of {goal} mutants: {counts['killed'] + counts['timed_out']} "
            f"killed, {counts['survived']} survived")
    text += "".join(f", {counts[key]} {key}" for key in ("equivalent", "invalid") if counts[key])
    if math.isinf(seconds_left):
        return text
    if seconds_left == 0 and counts["mutants"] < goal:
        return text + "; no time is left, finishing what has begun"
    return text + (f"; {seconds_left:.0f} s left" if seconds_left < 60
                   else f"; {seconds_left / 60:.0f} min left")
