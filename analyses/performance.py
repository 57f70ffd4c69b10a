"""The page "How fast are the primitives?": times of several rounds, each of all ways to do a work
one after the other. A round is its times by "work/way", in one unit. The words are
performance.md."""

import json
import statistics

from report.markdown import GENERATED_NOTE, fill, significant, table

OURS, LIMIT, GROWTH, SIZE = "fast", "limit", "growth of ", "size of "
ALL_THREADS = ", all threads"
# What each group's works and our way are called: the works of the group "all" are works of their
# own, and ours are one more way besides; of AVX2 they are that alone.
WORKS = {"one": "", "all": ALL_THREADS}
WAYS = {"all": ALL_THREADS, "AVX2": ", AVX2"}


def name_of(both):
    work, _, way = both.partition("/")
    return work, way


def read(directory):
    """The rounds in a directory: NUMBER.GROUP.*.json, as Google Benchmark writes them."""
    rounds = {}
    for file in directory.glob("*.json"):
        number, group = file.name.split(".")[:2]
        times = rounds.setdefault(number, {})
        for one in json.loads(file.read_text(encoding="utf-8"))["benchmarks"]:
            work, way = name_of(one["name"].split("/real_time")[0])
            if group in WORKS:
                times[f"{work}{WORKS[group]}/{way}"] = one["real_time"]
            if group in WAYS and way == OURS:
                times[f"{work}/{way}{WAYS[group]}"] = one["real_time"]
    return [times for _, times in sorted(rounds.items())]


def names_in(rounds):
    """Work and way of all that was measured."""
    return [name_of(both) for both in sorted(rounds[0])]


def ratios(rounds, of, over):
    """One time over another in each round."""
    for times in rounds:
        if not times.get(of) or not times.get(over):
            raise ValueError(f"a round has no time of {of} or of {over}")
    return [times[of] / times[over] for times in rounds]


def ratios_of(rounds, work, way):
    """Theirs over ours in each round; ours over what memory alone takes."""
    own, other = f"{work}/{OURS}", f"{work}/{way}"
    return ratios(rounds, own, other) if way == LIMIT else ratios(rounds, other, own)


def is_of(goal, work, way):
    """Whether a goal is of this, by the beginnings of its names: "softmax" is not "softmax with
    entropy", nor that of another number of threads."""
    rest = work.removeprefix(goal["work"])
    return (work.startswith(goal["work"]) and way.startswith(goal["way"])
            and not rest.startswith(" with") and not rest.endswith(ALL_THREADS))


def table_of_goals(rounds, goals):
    """What a ratio should be at least, or, of a limit, at most."""
    rows = []
    for goal in goals:
        work, way = next((name for name in names_in(rounds) if is_of(goal, *name)), ("", ""))
        if not work:
            raise ValueError(f"no round has {goal['work']}/{goal['way']}")
        ratio, is_limit = statistics.median(ratios_of(rounds, work, way)), way == LIMIT
        is_reached = ratio <= goal["ratio"] if is_limit else ratio >= goal["ratio"]
        rows.append((work, "memory" if is_limit else way, significant(ratio, 3),
                     f"{'≤' if is_limit else '≥'} {goal['ratio']:g}",
                     "reached" if is_reached else "missed"))
    return table("Work|Beside|Ratio:|Goal:|", rows)


def cells_of(rounds, work, way):
    """Median, least and greatest ratio."""
    all = ratios_of(rounds, work, way)
    return [significant(x, 2) for x in (statistics.median(all), min(all), max(all))]


def table_of_ways(rounds):
    rows = [[work, way, *cells_of(rounds, work, way)] for work, way in names_in(rounds)
            if way not in (OURS, LIMIT) and not work.startswith((GROWTH, SIZE))]
    return table("Work|Way|Its time over ours:|Least:|Greatest:", rows)


def table_of_limits(rounds):
    rows = [[work, *cells_of(rounds, work, way)] for work, way in names_in(rounds)
            if way == LIMIT]
    return table("Work|Our time over it:|Least:|Greatest:", rows)


def table_of_series(rounds, heading, prefix, base=None):
    """Times of works whose names begin so, a row for each number behind the slash: over that of the
    smallest number, or over that of the work `base` at the same one."""
    series = [name for name in names_in(rounds) if name[0].startswith(prefix)]
    works = sorted({work for work, _ in series} - {base})
    numbers = sorted({int(number) for _, number in series})
    if not numbers:
        raise ValueError(f"a round has no {prefix}")
    rows = []
    for number in numbers:
        over = (f"{base}/{number}" if base else f"{work}/{numbers[0]}" for work in works)
        rows.append([f"{number:,}",
                     *(significant(statistics.median(ratios(rounds, f"{work}/{number}", of)), 2)
                       for work, of in zip(works, over))])
    return table("|".join(f"{column.removeprefix(prefix)}:" for column in [heading, *works]), rows)


def page(rounds, goals, words, machine):
    """reports/performance.md, with {machine} and {rounds} of the words filled in. Refused: no
    rounds, or rounds of other works, and a goal of nothing that was measured."""
    if not rounds:
        raise ValueError("there are no rounds")
    introduction = fill(words.introduction, {"machine": machine, "rounds": str(len(rounds))},
                        words.name)
    tables = {"goals": table_of_goals(rounds, goals),
              "ways": table_of_ways(rounds),
              "limits": table_of_limits(rounds),
              "sizes": table_of_series(rounds, "Numbers", SIZE, SIZE + LIMIT),
              "growth": table_of_series(rounds, "d", GROWTH)}
    return (f"{GENERATED_NOTE}# {words.title}\n\n{introduction}\n\n"
            + "\n".join(f"{words.part('tables', part)}\n\n{tables[part]}" for part in tables))
