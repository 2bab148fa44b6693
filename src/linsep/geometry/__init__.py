"""Hyperplanes, signed distances and margins."""
