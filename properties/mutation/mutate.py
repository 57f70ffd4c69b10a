#!/usr/bin/python3 -B
"""Changes the library, one small thing at a time: does a test notice? README.md says how and what
the numbers mean.

Exits with 0 where all survivors and only survivors are argued equivalent, with 1 where not, with 3
where it could not be tried, with 130 where it was interrupted; the same command goes on."""

import argparse
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2] / "analyses/parts"))

import parts  # noqa: E402
from build_graph import Failure, graph_of, write  # noqa: E402
from mutants import all_mutants, difference, hash_of, shuffled  # noqa: E402
from score import equivalents_of, kept_results, passes, score, summary  # noqa: E402

USUAL_MINUTES = 25
HERE = pathlib.Path(__file__).parent


def directory(text):
    path = pathlib.Path(text).resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' is no directory")
    return path


def whole(text):
    if not text.isascii() or not text.isdecimal() or int(text) >= 2**64:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number below 2^64")
    return int(text)


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", type=directory, required=True)
    parser.add_argument("--build", type=directory, required=True,
                        help="its build tree, which is current")
    parser.add_argument("--minutes", type=whole, help="start no mutant after so many: "
                        f"{USUAL_MINUTES}; no limit where it is said what to try")
    parser.add_argument("--all", action="store_true", help="try all, without limit")
    parser.add_argument("--equivalents", action="store_true",
                        help="try those that are argued equivalent")
    parser.add_argument("--header", nargs="+", action="extend", default=[],
                        help="only mutants of this file, e.g. attention.hpp")
    parser.add_argument("--id", nargs="+", action="extend", default=[], help="only this mutant")
    parts.add_options(parser)
    parser.add_argument("--seed", type=whole, default=0, help="of the order: 0")
    parser.add_argument("--list", action="store_true",
                        help="print the mutants in their order and try none")
    parser.add_argument("--record", action="store_true",
                        help="write the result to properties/mutation/score.json")
    parser.add_argument("--score", action="store_true", help=argparse.SUPPRESS)  # goes on with that
    return parser.parse_args(arguments)


def chosen(options, argued):
    order = [mutant for mutant in shuffled(all_mutants(options.project), options.seed)
             if (not options.equivalents or mutant.id in argued) and
             (not options.header or mutant.file in options.header) and
             (not options.id or mutant.id in options.id)]
    if not order:
        raise ValueError("--id, --header: there is no such mutant")
    return order


def reached(order, of, options):
    """What became of a beginning of the order, up to the first one that this shard did not make:
    what was tried for another reason is no random sample."""
    known = kept_results(options.build / "parts/mutation")
    shard, shards = map(int, options.shard.split("/"))
    for mutant in order:
        if result := known.get((mutant.id, of(mutant))):
            yield result
        elif hash_of(mutant.id) % shards == shard - 1:
            return


def mutate(options, arguments):
    argued = equivalents_of(options.project)
    order = chosen(options, argued)
    if options.list:
        print("".join(map(difference, order)), end="")
        return 0
    scratch = options.build / "mutation" / options.shard.replace("/", "-of-")
    graph = graph_of(options.project, options.build, scratch, lambda: print(
        f"{len(order)} mutants; asking how the tests are built", file=sys.stderr))

    def of(mutant):
        return graph["files"].get(mutant.file, {"of": ""})["of"]

    if options.score:
        scored = score(list(reached(order, of, options)), order, argued, options.seed)
        print(summary(scored), end="")
        if options.record:
            write(options.project / "properties/mutation/score.json",
                  json.dumps(scored, indent=1, ensure_ascii=False) + "\n")
        return 0 if passes(scored) else 1
    python = (sys.executable, "-B")
    judging = [*python, HERE / "judge.py", scratch, options.build / "parts/mutation"]
    minutes = options.minutes
    if minutes is None and not (options.all or options.equivalents or options.id):
        minutes = USUAL_MINUTES
    parts.become_maker(
        options.build, "mutation", [[(one.id, of(one), [*judging, one.id]) for one in order]],
        options, [*([] if minutes is None else ["--minutes", minutes]), "--", *python, __file__,
                  *arguments, "--score"])


def main(arguments):
    options = options_of(arguments)
    try:
        return mutate(options, arguments)
    except (ValueError, OSError, Failure) as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 3
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
