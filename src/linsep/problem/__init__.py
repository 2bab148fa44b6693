"""The problem: pointwise losses, penalties, and the objective that joins them to a linear model."""
