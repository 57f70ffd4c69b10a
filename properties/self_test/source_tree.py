"""The project's own sources as text, for the tests that hold them to the rules of the house."""

import pathlib


def files_of(root, *folders):
    """The text of every file below the folders by its path from the root, in their order; what an
    editor or a program leaves behind while it writes (names that begin with a dot, *.writing) is not
    the project's, and safetensors are no text."""
    root = pathlib.Path(root)
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace")
            for folder in folders for path in sorted((root / folder).rglob("*"))
            if path.is_file() and not path.name.startswith(".") and path.suffix not in (".writing", ".safetensors")}


def is_code(path):
    return path.endswith((".hpp", ".ipp", ".cpp"))


def numbered(text):
    """Its lines, from 1 on."""
    return enumerate(text.removesuffix("\n").split("\n"), 1)
