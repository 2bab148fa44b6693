"""Separability: verdicts against constructed truth and an independent oracle in rationals."""
