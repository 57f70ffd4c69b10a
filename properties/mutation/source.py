"""A source text as the mutation operators see it: its tokens, which bracket closes which, where
operands end, which tokens lie where no mutant is wanted.

This is no parser. It leans on clang-format: a binary operator has a space on both sides, the < of a
template list touches the name before it. Where it guesses wrong, the mutant does not compile and is
not counted. A text has a character for each byte (latin-1), so that places are those of the file.
"""
import re
from typing import NamedTuple

# Comments are left out; a directive is one token, and so is a string, raw or not. >> is two, as it
# may close two template lists.
PATTERN = re.compile(
    r"""//[^\n]*|/\*[\s\S]*?\*/
    |(?P<directive>\#(?:\\\n|[^\n])*)
    |(?P<literal>R"(?P<mark>[^(\s]*)\([\s\S]*?\)(?P=mark)"|"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?)
    |(?P<number>0[xX](?:[pP][+-]|[\w.'])*|\.?\d(?:[eE][+-]|[\w.'])*)
    |(?P<word>\w+)
    |(?P<punctuator><=>|<<=|\.\.\.|->\*|::|->|\+\+|--|<<|&&|\|\||[<>=!+\-*/%&|^]=|\.\*|\#\#|\S)""",
    re.ASCII | re.VERBOSE)
NO_OPERAND = ("return", "throw", "case", "else", "const", "constexpr", "static", "auto", "operator",
              "typename", "if")


class Token(NamedTuple):
    kind: str
    begin: int
    text: str

    @property
    def end(self):
        return self.begin + len(self.text)


def tokens_of(text):
    return [Token(match.lastgroup, match.start(), match[0]) for match in PATTERN.finditer(text)
            if match.lastgroup]


class Source:
    def __init__(self, text):
        self.text, self.tokens = text, tokens_of(text)
        self.partner = [None] * len(self)  # the other bracket of a pair
        self.enclosing = [None] * len(self)  # the innermost bracket that is open there
        # In a template list, a type alias, a static_assert, what is thrown, a concept: no mutants.
        self.left_alone = [token.kind == "directive" for token in self.tokens]
        self._match_brackets()
        for i in range(len(self)):
            if self.at(i, "static_assert", "throw", "using", "concept", "enum"):
                self._leave_alone(i, self.statement_end(i))
            if self.at(i, "operator"):
                self._leave_alone(i, min(i + 2, len(self) - 1))
            self._leave_alone(i, self.template_end(i))

    def __len__(self):
        return len(self.tokens)

    def at(self, i, *texts):
        """Whether token `i` exists and is one of these."""
        return 0 <= i < len(self) and self.tokens[i].text in texts

    def is_word(self, i):
        return 0 <= i < len(self) and self.tokens[i].kind == "word"

    def between(self, first, last):
        return self.text[self.tokens[first].begin:self.tokens[last].end]

    def touches_next(self, i):
        return i + 1 < len(self) and self.tokens[i].end == self.tokens[i + 1].begin

    def ends_operand(self, i):
        """Whether a value may end here, so that an operator after it is a binary one."""
        if i >= len(self):
            return False
        if self.is_word(i):
            return not self.at(i, *NO_OPERAND)
        return self.tokens[i].kind in ("number", "literal") or self.at(i, ")", "]", "}")

    def is_binary(self, i, width=1):
        """A binary operator of `width` tokens (2 for >>), with a space on both sides."""
        return (0 < i and i + width < len(self) and self.ends_operand(i - 1)
                and not self.touches_next(i - 1) and not self.touches_next(i + width - 1))

    def statement_end(self, i):
        """The ; that ends what begins at `i`; None where a bracket closes first."""
        while i < len(self) and not self.at(i, ";"):
            if self.at(i, ")", "]", "}"):
                return None
            i = (i if self.partner[i] is None else self.partner[i]) + 1
        return i if i < len(self) else None

    def template_end(self, i):
        """The > of a template list whose < touches the word before it, or None."""
        if not (self.at(i, "<") and self.is_word(i - 1)
                and (self.touches_next(i - 1) or self.at(i - 1, "template"))):
            return None
        depth = 0
        while i < len(self) and not self.at(i, ";", "{"):
            depth += self.at(i, "<") - self.at(i, ">")
            if depth == 0:
                return i
            i = (self.partner[i] if self.at(i, "(") else i) + 1
        return None

    def _match_brackets(self):
        opened = []
        for i in range(len(self)):
            if self.at(i, ")", "]", "}") and opened:
                other = opened.pop()
                self.partner[i], self.partner[other] = other, i
            self.enclosing[i] = opened[-1] if opened else None
            if self.at(i, "(", "[", "{"):
                opened.append(i)
        for i in opened:  # never closed: the text ends it
            self.partner[i] = len(self) - 1

    def _leave_alone(self, first, last):
        if last is not None:
            self.left_alone[first:last + 1] = [True] * (last + 1 - first)
