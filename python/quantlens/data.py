# SPDX-License-Identifier: Apache-2.0
"""What verbs take as data, and how it becomes samples."""
from __future__ import annotations

import bisect
import json
import math
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .errors import BadInput, UsageError
from .models import kept_file, no_temporary, rooted

Arrays = dict[str, np.ndarray]
Shapes = dict[str, "int | None"]  # rank of each input of the model, with the batch's axis; None: not known
Prepare = Callable[[Any], Any]  # what becomes of an item before it is looked at: images and texts become arrays

LABEL = "\0label"  # no input is called so
LABEL_KEYS = ("label", "labels")  # of dicts, as Hugging Face's datasets give them
DOCUMENT_KEYS = {"images", "npz", "npy", "tfrecord", "random"}


def array_of(value: Any) -> np.ndarray:
    """A NumPy array without a copy where there is one, of tensors of PyTorch and TensorFlow, too."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if "bfloat16" in str(value.dtype):  # NumPy has none
            value = value.float()
    if hasattr(value, "numpy") and not isinstance(value, np.ndarray):
        value = value.numpy()
    made = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
    if not made.dtype.isnative:  # as files of other machines have them
        made = made.astype(made.dtype.newbyteorder("="))
    if made.dtype == object or made.dtype.kind in "SUV":
        raise BadInput(f"the data: an array of {made.dtype} is none that a model takes; give numbers")
    return made


def _inputs_of(value: Any, names: list[str]) -> Arrays:
    """By name; a sequence is in the order of the model's inputs."""
    if isinstance(value, Mapping):
        return {str(name): array_of(one) for name, one in value.items()}
    if isinstance(value, (tuple, list)) and len(names) > 1:
        if len(value) != len(names):
            raise BadInput(f"the data: {len(value)} inputs are given, but the model has {len(names)}: {', '.join(names)}")
        return {name: array_of(one) for name, one in zip(names, value)}
    return {names[0] if len(names) == 1 else "": array_of(value)}


def _is_array(value: Any) -> bool:
    """Of NumPy, or a tensor that is in memory."""
    return isinstance(value, np.ndarray) or hasattr(value, "detach") or (hasattr(value, "numpy") and hasattr(value, "shape"))


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2


def _with_label_apart(given: Any, names: list[str]) -> Any:
    """A dict that has the model's inputs, and beside them a label or what no model reads."""
    if not isinstance(given, Mapping) or not set(names) < set(given):
        return given
    inputs = {name: given[name] for name in names}
    label = next((given[key] for key in LABEL_KEYS if key in given and key not in inputs), None)
    return inputs if label is None else (inputs, label)


class Item:
    """What one step of somebody's data gives: one sample, or a batch of them."""

    def __init__(self, given: Any, ranks: Shapes):
        names = list(ranks)
        given = _with_label_apart(given, names)
        is_labelled = _is_pair(given) and not (len(names) == 2 and not isinstance(given[0], (Mapping, tuple, list)))
        inputs, label = given if is_labelled else (given, None)
        self.inputs = _inputs_of(inputs, names)
        self.label = None if label is None else array_of(label)
        self.is_batch = self._is_batch(ranks)

    def _is_batch(self, ranks: Shapes) -> bool:
        """By the rank of an input that the model knows: a sample has no axis of the batch."""
        for name, value in self.inputs.items():
            rank = ranks.get(name, next(iter(ranks.values()), None) if len(ranks) == 1 else None)
            if rank is not None and value.ndim in (rank, rank - 1):
                return value.ndim == rank
        return True

    def samples(self) -> Iterator[tuple[Arrays, np.ndarray | None]]:
        if not self.is_batch:
            yield self.inputs, self.label
            return
        sizes = {name: len(value) for name, value in self.inputs.items()}
        if len(set(sizes.values())) != 1:
            raise BadInput(f"the data: inputs of one batch have unequal sizes: {sizes}")
        size = next(iter(sizes.values()))
        labels = None if self.label is None else np.atleast_1d(self.label)
        if labels is not None and len(labels) != size:
            raise BadInput(f"the data: a batch of {size} samples has {len(labels)} labels")
        for at in range(size):
            yield {name: value[at] for name, value in self.inputs.items()}, None if labels is None else labels[at]


