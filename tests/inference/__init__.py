"""Inference against statsmodels, R, firthmodels, closed forms and brute force."""
