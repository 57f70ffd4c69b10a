"""The mutants of a C++ text: what the operators make of it, and the names by which they are known.

This is no parser. It leans on clang-format: a binary operator has a space on both sides, the < of a
template list touches the name before it. Where it guesses wrong, the mutant does not compile and is
not counted. A text is a string of bytes (latin-1), so that offsets are those of the file.
"""
import bisect
import collections
import re

# In the order in which the strata are drawn.
OPERATORS = ("arithmetic", "relational", "logical", "constant", "statement", "arguments", "sign",
             "function")
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/", "+"], "/": ["*", "-"], "%": ["/"], "&": ["|"],
              "|": ["&"], "^": ["|"], "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="],
              "/=": ["*=", "="]}
RELATIONAL = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
              "==": ["!="], "!=": ["=="]}
LOGICAL = {"&&": ["||"], "||": ["&&"]}
# Those that need not be binary.
ANYWHERE = {"++": ("arithmetic", "--"), "--": ("arithmetic", "++"), "!": ("logical", ""),
            "true": ("constant", "false"), "false": ("constant", "true")}
LOOK_ALIKES = {"infinity": "max"}
for one, other in [("sin", "cos"), ("floor", "ceil"), ("min", "max"), ("exp", "expm1"),
                   ("log", "log1p"), ("erf", "erfc"), ("real", "imag"), ("all_of", "any_of"),
                   ("last", "first")]:
    LOOK_ALIKES |= {one: other, other: one}
LOOK_ALIKES["sqrt"] = "cbrt"

Token = collections.namedtuple("Token", "kind begin end text")
# `size` bytes from `begin` on become `replacement`.
Edit = collections.namedtuple("Edit", "begin size replacement operator")
# Line and column from 1; the line without the blanks around it, and what stands there instead.
Mutant = collections.namedtuple("Mutant", "file line column edit id before after")

# Comments are left out; a directive is one token, and so is a string, raw or not. >> is two, as it
# may close two template lists.
TOKEN = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/"
    r"|(?P<directive>#(?:\\\n|[^\n])*)"
    r"""|(?P<literal>R"(?P<mark>[^(\s]*)\([\s\S]*?\)(?P=mark)"|"(?:\\[\s\S]|[^"\\])*"?"""
    r"""|'(?:\\[\s\S]|[^'\\])*'?)"""
    r"|(?P<number>0[xX](?:[pP][+-]|[\w.'])*|\.?\d(?:[eE][+-]|[\w.'])*)"
    r"|(?P<word>\w+)"
    r"|(?P<punctuator><=>|<<=|\.\.\.|->\*|::|->|\+\+|--|<<|&&|\|\||[<>=!+\-*/%&|^]=|\.\*|##|\S)",
    re.ASCII)


def tokens_of(text):
    return [Token(found.lastgroup, found.start(), found.end(), found[0])
            for found in TOKEN.finditer(text) if found.lastgroup]


def instead_of(number):
    """What may stand for a number: its neighbours; for 1/2, 2 and such also its double or half."""
    if "'" in number:
        return []
    if number == "0.0":
        return ["1.0"]
    if number == "0.5":
        return ["2.0", "0.25"]
    if power := re.fullmatch(r"(0x[^p]*p)(-?\d+)", number):
        return [power[1] + str(int(power[2]) + step) for step in (1, -1)]
    if number.startswith("0x"):
        return []
    if not (whole := re.fullmatch(r"(\d+)(\.0|[uUlL]*)", number)):
        return ["2 * " + number]
    n = int(whole[1])
    return [str(to) + whole[2] for to in (n + 1, n - 1) if to >= 0]


