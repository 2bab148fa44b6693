"""`load`: a model file becomes the object that was saved. Each kind of file has one line in `LOADERS`; only whoever has
such a file needs what reads it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from linsep.errors import InvalidFile, LinsepError

#: kind → the module and the name of its class, which makes the object `from_record`
LOADERS = {
    "linear_model": ("linsep.model", "LinearModel"),
    "linear_rule": ("linsep.model", "LinearRule"),
    "trained": ("linsep.workflow.trained", "Trained"),
}


def load(path: str | os.PathLike[str]) -> Any:
    """What was saved with `save`. Nothing in the file is executed, whoever wrote it; a damaged one gives `InvalidFile`.

    >>> import os, tempfile
    >>> import numpy as np
    >>> from linsep import LogisticRegression, load
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), ["no", "no", "yes", "yes"]
    >>> path = os.path.join(tempfile.mkdtemp(), "model.linsep")
    >>> _ = LogisticRegression(alpha=0.1).fit(X, y).save(path)
    >>> load(path).predict([[2.5]])
    array(['yes'], dtype='<U3')
    """
    from linsep.storage import read_archive

    kind, record = read_archive(path)
    if kind not in LOADERS:
        known = ", ".join(map(repr, LOADERS))
        raise InvalidFile(f"{os.fspath(path)!r} holds a {kind!r}; this version of linsep can load {known}")
    module, name = LOADERS[kind]
    kind_of_object = getattr(import_module(module), name)
    try:
        return kind_of_object.from_record(record)
    except InvalidFile as problem:
        raise InvalidFile(f"{os.fspath(path)!r} holds no sound {kind}: {problem}") from None
    except LinsepError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, AssertionError) as problem:
        # the digest is right, so this was written so: by another program, or by hand
        what = f"{type(problem).__name__}: {problem}"[:200]
        raise InvalidFile(f"{os.fspath(path)!r} holds no sound {kind}: {what}") from problem
