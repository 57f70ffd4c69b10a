"""A source text as the mutation operators see it: its tokens, which bracket closes which, where
operands end, which tokens lie where no mutant is wanted.

This is no parser. It leans on clang-format: a binary operator has a space on both sides, the < of a
template list touches the name before it. Where it guesses wrong, the mutant does not compile and is
not counted. A text has a character for each byte (Latin-1)."""

import re
from collections import namedtuple

Token = namedtuple("Token", "kind begin end text")  # places in the text
# A comment is of no kind. >> is two tokens, as it may close two template lists.
TOKEN = re.compile(r"""//[^\n]*|/\*[\s\S]*?\*/
    |(?P<directive>\#(?:\\\n|[^\n])*)
    |(?P<literal>R"(?P<mark>[^(\s]*)\([\s\S]*?\)(?P=mark)"|"(?:\\[\s\S]|[^"\\])*"?
                |'(?:\\[\s\S]|[^'\\])*'?)
    |(?P<number>0[xX](?:[pP][+-]|[\w.'])*|\.?\d(?:[eE][+-]|[\w.'])*)
    |(?P<word>\w+)
    |(?P<punctuator><=>|<<=|\.\.\.|->\*|::|->|\+\+|--|<<|&&|\|\||[<>=!+\-*/%&|^]=|\.\*|\#\#|\S)
    """, re.ASCII | re.VERBOSE)
# Words that end no operand.
NO_OPERAND = {"return", "throw", "case", "else", "const", "constexpr", "static", "auto", "operator",
              "typename", "if"}


class Source:
    def __init__(self, text):
        self.text = text
        self.tokens = [Token(found.lastgroup, found.start(), found.end(), found[0])
                       for found in TOKEN.finditer(text) if found.lastgroup]
        size = len(self.tokens)
        self.partner = [None] * size  # the other bracket of a pair
        self.enclosing = [None] * size  # the innermost bracket that is open there
        self.left_alone = [token.kind == "directive" for token in self.tokens]
        self._match_brackets()
        for i in range(size):
            if self.reads(i, "static_assert", "throw", "using", "concept", "enum"):
                self._leave_alone(i, self.statement_end(i))
            if self.reads(i, "operator"):
                self._leave_alone(i, min(i + 2, size - 1))
            self._leave_alone(i, self.template_end(i))

    def _match_brackets(self):
        pending = []
        for i in range(len(self.tokens)):
            if self.reads(i, ")", "]", "}") and pending:
                self.partner[i] = pending.pop()
                self.partner[self.partner[i]] = i
            self.enclosing[i] = pending[-1] if pending else None
            if self.reads(i, "(", "[", "{"):
                pending.append(i)
        for i in pending:  # never closed: the text ends it
            self.partner[i] = len(self.tokens) - 1

    def _leave_alone(self, first, last):
        if last is not None:
            self.left_alone[first:last + 1] = [True] * (last + 1 - first)

    def reads(self, i, *texts):
        """Whether token `i` exists and is one of these."""
        return 0 <= i < len(self.tokens) and self.tokens[i].text in texts

    def is_word(self, i):
        return 0 <= i < len(self.tokens) and self.tokens[i].kind == "word"

    def between(self, first, last):
        """The text of tokens first … last."""
        return self.text[self.tokens[first].begin:self.tokens[last].end]

    def touches_next(self, i):
        return i + 1 < len(self.tokens) and self.tokens[i].end == self.tokens[i + 1].begin

    def ends_operand(self, i):
        """Whether a value may end here, so that an operator after it is a binary one."""
        if self.is_word(i):
            return self.tokens[i].text not in NO_OPERAND
        return self.tokens[i].kind in ("number", "literal") or self.reads(i, ")", "]", "}")

    def is_binary(self, i, width=1):
        """A binary operator of `width` tokens (2 for >>), with a space on both sides."""
        return (0 < i < len(self.tokens) - width and self.ends_operand(i - 1) and
                not self.touches_next(i - 1) and not self.touches_next(i + width - 1))

    def statement_end(self, i):
        """The ; that ends what begins at `i`, or None where a bracket closes first."""
        while i < len(self.tokens) and not self.reads(i, ";"):
            if self.reads(i, ")", "]", "}"):
                return None
            i = i + 1 if self.partner[i] is None else self.partner[i] + 1
        return i if i < len(self.tokens) else None

    def template_end(self, i):
        """The > of a template list whose < touches the word before it, or None."""
        if not (self.reads(i, "<") and self.is_word(i - 1) and
                (self.touches_next(i - 1) or self.reads(i - 1, "template"))):
            return None
        depth = 0
        while i < len(self.tokens) and not self.reads(i, ";", "{"):
            depth += self.reads(i, "<") - self.reads(i, ">")
            if depth == 0:
                return i
            if self.reads(i, "("):
                i = self.partner[i]
            i += 1
        return None
