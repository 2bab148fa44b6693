"""What an ONNX graph is made of: nodes, constants, inputs, outputs. The package onnx is imported when it is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linsep.errors import MissingPackage
from linsep.export.scoring import Array

_OPSET, _ML_OPSET, _IR_VERSION = 17, 3, 8


def find_onnx() -> Any:
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError:
        raise MissingPackage("the package onnx is needed to export to it: pip install 'linsep[onnx]'") from None
    return onnx


@dataclass
class Graph:
    """Collects nodes and constants; calling it adds a node and gives the name of its result."""

    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, array: Array) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def number(self, value: float) -> str:
        return self.constant(np.array(value))

    def input(self, name: str, element: str, width: int) -> Any:
        """A table of so many columns; element: DOUBLE, FLOAT or STRING."""
        kind = getattr(self.onnx.TensorProto, element)
        return self.onnx.helper.make_tensor_value_info(name, kind, [None, width])

    def as_double(self, name: str, element: str) -> str:
        return name if element == "DOUBLE" else self("Cast", name, to=self.onnx.TensorProto.DOUBLE)

    def output(self, name: str, source: str, dtype: np.dtype[Any], shape: list[int | None]) -> Any:
        """Give a result the name under which people find it."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [source], [name]))
        element = self.onnx.helper.np_dtype_to_tensor_dtype(dtype)
        return self.onnx.helper.make_tensor_value_info(name, element, shape)

    def model(self, inputs: list[Any], outputs: list[Any]) -> Any:
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "linsep", inputs, outputs, self.constants)
        operators = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
        made = helper.make_model(graph, producer_name="linsep", opset_imports=operators)
        made.ir_version = _IR_VERSION
        self.onnx.checker.check_model(made, full_check=True)
        return made
