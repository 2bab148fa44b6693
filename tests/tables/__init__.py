"""Tests of reading tables."""
