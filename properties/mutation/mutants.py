"""Mutants: one small change to a source of the library each, and the name by which it is known."""
import bisect
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from operators import OPERATORS, Edit, edits_of

LIBRARY = "lib/embedscale/"
WORD = 2**64 - 1


class Mutant(NamedTuple):
    file: str  # "attention.hpp", from the folder of the library's headers
    line: int
    column: int
    edit: Edit
    id: str  # "attention.hpp#1f2e3d4c5b6a"
    before: str  # its line, without the blanks around it
    after: str  # what stands there instead; several lines are joined

    def difference(self):
        return (f"{self.file}:{self.line}:{self.column} {self.edit.operator}  {self.id}\n"
                f"  - {self.before}\n  + {self.after}\n")


def hash_of(text):
    """That of lib/embedscale/random.hpp: FNV-1a."""
    h = 14695981039346656037
    for byte in text.encode("latin-1"):
        h = (h ^ byte) * 1099511628211 & WORD
    return h


class Stream:
    """That of lib/embedscale/random.hpp: Philox4x64-10."""

    def __init__(self, seed, name):
        self.key = seed, hash_of(name)

    def bits(self, index):
        (k0, k1), (a, b, c, d) = self.key, (index, 0, 0, 0)
        for _ in range(10):
            x, y = 0xD2E7470EE14C6C93 * a, 0xCA5A826395121157 * c
            a, b, c, d = y >> 64 ^ b ^ k0, y & WORD, x >> 64 ^ d ^ k1, x & WORD
            k0, k1 = k0 + 0x9E3779B97F4A7C15 & WORD, k1 + 0xBB67AE8584CAA73B & WORD
        return a

    def below(self, n, index):
        return (self.bits(index) >> 32) * n >> 32

    def uniform(self, index):
        return ((self.bits(index) >> 12) + 0.5) * 2.0**-52


def without_blanks(text):
    """With one blank for each row of blanks and none at its ends."""
    return re.sub(r"[ \n\t]+", " ", text).strip(" ")


def mutants_of(file, text):
    """Every mutant of a file, in the order of their places.

    An id hashes what the change is and the text of the line it is in, where in that line, and the
    how-manieth such line of the file it is: it survives whatever happens to other lines, and ends
    when its own line changes.
    """
    lines, begins, seen = [], [], defaultdict(int)
    for line in text.split("\n"):
        words = without_blanks(line)
        begins.append(begins[-1] + len(lines[-1][0]) + 1 if lines else 0)
        lines.append((line, words, seen[words]))
        seen[words] += 1
    found = []
    for edit in edits_of(text):
        number = bisect.bisect_right(begins, edit.begin) - 1
        last = bisect.bisect_right(begins, edit.begin + edit.size) - 1
        line, words, same = lines[number]
        column = edit.begin - begins[number]
        blanks = len(line) - len(line.lstrip(" "))
        name = hash_of(f"{words}\n{same} {column - blanks} {edit.size} {edit.operator} "
                       f"{edit.replacement}")
        whole = text[begins[number]:begins[last] + len(lines[last][0])]
        after = edit._replace(begin=column).applied(whole)
        found.append(Mutant(file, number + 1, column + 1, edit,
                            f"{file}#{name & 0xffffffffffff:012x}",
                            *(without_blanks(one).encode("latin-1").decode()
                              for one in (whole, after))))
    return found


def read(path):
    return Path(path).read_bytes().decode("latin-1")


def write(path, text):
    Path(path).write_bytes(text.encode("latin-1"))


def all_mutants(project):
    """Every mutant of the library's sources."""
    library = project / LIBRARY
    files = sorted(path for path in library.rglob("*") if path.suffix in (".hpp", ".cpp"))
    return [mutant for path in files
            for mutant in mutants_of(path.relative_to(library).as_posix(), read(path))]


def in_sampling_order(mutants, seed):
    """All in the order in which they are tried, a function of them and the seed: every beginning
    of it is a stratified sample (README.md says how)."""
    strata = defaultdict(list)
    for mutant in mutants:
        strata[mutant.file, OPERATORS.index(mutant.edit.operator)].append(mutant)
    keyed = []
    for (file, operator), members in sorted(strata.items()):
        stream = Stream(seed, f"mutation {file} {OPERATORS[operator]}")
        for last in range(len(members) - 1, 0, -1):  # Fisher and Yates
            other = stream.below(last + 1, last)
            members[last], members[other] = members[other], members[last]
        shift = stream.uniform(0)
        keyed += [((rank + shift) / len(members), one) for rank, one in enumerate(members)]
    return [mutant for _, mutant in sorted(keyed, key=lambda pair: pair[0])]
