"""The verifier's own mathematics: NumPy alone. Nothing here imports anything else of this package."""
