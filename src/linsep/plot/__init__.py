"""Pictures: each from a fitted object and data, on matplotlib axes."""
