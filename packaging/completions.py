"""Completions of the command for bash, zsh and fish, from what it says of its options:
completions.py DIRECTORY EMBEDSCALE [EMBEDSCALE_CHECK], laid out as a share directory is."""

import os
import pathlib
import re
import subprocess
import sys

CITE = pathlib.Path(__file__).resolve().parent.parent / "analyses/cite/cite.py"
OPTION = re.compile(r" +(?:-\w(?: [A-Z]+)?, ?)?--([a-z][a-z-]*)(?:[ =](\S.*?))?(?:  +(\S.*))?$")

# What is named by a word in capitals, as shells ask the command for it; other values are files.
SYSTEMS, CLAIMS = "embedscale audit --systems", "embedscale list | cut -d ' ' -f 1"
NAMED = {"NAME": SYSTEMS}
PLACES = {"show": CLAIMS, "cite": CLAIMS, "port": SYSTEMS}


def said_by(*command):
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(list(map(str, command)), check=True, env=environment, encoding="utf-8",
                          capture_output=True).stdout


def options_in(text):
    """Each option of a help text: its name, what it takes ("" for a flag), what it does."""
    found = []
    for line in text.splitlines():
        if option := OPTION.match(line):
            found.append([option[1], option[2] or "", option[3] or ""])
        elif found and not found[-1][2] and line.startswith("     "):
            found[-1][2] = line.strip()  # it stands below where the name is long
    return list(map(tuple, found))


def commands(embedscale, check):
    """By name: what each does, and its options."""
    found = {}
    for name, about in re.findall(r"^  ([a-z]+)  +(\S.*)$", said_by(embedscale, "--help"), re.M):
        program = {"cite": [sys.executable, CITE], "check": [check, name]}.get(name,
                                                                              [embedscale, name])
        # `vectors` takes a directory, and its help is that of check.
        is_told = program[0] and name != "vectors"
        found[name] = (about, options_in(said_by(*program, "--help")) if is_told else [])
    return found


def words_of(takes):
    """The words that an option takes, if these are listed."""
    listed = re.search(r"\{(.*)\}", takes)
    return " ".join(listed[1].split(",")) if listed else ""


def bash(found):
    cases = ""
    for name, (_, options) in found.items():
        for option, takes, _ in options:
            if words_of(takes) or takes.split(" ")[0] in NAMED:
                words = words_of(takes) or f"$({NAMED[takes.split(' ')[0]]})"
                cases += f"    '{name} --{option}') words=\"{words}\" ;;\n"
            elif takes:
                cases += f"    '{name} --{option}') return ;;\n"
        cases += f"    '{name} '*)\n      case $word in\n        -*) words=\"" + " ".join(
            "--" + option for option, _, _ in options) + "\" ;;\n"
        if name in PLACES:
            cases += f"        *) words=\"$({PLACES[name]})\" ;;\n"
        cases += "      esac ;;\n"
    return ("_embedscale() {\n  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
            "  case \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}\" in\n"
            f"{cases}    *) words=\"{' '.join(found)} --help --help-all --version\" ;;\n  esac\n"
            "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
            "complete -o default -F _embedscale embedscale\n")


def zsh(found):
    def quoted(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")

    def action(takes):
        named = NAMED.get(takes.split(" ")[0])
        return (f"({words_of(takes)})" if words_of(takes) else
                f"{{compadd ${{(f)\"$({named})\"}}}}" if named else "_files")

    lines = "".join(f"    '{name}:{quoted(about)}'\n" for name, (about, _) in found.items())
    cases = ""
    for name, (_, options) in found.items():
        cases += f"  {name})\n    _arguments \\\n" + "".join(
            f"      '*--{option}[{quoted(about)}]" + (f":value:{action(takes)}" if takes else "")
            + "' \\\n" for option, takes, about in options)
        place = f"compadd ${{(f)\"$({PLACES[name]})\"}}; _files" if name in PLACES else "_files"
        cases += f"      '*:value:{{{quoted(place)}}}' ;;\n"
    return ("#compdef embedscale\nlocal -a commands\nif (( CURRENT == 2 )); then\n  commands=(\n"
            f"{lines}  )\n  _describe command commands\n  return\nfi\n"
            "shift words\n(( CURRENT-- ))\ncase $words[1] in\n" + cases + "esac\n")


def fish(found):
    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ""
    for name, (about, options) in found.items():
        lines += ("complete -c embedscale -f -n __fish_use_subcommand "
                  f"-a {name} -d {quoted(about)}\n")
        seen = f"complete -c embedscale -n '__fish_seen_subcommand_from {name}'"
        if name in PLACES:
            lines += f"{seen} -a {quoted(f'({PLACES[name]})')}\n"
        for option, takes, about in options:
            named = NAMED.get(takes.split(" ")[0])
            words = words_of(takes) or (f"({named})" if named else "")
            kind = f" -x -a {quoted(words)}" if words else " -r" if takes else ""
            lines += f"{seen} -l {option}{kind} -d {quoted(about)}\n"
    return lines


def main(directory, embedscale, check=None):
    found = commands(embedscale, check)
    for place, written in (("bash-completion/completions/embedscale", bash),
                           ("zsh/vendor-completions/_embedscale", zsh),
                           ("fish/vendor_completions.d/embedscale.fish", fish)):
        path = pathlib.Path(directory, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