class Source:
    """A text as the operators see it: tokens by their index, which bracket closes which."""

    def __init__(self, text):
        self.text, self.tokens, self.edits = text, tokens_of(text), []
        size = len(self.tokens)
        self.partner = [None] * size  # the other bracket of a pair
        self.enclosing = [None] * size  # the innermost bracket that is open
        self.left_alone = [False] * size  # no behaviour: a template list, what is thrown, …
        self.match_brackets()
        for i, token in enumerate(self.tokens):
            last = None
            if token.kind == "directive":
                last = i
            elif self.at(i, "static_assert", "throw", "using", "concept", "enum"):
                last = self.statement_end(i)
            elif self.at(i, "operator"):
                last = min(i + 2, size - 1)
            elif self.at(i, "<"):
                last = self.template_end(i)
            if last is not None:
                self.left_alone[i:last + 1] = [True] * (last + 1 - i)

    def match_brackets(self):
        pending = []
        for i in range(len(self.tokens)):
            if self.at(i, ")", "]", "}") and pending:
                self.partner[i] = pending[-1]
                self.partner[pending.pop()] = i
            self.enclosing[i] = pending[-1] if pending else None
            if self.at(i, "(", "[", "{"):
                pending.append(i)
        for i in pending:  # never closed: the text ends it
            self.partner[i] = len(self.tokens) - 1

    def at(self, i, *texts):
        """Whether token `i` exists and is one of these."""
        return i is not None and 0 <= i < len(self.tokens) and self.tokens[i].text in texts

    def kind(self, i):
        return self.tokens[i].kind if 0 <= i < len(self.tokens) else None

    def is_word(self, i):
        return self.kind(i) == "word"

    def between(self, first, last):
        return self.text[self.tokens[first].begin:self.tokens[last].end]

    def touches_next(self, i):
        return i + 1 < len(self.tokens) and self.tokens[i].end == self.tokens[i + 1].begin

    def ends_operand(self, i):
        """Whether a value may end here, so that an operator after it is a binary one."""
        if self.is_word(i):
            return not self.at(i, "return", "throw", "case", "else", "const", "constexpr", "static",
                               "auto", "operator", "typename", "if")
        return self.kind(i) in ("number", "literal") or self.at(i, ")", "]", "}")

    def is_binary(self, i, width=1):
        """A binary operator of `width` tokens (2 for >>), with a space on both sides."""
        return (i > 0 and i + width < len(self.tokens) and self.ends_operand(i - 1)
                and not self.touches_next(i - 1) and not self.touches_next(i + width - 1))

    def statement_end(self, i):
        """The ; that ends what begins at `i`; None where a bracket closes first."""
        while i < len(self.tokens) and not self.at(i, ";"):
            if self.at(i, ")", "]", "}"):
                return None
            i = (i if self.partner[i] is None else self.partner[i]) + 1
        return i if i < len(self.tokens) else None

    def template_end(self, i):
        """The > of a template list whose < touches the word before it, or None."""
        if not (self.at(i, "<") and self.is_word(i - 1)
                and (self.touches_next(i - 1) or self.at(i - 1, "template"))):
            return None
        depth = 0
        while i < len(self.tokens) and not self.at(i, ";", "{"):
            depth += self.at(i, "<") - self.at(i, ">")
            if depth == 0:
                return i
            i = (self.partner[i] if self.at(i, "(") else i) + 1
        return None

    def declares(self, first, last):
        """Whether these contain two operands side by side, as `Real sum` and `const Real& x` do."""
        i = first
        while i < last:
            if self.at(i, "(", "{"):
                i = self.partner[i]
            suffix = self.at(i, ">", "&", "*") and not self.is_binary(i)
            if (self.is_word(i) or suffix) and self.is_word(i + 1) and not self.at(i, "return"):
                return True
            i += 1
        return False

    def begins_statement(self, i):
        """Behind ; { } else, or the head of an if, for or while."""
        if i == 0 or (self.enclosing[i] is not None and not self.at(self.enclosing[i], "{")):
            return False
        head = self.partner[i - 1] if self.at(i - 1, ")") else None
        return (self.at(i - 1, ";", "{", "}", "else")
                or (head is not None and self.at(head - 1, "if", "for", "while")))

    def assignment_in(self, i, end):
        """Where the statement i … end assigns, or `end`; a list in braces: nowhere."""
        while i < end and not self.at(i, "=", "+=", "-=", "*=", "/="):
            if self.at(i, "{"):
                return end
            i = (self.partner[i] if self.at(i, "(", "[") else i) + 1
        return min(i, end)

    def entries(self, bracket):
        """What is between brackets, as first and last tokens; empty where one is no value."""
        close, first, found = self.partner[bracket], bracket + 1, []
        while first < close:
            i = first
            while i < close and not self.at(i, ","):
                if self.at(i, ";"):
                    return []
                end = self.template_end(i)
                i = next((to for to in (end, self.partner[i]) if to is not None), i) + 1
            if (i == first or self.declares(first, i - 1) or self.at(first, "[", ".")
                    or self.tokens[first].text[0] == '"'):
                return []
            found.append((first, i - 1))
            first = i + 1
        return found


