"""python -m linsep: the command line."""

from linsep.cli.app import entry

entry()
