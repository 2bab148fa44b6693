"""Inner products replaced by a kernel: the functions themselves, and the dual solvers that need nothing else."""
