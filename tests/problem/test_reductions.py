"""Reductions against their definitions, written out as loops."""

from typing import Any

import numpy as np
import pytest

from linsep.data.labels import Labels, encode_labels
from linsep.errors import InvalidParameter, InvalidType, Refused
from linsep.problem import joint, losses, multiclass
from linsep.problem.codes import OutputCodes, make_codebook, separation
from linsep.problem.reductions import Joint, OneMargin, OneVsOne, OneVsRest, Reduction

LOG, HINGE, SQUARED = losses.get("log"), losses.get("hinge"), losses.get("squared")


@pytest.fixture
def labels() -> Labels:
    y = np.random.default_rng(0).integers(0, 5, 40)
    return encode_labels(np.array(list("abcde"))[y], 40)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(1)


def test_two_classes_are_one_margin() -> None:
    (task,) = OneMargin().reduce(encode_labels([-7, 3, 3], 3))
    assert task.rows is None
    assert task.signs.tolist() == [-1.0, 1.0, 1.0]


def test_one_vs_rest(labels: Labels, random: np.random.Generator) -> None:
    tasks = list(OneVsRest().reduce(labels))
    assert len(tasks) == OneVsRest().count(5) == 5
    for k, task in enumerate(tasks):
        assert task.rows is None
        assert ((task.signs == 1.0) == (labels.codes == k)).all()
    scores = random.standard_normal((8, 5))
    assert (OneVsRest().retrieve(scores, 5, LOG) == scores).all()
    assert OneVsRest().describe(2, labels.classes) == "class c against the rest"


def test_one_vs_one_has_a_task_a_pair_on_its_own_rows(labels: Labels) -> None:
    tasks = list(OneVsOne().reduce(labels))
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    assert len(tasks) == OneVsOne().count(5) == len(pairs)
    for (i, j), task in zip(pairs, tasks, strict=True):
        assert task.rows is not None
        assert task.rows.tolist() == [r for r, c in enumerate(labels.codes) if c in (i, j)]
        assert task.signs.tolist() == [1.0 if labels.codes[r] == j else -1.0 for r in task.rows]
    assert OneVsOne().describe(0, labels.classes) == "class b against class a"


def _count_votes(row: Any, n_classes: int) -> tuple[list[int], list[float]]:
    votes, sums = [0] * n_classes, [0.0] * n_classes
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for (i, j), score in zip(pairs, row, strict=True):
        votes[j if score > 0 else i] += 1
        sums[j] += score
        sums[i] -= score
    return votes, sums


def test_one_vs_one_decides_by_votes_then_by_summed_scores(random: np.random.Generator) -> None:
    scores = 10.0 * random.standard_normal((200, 10))
    found = OneVsOne().retrieve(scores, 5, LOG).argmax(axis=1)
    summed = OneVsOne(decide="scores").retrieve(scores, 5, LOG)
    ties = 0
    for row, best, total in zip(scores, found, summed, strict=True):
        votes, sums = _count_votes(row, 5)
        assert best == max(range(5), key=lambda k: (votes[k], sums[k]))
        assert np.allclose(total, sums)
        ties += votes.count(max(votes)) > 1
    assert ties > 20


def test_one_vs_one_with_1000_classes_is_refused_with_its_memory() -> None:
    refusal = OneVsOne().refusal(1000, 784)
    assert refusal is not None
    assert "499,500 binary problems" in refusal
    assert "2.9 GiB" in refusal  # 499,500 · 785 · 8 bytes
    assert OneVsOne().refusal(1000, 1) is not None
    assert OneVsOne().refusal(100, 1_000_000) is not None
    assert OneVsOne().refusal(100, 784) is None


@pytest.mark.parametrize("n_classes", [3, 4, 5, 6, 9, 12, 13, 26, 100])
@pytest.mark.parametrize("extra", [0, 1, None])
def test_codebooks(n_classes: int, extra: int | None) -> None:
    fewest = int(np.ceil(np.log2(n_classes)))
    scheme = OutputCodes(size=None if extra is None else fewest + extra)
    book = scheme.codebook(n_classes)
    assert book.shape == (n_classes, scheme.count(n_classes))
    assert set(np.unique(book)) == {-1, 1}
    assert separation(book) >= 1
    assert not (np.abs(book.sum(axis=0)) == n_classes).any()
    columns = {tuple(column * column[0]) for column in book.T}
    assert len(columns) == book.shape[1]


def test_codebooks_are_well_separated_and_depend_on_the_seed_alone() -> None:
    assert separation(OutputCodes().codebook(10)) >= 10  # of 34 bits: 4 wrong ones are corrected
    assert separation(OutputCodes().codebook(1000)) >= 25  # of 100
    assert OutputCodes().codebook(3).shape == (3, 3)  # all there are
    fresh = make_codebook.__wrapped__
    assert (fresh(20, 30, 7) == fresh(20, 30, 7)).all()
    assert (fresh(20, 30, 7) != fresh(20, 30, 8)).any()


