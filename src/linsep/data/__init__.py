"""Sources become designs: the only layer that knows dense from sparse."""

from linsep.data.design import Design
from linsep.data.labels import Labels, encode_labels
from linsep.data.source import as_design
from linsep.data.weights import sample_weights

__all__ = ["Design", "Labels", "as_design", "encode_labels", "sample_weights"]
