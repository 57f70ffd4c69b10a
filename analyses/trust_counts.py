"""Of the page about the checks what was counted, as tables: how often each kind of check errs, by
the program trust. Of each kind its "alarms" under a null and its "misses" of the smallest effect:
hits of so many runs, with the interval of their rate."""

from report.markdown import significant, table

BROKEN, RARER, CONSERVATIVE = "**broken**", "**rarer** than it declares", "conservative"


def remark(count, declares, nominal):
    """What becomes of a rate. Broken: its interval lies above the nominal one. Conservative: below
    a hundredth of it. Rarer: below it, of a kind that declares the rate itself, "exactly" and not
    "at most"."""
    if count["lower"] > nominal:
        return BROKEN
    if count["upper"] < nominal / 100:
        return CONSERVATIVE
    return RARER if declares == "exactly" and count["upper"] < nominal else "as declared"


def cells(count):
    return [f"{count['runs']:,}", f"{count['hits']:,}",
            significant(count["hits"] / count["runs"], 3),
            f"{significant(count['lower'], 3)} to {significant(count['upper'], 3)}"]


def listed(names, between="; "):
    return between.join(names) if names else "none"


def share(some, all):
    return f"all {all}" if some == all else f"{some} of {all}"


def false_alarms(counts, declared):
    """The fields of the words, and the table of the evidence."""
    kinds, rates, usual = counts["kinds"], counts["rates"], declared["usual"]
    remarks = [remark(one["alarms"], one["declares"], rates["alpha"]) for one in kinds]
    runs = [one["alarms"]["runs"] for one in kinds]
    rows = [[str(number), one["kind"], one["drawn"], f"{one['draws']:,}", *cells(one["alarms"]),
             "α" if one["declares"] == "exactly" else "≤ α", said]
            for number, (one, said) in enumerate(zip(kinds, remarks), 1)]
    named = {said: [one["kind"] for one, its in zip(kinds, remarks) if its == said]
             for said in (BROKEN, RARER)}
    fields = {
        "kinds": str(len(kinds)),
        "nulls": f"{sum(runs):,}",
        "least_nulls": f"{min(runs):,}",
        "alpha": significant(rates["alpha"], 1),
        "beta": significant(rates["beta"], 1),
        "default_alpha": significant(usual["alpha"], 1),
        "default_beta": significant(usual["beta"], 1),
        "confidence": significant(100 * (1 - counts["interval_alpha"]), 3),
        "kept_alpha": share(len(kinds) - len(named[BROKEN]), len(kinds)),
        "broken": listed(named[BROKEN]),
        "rarer": listed(named[RARER]),
        "conservative_count": str(remarks.count(CONSERVATIVE))}
    return fields, table(":|Kind of check|Null that was drawn|Draws:|Nulls:|Rejected:|Rate:|"
                         "Its interval|Declares|Remark", rows)


def misses(counts, declared):
    """As false_alarms."""
    kinds, beta = counts["kinds"], counts["rates"]["beta"]
    rows, broken = [], []
    for number, one in enumerate(kinds, 1):
        said = [remark(missed, "at most", beta) for missed in one["misses"]]
        broken += [one["kind"]] if BROKEN in said else []
        first = [str(number), one["kind"], significant(one["effect"], 3), one["unit"]]
        for missed, its in zip(one["misses"], said):
            rows.append([*first, missed["where"], *cells(missed), its])
            first = [""] * 4
    intervals = len(kinds) + len(rows)
    fields = {
        "kept_beta": share(len(kinds) - len(broken), len(kinds)),
        "blind": listed(broken),
        "enough": significant(100 * declared["enough_of_required"], 2),
        "intervals": str(intervals),
        "wrong_intervals": significant(counts["interval_alpha"] * intervals, 1)}
    return fields, table(":|Kind of check|Effect:|Unit|Where|Alternatives:|Missed:|Rate:|"
                         "Its interval|Remark", rows)


def record(counts):
    """The page's numbers, for data/trust.json."""
    def count(of):
        ends = {end: float(f"{of[end]:.2e}") for end in ("lower", "upper")}
        return {"hits": of["hits"], "runs": of["runs"], **ends}
    return [{"kind": one["kind"], "draws": one["draws"], "alarms": count(one["alarms"]),
             "effect": float(f"{one['effect']:.2e}"),
             "misses": [count(missed) | {"where": missed["where"]} for missed in one["misses"]]}
            for one in counts["kinds"]]
