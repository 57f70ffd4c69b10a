"""The mutation operators: what each makes of a text."""
import re
from typing import NamedTuple

from source import Source

# arithmetic  another of + - * / % << >> & | ^, of their assignments, of ++ and --
# relational  the boundary moved, or the opposite
# logical     && and || exchanged, a condition negated
# constant    a number moved by one, halved or doubled; true and false
# statement   an assignment, a call, a guarded jump left out
# arguments   two neighbours in a list exchanged
# sign        a unary minus left out; a sum or product returned with the other sign
# function    its look-alike: sin and cos, floor and ceil, min and max
OPERATORS = ("arithmetic", "relational", "logical", "constant", "statement", "arguments", "sign",
             "function")
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=")
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/", "+"], "/": ["*", "-"], "%": ["/"], "&": ["|"],
              "|": ["&"], "^": ["|"], "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="],
              "/=": ["*=", "="]}
RELATIONAL = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
              "==": ["!="], "!=": ["=="]}
LOGICAL = {"&&": ["||"], "||": ["&&"]}
STEPS = {"++": ["--"], "--": ["++"]}
TRUTH = {"true": ["false"], "false": ["true"]}


def _either_way(*pairs):
    return {one: [other] for pair in pairs for one, other in (pair, pair[::-1])}


FUNCTIONS = _either_way(("sin", "cos"), ("floor", "ceil"), ("min", "max"), ("exp", "expm1"),
                        ("log", "log1p"), ("erf", "erfc"), ("real", "imag"), ("all_of", "any_of"),
                        ("last", "first")) | {"sqrt": ["cbrt"], "infinity": ["max"]}


class Edit(NamedTuple):
    """`size` bytes from `begin` on become `replacement`."""
    begin: int
    size: int
    replacement: str
    operator: str

    def applied(self, text):
        return text[:self.begin] + self.replacement + text[self.begin + self.size:]


def instead_of(number):
    """What may stand for a number: its neighbours; for 1/2, 2 and such also its double or half."""
    if "'" in number:
        return []
    if number in ("0.0", "0.5"):
        return ["1.0"] if number == "0.0" else ["2.0", "0.25"]
    if power := re.fullmatch(r"(0x[^p]*p)(-?\d+)", number):
        return [f"{power[1]}{int(power[2]) + step}" for step in (1, -1)]
    if number.startswith("0x"):
        return []
    if not (whole := re.fullmatch(r"(\d+)(\.0|[uUlL]*)", number)):
        return [f"2 * {number}"]
    n = int(whole[1])
    return [f"{other}{whole[2]}" for other in ([n + 1, n - 1] if n > 0 else [n + 1])]


