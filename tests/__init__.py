"""Tests of linsep, in the layout of the package."""