class Editor(Source):
    """Collects the edits; each method below looks at one token for one kind of them."""

    def all_edits(self):
        for i in range(len(self.tokens)):
            self.statement(i)  # a guarded throw can go, what it says cannot change
            if not self.left_alone[i]:
                self.punctuator(i)
                self.number_or_name(i)
                self.condition(i)
                self.arguments(i)
                self.sign(i)
                self.look_alike(i)
        return sorted(self.edits, key=lambda edit: edit.begin)

    def replace(self, operator, first, last, replacement):
        begin = self.tokens[first].begin
        self.edits.append(Edit(begin, self.tokens[last].end - begin, replacement, operator))

    def punctuator(self, i):
        if self.is_binary(i):
            for operator, swaps in [("arithmetic", ARITHMETIC), ("relational", RELATIONAL),
                                    ("logical", LOGICAL)]:
                for to in swaps.get(self.tokens[i].text, []):
                    self.replace(operator, i, i, to)
            if self.at(i, "<<") and not self.writes(i):
                self.replace("arithmetic", i, i, ">>")
        shifts = self.at(i, ">") and self.at(i + 1, ">") and self.touches_next(i)
        if shifts and self.is_binary(i, 2):
            self.replace("arithmetic", i, i + 1, "<<")

    def writes(self, i):
        """Whether << writes to a stream: the chain it is in starts with one by its usual name."""
        while i > 0 and not self.at(i - 1, ";", "{", ")"):
            i -= 1
        return self.at(i + 1 if self.at(i, "return") else i, "out", "message")

    def number_or_name(self, i):
        token = self.tokens[i]
        if token.text in ANYWHERE:
            operator, to = ANYWHERE[token.text]
            self.replace(operator, i, i, to)
        if token.kind == "number":
            for to in instead_of(token.text):
                self.replace("constant", i, i, to)

    def condition(self, i):
        """A condition negated: `a ?`, and what is in the brackets of an if."""
        if (self.is_word(i) and self.at(i + 1, "?")
                and self.at(i - 1, "(", "[", "=", ",", "return")):
            self.edits.append(Edit(self.tokens[i].begin, 0, "!", "logical"))
        if self.at(i, "(") and (self.at(i - 1, "if") or
                                (self.at(i - 1, "constexpr") and self.at(i - 2, "if"))):
            inside = range(i, self.partner[i])
            # Of one comparison, `relational` has the opposite.
            if (any(self.at(k, "&&", "||") for k in inside)
                    or sum(self.tokens[k].text in RELATIONAL and self.is_binary(k)
                           for k in inside) != 1):
                self.replace("logical", i, self.partner[i],
                             f"(!{self.between(i, self.partner[i])})")

    def statement(self, i):
        if not self.begins_statement(i) or self.at(
                i, "if", "for", "while", "using", "else", "class", "const", "template", "do"):
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
        acts = jumps or self.at(i, "++", "--") or assigns or calls
        if acts and (not self.left_alone[i] or self.at(i, "throw")):
            self.replace("statement", i, end, ";")

    def arguments(self, i):
        """Two neighbours in a call or a braced list exchanged."""
        call = self.at(i, "(") and self.is_word(i - 1) and not self.at(
            i - 1, "if", "for", "while", "switch", "min", "max", "copy", "fill")
        braces = self.at(i, "{") and self.at(i - 1, "return", "=", "(", "{")
        if i == 0 or self.partner[i] is None or not (call or braces):
            return
        entries = self.entries(i)
        for one, other in zip(entries, entries[1:]):
            texts = self.between(*one), self.between(*other)
            if texts[0] != texts[1]:
                self.replace("arguments", one[0], other[1], f"{texts[1]}, {texts[0]}")

    def sign(self, i):
        """A unary minus left out; a sum or product returned with the other sign."""
        if self.at(i, "-") and i > 0 and not self.ends_operand(i - 1) and self.touches_next(i):
            self.replace("sign", i, i, "")
        end = self.statement_end(i) if self.at(i, "return") else None
        if end is None or end == i + 1:
            return
        value = range(i + 1, end)
        if (not any(self.at(k, "?", "<<", "{", "==") for k in value)
                and any(self.is_binary(k) and self.at(k, "+", "-", "*", "/") for k in value)):
            self.replace("sign", i + 1, end - 1, f"-({self.between(i + 1, end - 1)})")

    def look_alike(self, i):
        """Of a function that is called: `Format sin(Format a)` declares one, max() is a limit."""
        if (self.tokens[i].text in LOOK_ALIKES and self.at(i + 1, "(")
                and (not self.is_word(i - 1) or self.at(i - 1, "return"))
                and not (self.at(i, "max") and self.at(i + 2, ")"))):
            self.replace("function", i, i, LOOK_ALIKES[self.tokens[i].text])


def applied(text, edit):
    return text[:edit.begin] + edit.replacement + text[edit.begin + edit.size:]


def without_blanks(text):
    """With one blank for each row of blanks and none at its ends."""
    return re.sub(r"[ \n\t]+", " ", text).strip(" ")


def hash_of(text):
    """FNV-1a, as embedscale::hash_of."""
    found = 14695981039346656037
    for byte in text.encode("latin-1"):
        found = ((found ^ byte) * 1099511628211) % 2**64
    return found


def mutants_of(file, text):
    """Every mutant of a file, in the order of their places.

    An id hashes what the change is and the text of the line it is in, where in that line, and the
    how-manieth such line of the file it is: it survives whatever happens to other lines, and ends
    when its own line changes.
    """
    lines = text.split("\n")
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line) + 1)
    words, seen, same = [without_blanks(line) for line in lines], collections.Counter(), []
    for line in words:
        same.append(seen[line])
        seen[line] += 1
    mutants = []
    for edit in Editor(text).all_edits():
        row = bisect.bisect_right(begins, edit.begin) - 1
        last = bisect.bisect_right(begins, edit.begin + edit.size) - 1
        column = edit.begin - begins[row]
        blanks = len(lines[row]) - len(lines[row].lstrip(" "))
        whole = text[begins[row]:begins[last + 1] - 1]
        key = (f"{words[row]}\n{same[row]} {column - blanks} {edit.size} {edit.operator} "
               f"{edit.replacement}")
        name = f"{file}#{hash_of(key) % 2**48:012x}"
        after = applied(whole, edit._replace(begin=column))
        mutants.append(Mutant(file, row + 1, column + 1, edit, name, without_blanks(whole),
                              without_blanks(after)))
    return mutants