class Editor(Source):
    def edits(self):
        """In the order of the places."""
        self.found = []
        for i in range(len(self)):
            self.statement(i)  # a guarded throw can go, what it says cannot change
            if not self.left_alone[i]:
                self.token(i)
        return sorted(self.found, key=lambda edit: edit.begin)

    def replace(self, operator, first, last, replacement):
        self.found.append(Edit(self.tokens[first].begin, len(self.between(first, last)),
                               replacement, operator))

    def swap(self, operator, i, swaps):
        for other in swaps.get(self.tokens[i].text, ()):
            self.replace(operator, i, i, other)

    def token(self, i):
        if self.is_binary(i):
            self.swap("arithmetic", i, ARITHMETIC)
            self.swap("relational", i, RELATIONAL)
            self.swap("logical", i, LOGICAL)
            if self.at(i, "<<") and not self.writes(i):
                self.replace("arithmetic", i, i, ">>")
        if (self.at(i, ">") and self.at(i + 1, ">") and self.touches_next(i)
                and self.is_binary(i, 2)):
            self.replace("arithmetic", i, i + 1, "<<")
        self.swap("arithmetic", i, STEPS)
        self.swap("logical", i, {"!": [""]})
        self.swap("constant", i, TRUTH)
        if self.tokens[i].kind == "number":
            for other in instead_of(self.tokens[i].text):
                self.replace("constant", i, i, other)
        self.condition(i)
        self.arguments(i)
        self.sign(i)
        # `Format sin(Format a)` declares one; max() is numeric_limits'.
        if (self.at(i + 1, "(") and (not self.is_word(i - 1) or self.at(i - 1, "return"))
                and not (self.at(i, "max") and self.at(i + 2, ")"))):
            self.swap("function", i, FUNCTIONS)

    def writes(self, i):
        """Whether << writes to a stream: the chain it is in starts with one by its usual name."""
        while i > 0 and not self.at(i - 1, ";", "{", ")"):
            i -= 1
        return self.at(i + 1 if self.at(i, "return") else i, "out", "message")

    def condition(self, i):
        """A condition negated: `a ?`, and what is in the brackets of an if."""
        if (self.is_word(i) and self.at(i + 1, "?")
                and self.at(i - 1, "(", "[", "=", ",", "return")):
            self.found.append(Edit(self.tokens[i].begin, 0, "!", "logical"))
        guards = self.at(i, "(") and (self.at(i - 1, "if") or
                                      (self.at(i - 1, "constexpr") and self.at(i - 2, "if")))
        if guards and not self.compares_once(i):
            self.replace("logical", i, self.partner[i], f"(!{self.between(i, self.partner[i])})")

    def compares_once(self, opened):
        """Whether the condition is one comparison, whose opposite `relational` has."""
        inside = range(opened, self.partner[opened])
        return (sum(self.tokens[i].text in RELATIONAL and self.is_binary(i) for i in inside) == 1
                and not any(self.at(i, "&&", "||") for i in inside))

    def begins_statement(self, i):
        """Behind ; { } else, or the head of an if, for or while."""
        around = self.enclosing[i]
        if i == 0 or (around is not None and not self.at(around, "{")):
            return False
        if self.at(i - 1, ";", "{", "}", "else"):
            return True
        return (self.at(i - 1, ")") and self.partner[i - 1] is not None
                and self.at(self.partner[i - 1] - 1, "if", "for", "while"))

    def declares(self, first, last):
        """Whether there are two operands side by side, as in `Real sum` and `const Real& x`."""
        i = first
        while i < last:
            if self.at(i, "(", "{"):
                i = self.partner[i]
            suffix = self.at(i, ">", "&", "*") and not self.is_binary(i)
            if ((self.is_word(i) or suffix) and self.is_word(i + 1) and not self.at(i, "return")):
                return True
            i += 1
        return False

    def assignment_in(self, i, end):
        """Where the statement i … end assigns, or `end`; a list in braces: nowhere."""
        while i < end and not self.at(i, *ASSIGNMENTS):
            if self.at(i, "{"):
                return end
            i = (self.partner[i] if self.at(i, "(", "[") else i) + 1
        return min(i, end)

    def statement(self, i):
        if not self.begins_statement(i) or self.at(i, "if", "for", "while", "using", "else",
                                                   "class", "const", "template", "do"):
            return
        end = self.statement_end(i)
        if end is None or end == i:
            return
        leaves = self.at(i, "return", "throw")
        jumps = self.at(i, "continue", "break") or (leaves and self.at(i - 1, ")"))
        assignment = self.assignment_in(i, end)
        assigns = assignment < end and self.is_word(i) and not self.declares(i, assignment)
        opened = self.partner[end - 1] if self.at(end - 1, ")") else None
        calls = (not leaves and self.is_word(i) and opened is not None and opened > i
                 and self.is_word(opened - 1) and not self.declares(i, opened))
        if ((jumps or self.at(i, "++", "--") or assigns or calls)
                and (not self.left_alone[i] or self.at(i, "throw"))):
            self.replace("statement", i, end, ";")

    def entries(self, opened):
        """Those between brackets, as first and last token; none where one of them is no value."""
        found, first, close = [], opened + 1, self.partner[opened]
        while first < close:
            i = first
            while i < close and not self.at(i, ","):
                if self.at(i, ";"):
                    return []
                angle = self.template_end(i)
                if angle is None:
                    angle = i if self.partner[i] is None else self.partner[i]
                i = angle + 1
            if (i == first or self.declares(first, i - 1) or self.at(first, "[", ".")
                    or self.tokens[first].text.startswith('"')):
                return []
            found.append((first, i - 1))
            first = i + 1
        return found

    def arguments(self, i):
        if i == 0 or self.partner[i] is None:
            return
        call = (self.at(i, "(") and self.is_word(i - 1) and not self.at(
            i - 1, "if", "for", "while", "switch", "min", "max", "copy", "fill"))
        if not call and not (self.at(i, "{") and self.at(i - 1, "return", "=", "(", "{")):
            return
        entries = self.entries(i)
        for (first, last), (next_first, next_last) in zip(entries, entries[1:]):
            one, other = self.between(first, last), self.between(next_first, next_last)
            if one != other:
                self.replace("arguments", first, next_last, f"{other}, {one}")

    def sign(self, i):
        if (self.at(i, "-") and i > 0 and not self.ends_operand(i - 1) and self.touches_next(i)):
            self.replace("sign", i, i, "")
        end = self.statement_end(i) if self.at(i, "return") else None
        if end is None or end == i + 1:
            return
        inside = range(i + 1, end)
        if (not any(self.at(k, "?", "<<", "{", "==") for k in inside)
                and any(self.is_binary(k) and self.at(k, "+", "-", "*", "/") for k in inside)):
            self.replace("sign", i + 1, end - 1, f"-({self.between(i + 1, end - 1)})")


def edits_of(text):
    return Editor(text).edits()
