"""From a table to a model that decides: train, measure, score, save."""