class Samples:
    """Samples by their number, as the module _core asks for them; from any thread."""

    name = "data in Python"
    caveat = ""
    has_labels = False
    size = 0
    batch_size: int | None = None

    def read(self, index: int) -> tuple[Arrays, np.ndarray | None]:
        raise NotImplementedError


class Indexed(Samples):
    """Of an object with `__getitem__` and `__len__`: a list, a torch Dataset. Each step is one sample, or a batch of one."""

    def __init__(self, data: Any, ranks: Shapes, prepare: Prepare):
        self._data, self._ranks, self._prepare = data, ranks, prepare
        self.size = len(data)
        self.name = type(data).__name__
        if self.size:
            first = Item(prepare(data[0]), ranks)
            self.has_labels = first.label is not None
            self._steps = len(next(iter(first.inputs.values()))) if first.is_batch else 1

    @property
    def is_of_single_samples(self) -> bool:
        return self.size == 0 or self._steps == 1

    def read(self, index: int) -> tuple[Arrays, np.ndarray | None]:
        return next(Item(self._prepare(self._data[index]), self._ranks).samples())


class Stacked(Samples):
    """Of arrays whose first axis is that of samples; nothing is copied."""

    def __init__(self, inputs: Arrays, labels: np.ndarray | None):
        sizes = {name or "the array": len(value) for name, value in inputs.items()}
        if labels is not None:
            sizes["the labels"] = len(labels)
        if len(set(sizes.values())) != 1:
            raise BadInput(f"the data: first axes differ: {sizes}; each is the number of samples")
        self.size = next(iter(sizes.values()))
        self.name = "arrays in Python"
        self.has_labels = labels is not None
        self._inputs, self._labels = inputs, labels

    def read(self, index: int) -> tuple[Arrays, np.ndarray | None]:
        inputs = {name: np.ascontiguousarray(value[index]) for name, value in self._inputs.items()}
        return inputs, None if self._labels is None else np.ascontiguousarray(self._labels[index])


class _Stretch:
    """Samples in a row whose arrays have the same names, types and shapes: they are told by where they begin."""

    def __init__(self, first: int, offset: int, layout: tuple[tuple[str, str, tuple[int, ...]], ...]):
        self.first, self.offset, self.layout = first, offset, layout
        self.bytes = sum(math.prod(shape) * np.dtype(dtype).itemsize for _, dtype, shape in layout)


class Spooled(Samples):
    """Of an iterable, which is gone over once: its samples are kept in a file, so that memory does not grow with them. The
    file goes with this object."""

    def __init__(self, data: Iterable[Any], ranks: Shapes, prepare: Prepare, limit: int | None = None):
        self.name = type(data).__name__
        size = getattr(data, "batch_size", None)
        self.batch_size = size if isinstance(size, int) and size > 0 else None
        try:
            self._file = tempfile.TemporaryFile(prefix="quantlens-samples-")
        except OSError as problem:
            raise no_temporary(problem) from problem
        self._stretches: list[_Stretch] = []
        self.size = labelled = 0
        for given in data:
            for inputs, label in Item(prepare(given), ranks).samples():
                labelled += label is not None
                self._keep({**inputs, LABEL: label} if label is not None else inputs)
            if limit is not None and self.size >= limit:
                break
        self._file.flush()
        if not self.size:
            raise BadInput(f"the data: {self.name} gives no sample; an iterator that was used before is empty")
        if 0 < labelled < self.size:
            raise BadInput(f"the data: {labelled} of {self.size} samples have labels; give all of them one, or none")
        self.has_labels = labelled > 0

    def _keep(self, sample: Arrays) -> None:
        layout = tuple((name, np.asarray(value).dtype.str, np.shape(value)) for name, value in sample.items())
        if not self._stretches or self._stretches[-1].layout != layout:
            self._stretches.append(_Stretch(self.size, self._file.tell(), layout))
        try:
            for value in sample.values():
                self._file.write(np.ascontiguousarray(value).tobytes())
        except OSError as problem:
            raise no_temporary(problem) from problem
        self.size += 1

    def read(self, index: int) -> tuple[Arrays, np.ndarray | None]:
        stretch = self._stretches[bisect.bisect_right(self._stretches, index, key=lambda one: one.first) - 1]
        content = os.pread(self._file.fileno(), stretch.bytes, stretch.offset + (index - stretch.first) * stretch.bytes)
        found: Arrays = {}
        at = 0
        for name, dtype, shape in stretch.layout:
            count = math.prod(shape)
            found[name] = np.frombuffer(content, dtype, count, at).reshape(shape)
            at += count * np.dtype(dtype).itemsize
        label = found.pop(LABEL, None)
        return found, label