@pytest.mark.parametrize("loss", [LOG, HINGE, SQUARED], ids=lambda loss: loss.name)
def test_codes_decode_by_the_loss_of_the_word(loss: Any, random: np.random.Generator) -> None:
    scheme = OutputCodes(size=12)
    book = scheme.codebook(6)
    scores = 2.0 * random.standard_normal((50, 12))
    found = scheme.retrieve(scores, 6, loss)
    mean_losses = np.array([[loss.value(word * row).mean() for word in book] for row in scores])
    best = mean_losses.argmin(axis=1)
    assert (found.argmax(axis=1) == best).all()
    # equal to minus the mean loss up to a term of the row
    difference = found + mean_losses
    assert np.ptp(difference, axis=1).max() < 1e-12


def test_codes_decode_by_hamming_distance(random: np.random.Generator) -> None:
    scheme = OutputCodes(size=12, decode="hamming")
    book = scheme.codebook(6)
    scores = random.standard_normal((100, 12))
    agreeing = (np.where(scores > 0, 1, -1)[:, None, :] == book).sum(axis=2)
    best = scheme.retrieve(scores, 6, LOG).argmax(axis=1)
    assert (agreeing[np.arange(100), best] == agreeing.max(axis=1)).all()


def test_codes_correct_wrong_bits(random: np.random.Generator) -> None:
    scheme = OutputCodes(size=31)
    book = scheme.codebook(8)
    wrong = (separation(book) - 1) // 2
    assert wrong >= 4
    scores = np.repeat(book, 20, axis=0).astype(float)
    for row in scores:
        row[random.permutation(31)[:wrong]] *= -1.0
    for decode in ("loss", "hamming"):
        best = OutputCodes(size=31, decode=decode).retrieve(scores, 8, HINGE).argmax(axis=1)
        assert (best == np.repeat(np.arange(8), 20)).all()


def test_codes_with_a_loss_that_overflows() -> None:
    scores = np.full((1, 3), 1e4)
    found = OutputCodes().retrieve(scores, 3, losses.get("exponential"))
    assert np.isfinite(found).all()
    assert found.argmax() == 0  # the word of class 0 is all 1


def test_tasks_of_codes(labels: Labels) -> None:
    scheme = OutputCodes()
    book = scheme.codebook(5)
    for j, task in enumerate(scheme.reduce(labels)):
        assert task.signs.tolist() == [book[c, j] for c in labels.codes]


@pytest.mark.parametrize(
    ("scheme", "n_classes", "says"),
    [
        (OutputCodes(size=3), 9, "at least size=4"),
        (OutputCodes(size=8), 4, "only 7 ways"),
    ],
)
def test_impossible_sizes_are_refused(scheme: Reduction, n_classes: int, says: str) -> None:
    assert says in str(scheme.refusal(n_classes, 1))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: OneVsOne(decide="vote"), "'votes' and 'scores'"),
        (lambda: OutputCodes(decode="x"), "'loss' and 'hamming'"),
        (lambda: OutputCodes(size=0), "whole number"),
        (lambda: OutputCodes(size=True), "whole number"),
    ],
)
def test_bad_settings(make: Any, says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        make()


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("log", "softmax"),
        ("squared", "one_of_k"),
        ("hinge", "ovr"),
        ("squared_hinge", "ovr"),
        ("exponential", "ovr"),
    ],
)
def test_auto(loss: str, expected: str) -> None:
    scheme = multiclass.find("auto", losses.get(loss))
    assert (scheme.loss.name if isinstance(scheme, Joint) else scheme.name) == expected


def test_objects_and_joint_losses_are_accepted() -> None:
    assert multiclass.find(OneVsOne(decide="scores"), LOG) == OneVsOne(decide="scores")
    assert multiclass.find(joint.get("softmax"), LOG) == Joint(joint.get("softmax"))
    assert multiclass.find("crammer_singer", HINGE) == Joint(joint.get("crammer_singer"))


def test_two_classes_always_use_the_margin() -> None:
    for name in multiclass.names():
        loss = {"crammer_singer": HINGE, "one_of_k": SQUARED}.get(name, LOG)
        assert multiclass.of_classes(multiclass.find(name, loss), 2) == OneMargin()


def test_bad_names_and_combinations() -> None:
    with pytest.raises(InvalidParameter, match=r"unknown multiclass 'ovrr'.*nearest is 'ovr'"):
        multiclass.find("ovrr", LOG)
    with pytest.raises(InvalidType, match="multiclass=3 is a int"):
        multiclass.find(3, LOG)  # type: ignore[arg-type]
    with pytest.raises(Refused, match=r"multiclass='softmax' is the loss 'log'.*'crammer_singer', 'ovr'"):
        multiclass.find("softmax", HINGE)
    with pytest.raises(Refused, match="use loss='hinge', or multiclass='ovr'"):
        multiclass.find("crammer_singer", losses.get("exponential"))
