"""Commands as parts: what scripts hand to the program make_parts."""

import json
import os
import sys
import tempfile


def add_options(parser):
    """How a list of parts is shared; make_parts says what is wrong with them."""
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="the i-th of n shares of the "
                        "parts, for machines that share nothing")
    parser.add_argument("--mpi", action="store_true", help="a process for each part under way: "
                        "mpirun -n 4 … --mpi")
    parser.add_argument("--jobs", default="0", metavar="N", help="threads, without --mpi; 0: one "
                        "for each processor")


def become_maker(build, name, phases, options, arguments=()):
    """Goes on as make_parts, of lists of (part's name, hash, command). What they come to is kept in
    BUILD/parts/NAME."""
    lines = ("".join(json.dumps({"part": part, "of": of, "command": [*map(str, command)]}) + "\n"
                     for part, of, command in phase) for phase in phases)
    with tempfile.TemporaryFile() as file:
        file.write("\n".join(lines).encode())
        file.seek(0)
        os.dup2(file.fileno(), sys.stdin.fileno())
    program = build / "bin/make_parts"
    words = ["--kept", build / "parts" / name, "--shard", options.shard, "--jobs", options.jobs,
             *(["--mpi"] if options.mpi else []), *arguments]
    sys.stderr.flush()
    os.execv(program, [program, *map(str, words)])
