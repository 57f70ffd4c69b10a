"""The score: what became of mutants, counted, with an interval.

A result has the mutant's id; its fate, "killed" (a test failed, or a static_assert of one),
"timed out", "survived" or "invalid" (it does not compile); by which test, or why it is invalid; the
programs tried, with the processor seconds of each, of which the last one decided; and a hash of the
sources that it was made from.
"""
import collections
import math

INTERVAL_ALPHA = 0.05  # both tails of the interval of a score together
LEAST_SCORE = 0.95


def counts_of(results, argued):
    """A survivor that is argued equivalent counts as that only."""
    of = collections.Counter(
        "equivalent" if result["fate"] == "survived" and result["id"] in argued else result["fate"]
        for result in results)
    return {"mutants": len(results), "killed": of["killed"], "timed_out": of["timed out"],
            "survived": of["survived"], "equivalent": of["equivalent"], "invalid": of["invalid"]}


def clopper_pearson(n, k):
    """Of a binomial law's p: where k or more, and k or fewer, of n have a chance of α/2 each."""

    def end(counts):
        low, high = 0.0, 1.0
        for _ in range(60):  # halves an interval below the last digit of a double
            p = (low + high) / 2
            chance = math.fsum(
                math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
                         + i * math.log(p) + (n - i) * math.log1p(-p)) for i in counts)
            grows = counts[-1] == n  # the chance, with p
            low, high = (low, p) if (chance > INTERVAL_ALPHA / 2) == grows else (p, high)
        return (low + high) / 2

    return end(range(k, n + 1)) if k > 0 else 0.0, end(range(k + 1)) if k < n else 1.0


def tally(results, argued):
    """How many of what; the score is the share of the killed in those that are valid and not argued
    equivalent, 1 where there are none."""
    counts = counts_of(results, argued)
    dead = counts["killed"] + counts["timed_out"]
    judged = dead + counts["survived"]
    lower, upper = clopper_pearson(judged, dead)
    return {**counts, "score": dead / judged if judged else 1.0, "lower": lower, "upper": upper}


def score(results, order, argued, seed):
    """What score.json holds and the page about trust shows, of a beginning of `order`."""
    by_file, unexplained, killed_equivalents = collections.defaultdict(list), [], []
    mutants = {mutant.id: mutant for mutant in order}
    for result in results:
        mutant = mutants[result["id"]]
        by_file[mutant.file].append(result)
        listed = mutant.id in argued
        if result["fate"] in (("killed", "timed out") if listed else ("survived",)):
            (killed_equivalents if listed else unexplained).append({
                "id": mutant.id, "line": mutant.line, "column": mutant.column,
                "operator": mutant.edit.operator, "before": mutant.before, "after": mutant.after,
                "by": result["by"]})
    return {"seed": seed,
            "population": len(order),
            "argued_equivalent": sum(mutant.id in argued for mutant in order),
            "interval_alpha": INTERVAL_ALPHA,
            "least_score": LEAST_SCORE,
            "processor_seconds": round(sum(taken for result in results
                                           for _, taken in result["tried"])),
            "total": tally(results, argued),
            "headers": [{"header": file, **tally(some, argued)}
                        for file, some in sorted(by_file.items())],
            "unexplained": unexplained,
            "killed_equivalents": killed_equivalents}


def passes(found):
    """Whether enough were killed, and all survivors and only survivors are argued equivalent."""
    total = found["total"]
    return (total["mutants"] > total["invalid"] and total["score"] >= LEAST_SCORE
            and not found["unexplained"] and not found["killed_equivalents"])


def summary(found):
    """Counts, score, and the ids of what makes it fail."""
    total = found["total"]
    text = "".join(f"{count:10} {total[count]}\n" for count in
                   ("mutants", "killed", "timed_out", "survived", "equivalent", "invalid"))
    text += (f"score      {100 * total['score']:.1f} %, 95 % interval [{100 * total['lower']:.1f}, "
             f"{100 * total['upper']:.1f}]; of {found['population']} mutants, seed "
             f"{found['seed']}\n")
    text += "".join(f"\nsurvived: {one['id']}\n" for one in found["unexplained"])
    return text + "".join(f"\nargued equivalent, but killed by {one['by']}: {one['id']}\n"
                          for one in found["killed_equivalents"])


def progress(counts, goal, seconds_left):
    """ "12 of 148 mutants: 10 killed, 1 survived, 1 invalid; 14 min left"; may be infinite."""
    text = (f"{counts['mutants']} of {goal} mutants: {counts['killed'] + counts['timed_out']} "
            f"killed, {counts['survived']} survived")
    text += "".join(f", {counts[other]} {other}" for other in ("equivalent", "invalid")
                    if counts[other])
    if seconds_left == math.inf:
        return text
    if seconds_left == 0 and counts["mutants"] < goal:
        return text + "; no time is left, finishing what has begun"
    return text + (f"; {seconds_left:.0f} s left" if seconds_left < 60 else
                   f"; {seconds_left / 60:.0f} min left")
