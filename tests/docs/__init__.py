"""The documentation is true: its examples run, its generated tables are up to date."""