class _Reader:
    """ONNX Runtime's CalibrationDataReader: `get_next` gives a dict, and None at the end."""

    def __init__(self, reader: Any):
        self._reader = reader

    def __iter__(self) -> Iterator[Any]:
        if hasattr(self._reader, "rewind"):
            self._reader.rewind()
        while (given := self._reader.get_next()) is not None:
            yield given


def _rooted(value: Any) -> Any:
    """With paths that mean the same from anywhere: a document's own are from its folder."""
    if isinstance(value, Mapping):
        return {str(name): _rooted(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rooted(one) for one in value]
    return rooted(value)


def _document(data: Mapping[str, Any]) -> str:
    """In a file, as the command line takes it, that lives as long as this process."""
    document = _rooted(data)
    records = document.get("tfrecord")
    if isinstance(records, dict) and isinstance(records.get("files"), (str, os.PathLike)):  # a pattern is no file
        records["files"] = os.path.abspath(records["files"])
    return kept_file(json.dumps(document, indent=2).encode(), ".json")


def _stacked(inputs: Mapping[str, Any], labels: Any) -> Stacked:
    if not inputs:
        raise UsageError("data: the dict is empty; give an array for each input of the model, by its name")
    arrays = {str(name): array_of(value) for name, value in inputs.items()}
    for name, value in arrays.items():
        if not value.ndim:
            raise BadInput(f"the data: {name or 'the array'} is one number; give an array whose first axis is that of samples")
    return Stacked(arrays, None if labels is None else array_of(labels))


def _columns(data: dict[str, Any], ranks_of: Callable[[], Shapes]) -> tuple[dict[str, Any], Any]:
    """Inputs, and the label that is beside them: what is called so and is no input of the model."""
    beside = [key for key in LABEL_KEYS if key in data]
    if not beside or len(data) == 1:
        return data, None
    inputs = ranks_of()
    label = next((key for key in beside if key not in inputs), None)
    return {name: value for name, value in data.items() if name != label}, None if label is None else data[label]


def _is_of_lists(data: Any, ranks_of: Callable[[], Shapes]) -> bool:
    """Whether two lists are inputs and labels, not two samples: the model's input has the rank of the first one."""
    if not isinstance(data, tuple) or not all(isinstance(one, list) for one in data):
        return False
    ranks = list(ranks_of().values())
    try:
        return len(ranks) == 1 and np.ndim(data[0]) == ranks[0] and len(data[0]) == len(data[1])
    except ValueError:  # no array: of unequal lengths
        return False


def samples_of(data: Any, ranks_of: Callable[[], Shapes], prepare: Prepare, limit: int | None = None) -> str | Samples | None:
    """What the module _core takes. `ranks_of`: of the model's inputs; without them a sample cannot be told from a batch."""
    if data is None or isinstance(data, (str, Samples)):
        return data
    if isinstance(data, os.PathLike):
        return str(pathlib.Path(data))
    if isinstance(data, Mapping) and hasattr(data, "column_names"):  # a DatasetDict
        raise UsageError(f"data: the dataset has the splits {', '.join(data)}; give one, as dataset[{next(iter(data), '')!r}]")
    if isinstance(data, Mapping):
        if DOCUMENT_KEYS & set(data):
            return _document(data)
        return _stacked(*_columns(dict(data), ranks_of))
    if _is_array(data):
        return Stacked({"": array_of(data)}, None)
    is_labelled = _is_pair(data) and (_is_array(data[0]) or isinstance(data[0], Mapping) or _is_of_lists(data, ranks_of))
    if is_labelled and np.ndim(data[1]) >= 1:
        return _stacked(data[0] if isinstance(data[0], Mapping) else {"": data[0]}, data[1])
    if hasattr(data, "get_next"):
        return Spooled(_Reader(data), ranks_of(), prepare, limit)
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        indexed = Indexed(data, ranks_of(), prepare)
        if indexed.is_of_single_samples:
            return indexed
    if hasattr(data, "__iter__"):
        return Spooled(data, ranks_of(), prepare, limit)
    raise UsageError(f"data: {type(data).__name__} is none; give a path, arrays, or what gives (input, label)")
