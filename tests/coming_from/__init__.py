"""docs/coming-from.md is true: every row of its tables is executed, against the other library or what it gave."""
