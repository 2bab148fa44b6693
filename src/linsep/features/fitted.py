"""What was not fitted yet says so with scikit-learn's own error, imported when it is raised."""

from __future__ import annotations


def check_fitted(estimator: object, attribute: str) -> None:
    """Whether it has what fit leaves."""
    if attribute not in vars(estimator):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
            "using this estimator."
        )
