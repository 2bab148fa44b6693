"""A gradient descent in words."""

from __future__ import annotations

from typing import Any

_UPDATES = {
    "signed": "w ← w − η (y ℓ′(y z) x + α w), y in {−1, 1}, z = ⟨x, w⟩ + b",
    "binary": "w ← w − η ((t ℓ′(z) − (1 − t) ℓ′(−z)) x + α w), t in {0, 1}, z = ⟨x, w⟩ + b",
    "log": "w ← w − η ((σ(z) − t) x + α w), t in {0, 1}, z = ⟨x, w⟩ + b",
    "joint": "W ← W − η (x ∇ℓ(z)ᵀ + α W), z = Wᵀx + b",
}
_RATES = {
    "constant": "constant",
    "curvature": "constant, 1/L by the curvature",
    "1/t": "η₀/t",
    "inverse_scaling": "η₀/tᵖ",
}


def summarise(fitted: Any, loss: str) -> str:
    """Of a fitted GradientClassifier."""
    last, classes = fitted.history_[-1] if fitted.history_ else None, len(fitted.classes_)
    rows = {"batch": "all rows", "stochastic": "one row"}.get(str(fitted.batch), f"{fitted.batch} rows")
    form = "log" if (fitted.targets, loss) == ("binary", "log") else fitted.targets
    lines = [
        f"{type(fitted).__name__}: {classes} classes, {fitted.n_features_in_:,} features",
        f"objective  mean {loss} loss + α/2 ‖w‖², α = {fitted.alpha:g}",
        f"update     {_UPDATES['joint' if classes > 2 else form]}",
        f"steps      {rows} each, rate {_RATES[fitted.learning_rate]}, η₀ = {fitted.eta0_:.4g}",
        f"stopped    {fitted.status_.value}",
    ]
    if last is not None:
        full = f", loss {last.loss:.6g}" if last.loss == last.loss else ""
        lines.append(
            f"reached    {last.epoch:,} epochs, {last.updates:,} updates{full}, smoothed loss {last.smoothed:.6g}, "
            f"|Δw| {last.change:.3g}"
        )
    return "\n".join(lines)
