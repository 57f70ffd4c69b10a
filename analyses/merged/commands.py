"""What the built programs tell, as JSON."""

import json
import subprocess

DONE, DIFFERS, USAGE = range(3)


class Commands:
    def __init__(self, programs):
        self.programs = programs

    def asked(self, where, program, *arguments):
        """A value for each line that it prints.

        Raises ValueError for what it was asked for wrongly, `where` it is written, else OSError.
        """
        ended = subprocess.run([self.programs / program, *arguments], stdin=subprocess.DEVNULL,
                               capture_output=True, encoding="utf-8")
        if ended.returncode not in (DONE, DIFFERS):
            raise (ValueError if ended.returncode == USAGE else OSError)(
                f"{where}: {ended.stderr.strip()}")
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def declared(self):
        """What the code declares: declared.cpp."""
        return self.asked("the code", "declared")[0]

    def embedscale(self, where, command, *arguments):
        return self.asked(where, "embedscale", command, "--json", *arguments)
