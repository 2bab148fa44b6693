"""Tests of the problem layer."""
