"""The mutants of a text, each one small change, and the names by which they are known."""

import re
from bisect import bisect_right
from collections import Counter, namedtuple

from source import Source

LIBRARY = "lib/embedscale"

ARITHMETIC = {"+": ("-",), "-": ("+",), "*": ("/", "+"), "/": ("*", "-"), "%": ("/",), "&": ("|",),
              "|": ("&",), "^": ("|",), "+=": ("-=", "="), "-=": ("+=", "="), "*=": ("/=", "="),
              "/=": ("*=", "=")}
RELATIONAL = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
              "==": ("!=",), "!=": ("==",)}
LOGICAL = {"&&": ("||",), "||": ("&&",)}
STEPS = {"++": ("--",), "--": ("++",)}
TRUTH = {"true": ("false",), "false": ("true",)}
FUNCTIONS = {one: (other,) for pair in ("sin cos", "floor ceil", "min max", "exp expm1",
                                        "log log1p", "erf erfc", "real imag", "all_of any_of",
                                        "last first")
             for one, other in (pair.split(), reversed(pair.split()))}
FUNCTIONS |= {"sqrt": ("cbrt",), "infinity": ("max",)}

# `size` characters from `begin` on become `replacement`.
Edit = namedtuple("Edit", "operator begin size replacement")
# before, after: its line, without blanks around it, several joined; file: "attention.hpp"; id:
# "attention.hpp#1f2e3d4c5b6a".
Mutant = namedtuple("Mutant", "file line column edit id before after")


def instead_of(number):
    """What may stand for a number: its neighbours; for 1/2, 2 and such also its double or half."""
    if "'" in number:
        return []
    if number in ("0.0", "0.5"):
        return ["1.0"] if number == "0.0" else ["2.0", "0.25"]
    if power_of_two := re.fullmatch(r"(0x[^p]*p)(-?\d+)", number):
        base, exponent = power_of_two[1], int(power_of_two[2])
        return [f"{base}{exponent + 1}", f"{base}{exponent - 1}"]
    if number.startswith("0x"):
        return []
    if not (whole := re.fullmatch(r"(\d+)(\.0|[uUlL]*)", number)):
        return ["2 * " + number]
    n = int(whole[1])
    return [f"{other}{whole[2]}" for other in (n + 1, n - 1) if other >= 0]


