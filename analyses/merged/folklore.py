"""The page about folklore: what public threads say about the multiplier, each with the claims that
settle it, or why nothing here does. The words are folklore.md:

  ## C1
  ### group           the heading that it opens; only the first of a group has one
  ### said            what people say; then, from "https://" on, the addresses of threads
  ### heard           where it was found, if that has no address
  ### settled         sentences, each with the claims that carry it
  ### not here        what is not settled by any claim, and why"""

import re
from dataclasses import dataclass

from merged.sentence import findings, on_one_line, sentences, text_of
from report.markdown import GENERATED_NOTE

SETTLED, IN_PART, NOT_HERE = "settled", "settled in part", "not settled here"


@dataclass
class Entry:
    number: int  # of "C1"
    group: str
    said: str
    threads: list
    heard: str  # never without a thread or this
    settled: list
    not_here: str

    def standing(self):
        if not self.settled:
            return NOT_HERE
        return IN_PART if self.not_here else SETTLED


def entry(words, section):
    def part(name):
        return on_one_line(words.part(section, name)) if words.has_part(section, name) else ""

    said, thread, addresses = part("said").partition("https://")
    number = re.fullmatch("C([0-9]+)", section)
    made = Entry(int(number[1]) if number else 0, part("group"), said.rstrip(" "),
                 (thread + addresses).split(), part("heard"), sentences(words, section, "settled"),
                 part("not here"))
    for is_wrong, why in ((not number, "is not named C and a number"),
                          (not made.said, "does not tell what is said"),
                          (not made.threads and not made.heard, "does not tell where it was found"),
                          (not made.settled and not made.not_here,
                           "has neither a claim nor a reason")):
        if is_wrong:
            raise ValueError(f"{words.name}: section '{section}' {why}")
    return made


def entries(words):
    """By number, of which none is left out."""
    all = sorted((entry(words, section) for section in words.sections), key=lambda one: one.number)
    for number, one in enumerate(all, 1):
        if one.number != number:
            raise ValueError(f"{words.name}: there is no section C{number}")
    return all


def label_of(address):
    """What links to a thread: "tensor2tensor 1718", or the host."""
    parts = [part for part in address.split("/") if part]
    if len(parts) < 2:
        return address
    if parts[1] == "github.com" and len(parts) >= 4:
        return f"{parts[3]} {parts[5]}" if len(parts) >= 6 else parts[3]
    ids = [part for part in parts if re.fullmatch("[0-9.]+", part)]
    return " ".join([parts[1].removeprefix("www."), *ids[:1]])


def line(results, one):
    """A line of Markdown."""
    threads = [f"[{label_of(address)}]({address})" for address in one.threads]
    where = ", ".join(threads + [one.heard] * bool(one.heard))
    how = [text_of(results, sentence) for sentence in one.settled]
    if one.not_here:
        how.append(("Not settled here: " if one.settled else "") + one.not_here)
    claims = findings(results, one.settled)
    return (f'- <a id="c{one.number}"></a>**C{one.number}** “{one.said}” ({where}) — '
            f"*{one.standing()}{'.' if one.settled else ':'}* {' '.join(how)}"
            + (f" <sub>{claims}</sub>" if claims else "") + "\n")


def page(results, words):
    """reports/folklore.md."""
    all = entries(words)
    standings = [one.standing() for one in all]
    settled, in_part, not_here = map(standings.count, (SETTLED, IN_PART, NOT_HERE))
    out = (f"{GENERATED_NOTE}# {words.title}\n\n{words.introduction}\n\nOf {len(all)} sayings "
           f"{settled} are settled, {in_part} settled in part, {not_here} are not settled here.\n")
    for one in all:
        if one.group:
            out += f"\n## {one.group}\n\n"
        out += line(results, one)
    return out
