"""Tests of the compiled kernels, each on every instruction set that this machine runs."""