class Operators(Source):
    """A text with what the mutation operators make of it."""

    def edits(self):
        """In the order of their places."""
        self.found = []
        for i in range(len(self.tokens)):
            self._statement(i)  # a guarded throw can go, what it says cannot change
            if not self.left_alone[i]:
                self._token(i)
        return sorted(self.found, key=lambda edit: edit.begin)

    def _replace(self, operator, first, last, replacement):
        begin = self.tokens[first].begin
        self.found.append(Edit(operator, begin, self.tokens[last].end - begin, replacement))

    def _swap(self, operator, i, swaps):
        for other in swaps.get(self.tokens[i].text, ()):
            self._replace(operator, i, i, other)

    def _token(self, i):
        if self.is_binary(i):
            self._swap("arithmetic", i, ARITHMETIC)
            self._swap("relational", i, RELATIONAL)
            self._swap("logical", i, LOGICAL)
            if self.reads(i, "<<") and not self._writes(i):
                self._replace("arithmetic", i, i, ">>")
        if (self.reads(i, ">") and self.reads(i + 1, ">") and self.touches_next(i) and
                self.is_binary(i, 2)):
            self._replace("arithmetic", i, i + 1, "<<")
        self._swap("arithmetic", i, STEPS)
        self._swap("logical", i, {"!": ("",)})
        self._swap("constant", i, TRUTH)
        if self.tokens[i].kind == "number":
            self._swap("constant", i, {self.tokens[i].text: instead_of(self.tokens[i].text)})
        self._condition(i)
        self._arguments(i)
        self._sign(i)
        # `Format sin(Format a)` declares one; max() is numeric_limits'.
        if (self.reads(i + 1, "(") and (not self.is_word(i - 1) or self.reads(i - 1, "return")) and
                not (self.reads(i, "max") and self.reads(i + 2, ")"))):
            self._swap("function", i, FUNCTIONS)

    def _writes(self, i):
        """Whether << at `i` writes to a stream: its chain starts with one by its usual name."""
        while i > 0 and not self.reads(i - 1, ";", "{", ")"):
            i -= 1
        return self.reads(i + self.reads(i, "return"), "out", "message")

    def _condition(self, i):
        """A condition negated: `a ?`, and what is in the brackets of an if."""
        if (self.is_word(i) and self.reads(i + 1, "?") and
                self.reads(i - 1, "(", "[", "=", ",", "return")):
            self.found.append(Edit("logical", self.tokens[i].begin, 0, "!"))
        guards = self.reads(i - 1, "if") or (self.reads(i - 1, "constexpr") and
                                             self.reads(i - 2, "if"))
        if self.reads(i, "(") and guards and not self._compares_once(i):
            inside = self.between(i, self.partner[i])
            self._replace("logical", i, self.partner[i], f"(!{inside})")

    def _compares_once(self, first):
        """Whether the condition from ( on is one comparison, whose opposite is relational."""
        inside = range(first, self.partner[first])
        return (sum(self.reads(i, *RELATIONAL) and self.is_binary(i) for i in inside) == 1
                and not any(self.reads(i, "&&", "||") for i in inside))

    def _begins_statement(self, i):
        """Behind ; { } else, or the head of an if, for or while."""
        if i == 0 or self.enclosing[i] is not None and not self.reads(self.enclosing[i], "{"):
            return False
        if self.reads(i - 1, ";", "{", "}", "else"):
            return True
        return (self.reads(i - 1, ")") and self.partner[i - 1] is not None and
                self.reads(self.partner[i - 1] - 1, "if", "for", "while"))

    def _declares(self, first, last):
        """Whether tokens first … last contain two operands side by side, as `Real sum` and
        `const Real& x` do."""
        i = first
        while i < last:
            if self.reads(i, "(", "{"):
                i = self.partner[i]
            suffix = self.reads(i, ">", "&", "*") and not self.is_binary(i)
            if ((self.is_word(i) or suffix) and self.is_word(i + 1) and
                    not self.reads(i, "return")):
                return True
            i += 1
        return False

    def _assignment_in(self, i, end):
        """Where the statement i … end assigns, or `end`; a list in braces: nowhere."""
        while i < end and not self.reads(i, "=", "+=", "-=", "*=", "/="):
            if self.reads(i, "{"):
                return end
            i = self.partner[i] + 1 if self.reads(i, "(", "[") else i + 1
        return min(i, end)

    def _statement(self, i):
        if not self._begins_statement(i) or self.reads(
                i, "if", "for", "while", "using", "else", "class", "const", "template", "do"):
            return
        end = self.statement_end(i)
        if end is None or end == i:
            return
        leaves = self.reads(i, "return", "throw")
        jumps = self.reads(i, "continue", "break") or leaves and self.reads(i - 1, ")")
        assignment = self._assignment_in(i, end)
        assigns = assignment < end and self.is_word(i) and not self._declares(i, assignment)
        first = self.partner[end - 1] if self.reads(end - 1, ")") else None
        calls = (not leaves and self.is_word(i) and first is not None and first > i and
                 self.is_word(first - 1) and not self._declares(i, first))
        if ((jumps or self.reads(i, "++", "--") or assigns or calls) and
                (not self.left_alone[i] or self.reads(i, "throw"))):
            self._replace("statement", i, end, ";")

    def _entries(self, bracket):
        """Those between brackets, as first and last token; none where one of them is no value."""
        close, first, entries = self.partner[bracket], bracket + 1, []
        while first < close:
            i = first
            while i < close and not self.reads(i, ","):
                if self.reads(i, ";"):
                    return []
                angle = self.template_end(i)
                i = (angle if angle is not None else self.partner[i] or i) + 1
            if (i == first or self._declares(first, i - 1) or self.reads(first, "[", ".") or
                    self.tokens[first].text[0] == '"'):
                return []
            entries.append((first, i - 1))
            first = i + 1
        return entries

    def _arguments(self, i):
        if i == 0 or self.partner[i] is None:
            return
        call = self.reads(i, "(") and self.is_word(i - 1) and not self.reads(
            i - 1, "if", "for", "while", "switch", "min", "max", "copy", "fill")
        if not call and not (self.reads(i, "{") and self.reads(i - 1, "return", "=", "(", "{")):
            return
        entries = self._entries(i)
        for (first, last), (next_first, next_last) in zip(entries, entries[1:]):
            one, other = self.between(first, last), self.between(next_first, next_last)
            if one != other:
                self._replace("arguments", first, next_last, f"{other}, {one}")

    def _sign(self, i):
        if (self.reads(i, "-") and i > 0 and not self.ends_operand(i - 1) and
                self.touches_next(i)):
            self._replace("sign", i, i, "")
        end = self.statement_end(i) if self.reads(i, "return") else None
        if end is None or end == i + 1:
            return
        value = range(i + 1, end)
        if (any(self.is_binary(k) and self.reads(k, "+", "-", "*", "/") for k in value) and
                not any(self.reads(k, "?", "<<", "{", "==") for k in value)):
            self._replace("sign", i + 1, end - 1, f"-({self.between(i + 1, end - 1)})")


