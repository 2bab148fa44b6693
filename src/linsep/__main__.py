"""The command: `linsep`, and `python -m linsep`. Ctrl-C is a sentence also while the program itself is loaded."""

import sys


def entry() -> None:
    try:
        from linsep.cli.app import entry as run
    except KeyboardInterrupt:
        sys.stderr.write("linsep: interrupted; nothing was written\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    entry()
