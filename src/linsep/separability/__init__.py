"""Verdicts with witnesses: whether a hyperplane tells the classes apart, and the one of largest margin."""
