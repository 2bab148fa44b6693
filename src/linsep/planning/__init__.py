"""Before any work: which solver, how long, how much memory."""