def applied(text, edit):
    return text[:edit.begin] + edit.replacement + text[edit.begin + edit.size:]


def without_blanks(text):
    """One blank for each row of them, and none at the ends."""
    return re.sub("[ \n\t]+", " ", text).strip(" ")


def hash_of(text):
    """FNV-1a of 64 bits, as lib/embedscale/random.hpp has it."""
    value = 14695981039346656037
    for byte in text.encode("latin-1"):
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def mutants_of(file, text):
    """Every mutant of a file, in the order of their places.

    An id hashes what the change is and the text of the line it is in, where in that line, and the
    how-manieth such line of the file it is: it survives whatever happens to other lines, and ends
    when its own line changes."""
    lines, begins, numbers, seen = text.split("\n"), [0], [], Counter()
    for line in lines:
        begins.append(begins[-1] + len(line) + 1)
        numbers.append(seen[without_blanks(line)])
        seen[without_blanks(line)] += 1
    for edit in Operators(text).edits():
        first, last = (bisect_right(begins, place) - 1
                       for place in (edit.begin, edit.begin + edit.size))
        column = edit.begin - begins[first]
        indent = len(lines[first]) - len(lines[first].lstrip(" "))
        key = (f"{without_blanks(lines[first])}\n{numbers[first]} {column - indent} {edit.size} "
               f"{edit.operator} {edit.replacement}")
        whole = "\n".join(lines[first:last + 1])
        changed = applied(whole, edit._replace(begin=column))
        yield Mutant(file, first + 1, column + 1, edit, f"{file}#{hash_of(key) % 2**48:012x}",
                     *(without_blanks(one).encode("latin-1").decode() for one in (whole, changed)))


def all_mutants(project):
    """Of the library's headers and sources."""
    folder = project / LIBRARY
    for path in sorted(folder.rglob("*.[hc]pp")):
        yield from mutants_of(path.relative_to(folder).as_posix(),
                              path.read_bytes().decode("latin-1"))


def difference(mutant):
    """For people: "attention.hpp:31:7 arithmetic", its id, the two lines."""
    return (f"{mutant.file}:{mutant.line}:{mutant.column} {mutant.edit.operator}  {mutant.id}\n"
            f"  - {mutant.before}\n  + {mutant.after}\n")


def drawn(seed, name):
    """The first word of stream `name` at index 0, by Philox4x64-10 (Salmon et al. 2011), as
    lib/embedscale/random.hpp draws it."""
    low, keys, counter = 2**64 - 1, (seed, hash_of(name)), (0, 0, 0, 0)
    for _ in range(10):
        first, second = 0xD2E7470EE14C6C93 * counter[0], 0xCA5A826395121157 * counter[2]
        counter = ((second >> 64) ^ counter[1] ^ keys[0], second & low,
                   (first >> 64) ^ counter[3] ^ keys[1], first & low)
        keys = (keys[0] + 0x9E3779B97F4A7C15 & low, keys[1] + 0xBB67AE8584CAA73B & low)
    return counter[0]


def shuffled(mutants, seed):
    """In the order in which they are tried: each place is a function of the seed and the mutant's
    own id, as good as drawn, so that every beginning is a random sample."""
    return sorted(mutants, key=lambda mutant: (drawn(seed, "mutation " + mutant.id), mutant.id))
