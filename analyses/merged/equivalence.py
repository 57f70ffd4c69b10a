"""What is equal to what, stage by stage through a model, and where it stops: a drawing and the same
as a list. The words tell the stages, "the sum: the same vector but for the factor √d. {holds
topic.claim}"; whether a stage keeps two spellings equal is the verdict of the claim that its
sentence names first."""

from dataclasses import dataclass

from merged.sentence import Sentence, links, sentences, text_of

# Units of the picture; text of 15 units stays readable on a telephone, where it shrinks to 11.
WIDTH, MARGIN, STRAND, COLUMN, LINE_HEIGHT = 520, 16, 40, 76, 20
CHARACTERS = 52  # that a line of text has room for in a wide font
INK, FAINT, FIRST, SECOND = "#24292f", "#57606a", "#0b62a3", "#b35900"
BOLD = ' font-weight="bold"'
BOLD_MIDDLE = BOLD + ' text-anchor="middle"'
SIGNS = {"true": "=", "true if": "= if", "false": "≠"}


@dataclass
class Stage:
    name: str  # before the colon
    sentence: Sentence  # all of it

    def sign(self, results):
        """"=", "= if", "≠", or "?" where nothing is settled."""
        id, _ = self.sentence.carriers[0]
        return SIGNS.get(results.rows[id]["verdict"].removeprefix("premise "), "?")

    def said(self, results):
        return text_of(results, self.sentence)[len(self.name) + 2:]


@dataclass
class Comparison:
    """Two ways to write the input, and what becomes of their equality."""
    title: str
    left: str
    right: str
    stages: list


def stage(sentence):
    name, colon, _ = sentence.words.partition(": ")
    if not colon or not sentence.carriers:
        sentence.refuse(f"'{sentence.words}' has no name and colon, or no claim")
    return Stage(name, sentence)


def comparisons(words):
    """The sections "drawing 1", "drawing 2", … of the words."""
    return [Comparison(*(words.part(section, part) for part in ("title", "left", "right")),
                       [stage(one) for one in sentences(words, section, "stages")])
            for section in sorted(words.sections) if section.startswith("drawing ")]


def label(x, y, text, fill, face=""):
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x}" y="{y}" fill="{fill}"{face}>{text}</text>\n'


def stretch(x, start, end, stroke):
    return f'<path d="M{x} {start}V{end}" stroke="{stroke}" stroke-width="4"/>\n'


def badge(x, y, sign):
    """A sign on the strands: colour and shape say the same."""
    shapes = {
        "=": f'<circle cx="{x}" cy="{y}" r="15" fill="#1a7f37"/>\n',
        "= if": f'<rect x="{x - 23}" y="{y - 14}" width="46" height="28" rx="14" '
                'fill="#8a5a00"/>\n',
        "≠": f'<rect x="{x - 14}" y="{y - 14}" width="28" height="28" fill="#b3261e"/>\n',
        "?": f'<circle cx="{x}" cy="{y}" r="14" fill="#fff" stroke="{FAINT}" '
             'stroke-dasharray="4 3"/>\n'}
    return shapes[sign] + label(x, y + 6, sign, FAINT if sign == "?" else "#fff", BOLD_MIDDLE)


def wrapped(text, width):
    """On lines of at most so many characters, broken at spaces."""
    lines = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def box(x, text, color, y):
    return (f'<rect x="{x}" y="{y}" width="232" height="34" rx="6" fill="#fff" stroke="{color}" '
            f'stroke-width="2"/>\n' + label(x + 116, y + 22, text, color, BOLD_MIDDLE))


def drawn(results, comparison, y):
    """One comparison from `y` on, and where it ends."""
    out, signs = "", ""
    for line in wrapped(comparison.title, CHARACTERS + 4):
        out += label(MARGIN, y + 16, line, INK, BOLD)
        y += LINE_HEIGHT
    y += 8
    out += box(MARGIN, comparison.left, FIRST, y)
    out += box(WIDTH - MARGIN - 232, comparison.right, SECOND, y)
    y += 34
    # The second strand comes over from its box.
    out += (f'<path d="M{WIDTH - MARGIN - 116} {y}v9H{STRAND + 5}v5" stroke="{SECOND}" '
            'stroke-width="4"/>\n' + stretch(STRAND - 5, y, y + 14, FIRST))
    y += 14
    joined = y  # where the strands were drawn to
    for stage in comparison.stages:
        sign, middle = stage.sign(results), y + 26
        # Where they part, or nobody knows, there is a gap around the sign.
        gap = 20 if sign in "≠?" else 0
        out += stretch(STRAND - 5, joined, middle - gap, FIRST)
        out += stretch(STRAND + 5, joined, middle - gap, SECOND)
        signs += badge(STRAND, middle, sign)
        joined, baseline = middle + gap, y + 20
        out += label(COLUMN, baseline, stage.name, INK, BOLD)
        for line in wrapped(stage.said(results), CHARACTERS):
            baseline += LINE_HEIGHT
            out += label(COLUMN, baseline, line, FAINT)
        y = baseline + 14
    return out + signs, y + 18


def legend(y):
    out, x = "", MARGIN + 15
    for sign, meaning, room in (("=", "same", 98), ("= if", "same, if", 124),
                                ("≠", "different", 116), ("?", "not settled", 0)):
        out += badge(x, y, sign) + label(x + 29, y + 5, meaning, FAINT)
        x += room
    return out


def drawing(results, all):
    """An SVG with a background of its own; the same bytes for the same input."""
    y, body = 20, ""
    for comparison in all:
        part, y = drawn(results, comparison, y)
        body += part
    height = y + 34
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, sans-serif" '
            'font-size="15" fill="none">\n<title>equivalence</title>\n'
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fbfaf7"/>\n'
            f'{body}{legend(y + 4)}</svg>\n')


def as_lists(results, all):
    """The drawing in words, with links: a Markdown list for each comparison."""
    return "\n".join(
        f"**{one.title}** {one.left} | {one.right}\n\n" + "".join(
            f"- **{stage.sign(results)}** {stage.name}: {stage.said(results)} "
            f"<sub>{links(results, stage.sentence)}</sub>\n" for stage in one.stages)
        for one in all)
