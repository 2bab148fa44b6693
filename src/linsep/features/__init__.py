"""Basis functions with readable names."""
