# SPDX-License-Identifier: Apache-2.0
"""Metrics by name, those that scripts register, and what `fit` takes as eval_metric."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...errors import UsageError, Unsupported
from ...metrics import Own, metric_of
from ..frameworks import ONNX, OTHERS, known
from .base import BaseMetric
from .scores import F1, GLUE, MAE, MSE, RMSE, Accuracy, GeneralTopK, Loss

Class = TypeVar("Class")
KINDS: dict[str, Callable[..., Any]] = {one.name: one for one in (GeneralTopK, Accuracy, Loss, MAE, MSE, RMSE, F1, GLUE)}
NOT_HERE = ("mAP", "COCOmAP", "COCOmAPv2", "VOCmAP")  # that the predecessor had for ONNX models
BESIDE = ("weight", "higher_is_better")  # in a dict of metrics


class Metric:
    """Names a metric and its options, or a class of your own and them: what `fit` takes as eval_metric.

    >>> asked = Metric(name="topk", k=5)
    >>> asked.name, asked.kwargs
    ('topk', {'k': 5})
    """

    def __init__(self, name: str = "user_metric", metric_cls: Any = None, **kwargs: Any):
        self.name, self.metric_cls, self.kwargs = name, metric_cls, kwargs


class METRICS:
    """The predecessor's metrics for ONNX models, by name: topk, Accuracy, Loss, MAE, MSE, RMSE, F1, GLUE, and what was
    registered.

    >>> topk = METRICS("onnxruntime")["topk"](k=1)
    >>> topk.update(np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), np.array([1, 1, 1]))
    >>> round(topk.result(), 3)
    0.667
    """

    def __init__(self, framework: str):
        if known("METRICS", framework) in OTHERS:
            raise Unsupported(f"METRICS: those of {framework} are not here; name onnxruntime, or give a metric of "
                              f"{framework} itself")
        self.metrics = KINDS

    def __getitem__(self, metric_type: str) -> Callable[..., Any]:
        if metric_type in self.metrics:
            return self.metrics[metric_type]
        if metric_type in NOT_HERE:
            raise Unsupported(f"METRICS: {metric_type} is not here; name quantlens's metric 'map', which is COCO's (with one "
                              "overlap 'map:iou=0.5'), over labels as docs/metrics.md has them")
        raise UsageError(f"METRICS: there is no {metric_type!r}; known: {', '.join(self.metrics)}")

    def register(self, name: str, metric_cls: Any) -> None:
        """Of all frameworks of ONNX Runtime; its name must be new."""
        if name in self.metrics or name in NOT_HERE:
            raise UsageError(f"METRICS: {name!r} is there already; give another name")
        self.metrics[name] = metric_cls


def metric_registry(metric_type: str, framework: str) -> Callable[[Class], Class]:
    """Registers the class that it decorates, as a metric of the frameworks, with commas between.

    >>> @metric_registry("worst", "onnxrt_qlinearops, onnxrt_integerops")
    ... class Worst(METRICS("onnxruntime")["MAE"]):
    ...     pass
    >>> METRICS("onnxrt_integerops")["worst"] is Worst
    True
    """
    asked = [known("metric_registry", one.strip()) for one in framework.split(",")]
    if not any(one in ONNX for one in asked):
        raise Unsupported(f"metric_registry: metrics of {framework} are not here; name onnxruntime beside it")

    def registered(metric_cls: Class) -> Class:
        METRICS("onnxruntime").register(metric_type, metric_cls)
        return metric_cls

    return registered


def register_customer_metric(user_metric: Any, framework: str) -> Any:
    """The object that scores: of a `Metric`, of a dict like {"topk": 5}, or the object itself."""
    return _made(user_metric, METRICS(framework))


def _made(asked: Any, known_ones: METRICS) -> Any:
    if isinstance(asked, Mapping):
        names = [name for name in asked if name not in BESIDE]
        if len(names) != 1:
            raise UsageError(f"eval_metric: names {len(names)} metrics; give one, or an eval_func that makes one figure of "
                             "several")
        options = asked[names[0]]
        metric = known_ones[names[0]]
        return _called(metric, names[0], [] if options is None or isinstance(options, Mapping) else [options],
                       options if isinstance(options, Mapping) else {})
    if isinstance(asked, Metric):
        return _called(known_ones[asked.name] if asked.metric_cls is None else asked.metric_cls, asked.name, [], asked.kwargs)
    if isinstance(asked, type):
        raise UsageError(f"eval_metric: {asked.__name__} is a class; call it, and give the object")
    return asked


def _called(metric: Callable[..., Any], name: str, arguments: list[Any], options: Mapping[str, Any]) -> Any:
    try:
        return metric(*arguments, **options)
    except TypeError as problem:
        raise UsageError(f"eval_metric: {name}: cannot be made with these options ({problem}); give those that it "
                         "takes") from problem


def scoring(asked: Any, higher_is_better: bool) -> Any:
    """What a verb takes: which way is good is said by the metric, else by a dict's word, else by the criterion."""
    if isinstance(asked, str):
        return asked
    metric = _made(asked, METRICS("onnxruntime"))
    if getattr(metric, "compare_label", True) is False:
        raise Unsupported("eval_metric: compare_label=False takes the float model's answers as labels, which is not here; give "
                          "labels, or let an eval_func compare both models' answers")
    made = metric_of(metric)
    if isinstance(made, Own) and getattr(metric, "higher_is_better", None) is None:
        told = asked.get("higher_is_better", higher_is_better) if isinstance(asked, Mapping) else higher_is_better
        made.higher_is_better = bool(told[0] if isinstance(told, (list, tuple)) and told else told)
    return made


__all__ = ["METRICS", "BaseMetric", "Metric", "metric_registry", "register_customer_metric"]
