"""A model for other systems: an ONNX graph, scikit-learn's own estimators, or SQL. Each gives the same answers."""

from linsep.export.onnx_graph import to_onnx
from linsep.export.sklearn_objects import to_sklearn
from linsep.export.sql import Sql, SqlColumns, to_sql
from linsep.export.table_columns import TableColumns

__all__ = ["Sql", "SqlColumns", "TableColumns", "to_onnx", "to_sklearn", "to_sql"]
