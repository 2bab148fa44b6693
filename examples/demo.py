"""The main job in a minute: train, see the proof, predict what was held out."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from linsep import LogisticRegression, verify


def main() -> None:
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

    model = LogisticRegression(alpha=1e-4).fit(X_train, y_train)
    print(model.summary())
    print(f"\nHeld-out accuracy: {model.score(X_test, y_test):.1%} of {len(y_test)} tumours")
    print(f"\nVerified again from the data, with NumPy alone:\n{verify(model, X_train, y_train)}")
    print(
        "\nTry next:\n"
        "  LogisticRegression(alpha=1e-2)         a stronger penalty\n"
        "  LinearSVM(loss='hinge')                the support vector machine\n"
        "  LinearClassifier(loss='exponential')   any loss on margins, or one of your own\n"
        "  Perceptron(record=True)                the algorithms as they are taught, step by step: docs/course.md\n"
        "  examples/grid_game.py                  a linear model that learns a game from an expert's moves\n"
        "  docs/                                  one page a subject"
    )


if __name__ == "__main__":
    main()
