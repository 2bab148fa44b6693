"""One check a file: what it looks for, the finding it makes."""
