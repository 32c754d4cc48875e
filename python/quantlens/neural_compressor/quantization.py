# SPDX-License-Identifier: Apache-2.0
"""`quantization.fit`: returns the best model, also where the goal is missed, and raises what went wrong."""
from __future__ import annotations

import contextlib
import json
import logging
import pathlib
import shutil
from collections.abc import Callable, Iterator
from typing import Any

from .. import runs, verbs
from ..errors import UsageError
from ..models import ending_of, path_of
from .config import HISTORY, PostTrainingQuantConfig, ends_of, options
from .evaluation import served
from .metric.metric import scoring
from .model import Model

logger = logging.getLogger("neural_compressor")
TABLES = ("activations_table.csv", "weights_table.csv")


def fit(
    model: Any, conf: PostTrainingQuantConfig, calib_dataloader: Any = None, calib_func: Any = None, eval_func: Callable[[Any], Any] | None = None,
    eval_dataloader: Any = None, eval_metric: Any = None, **unknown: Any,
) -> Model:
    if unknown:
        raise UsageError(f"fit: {', '.join(unknown)} has no meaning here; leave it out")
    if (eval_dataloader is None) != (eval_metric is None):
        raise UsageError("fit: eval_dataloader and eval_metric go together; give both or none")
    if calib_func is not None and calib_dataloader is None:
        raise UsageError("fit: calib_func is of PyTorch; give calib_dataloader for an ONNX model")
    path = path_of(model.model_path if isinstance(model, Model) else model)
    folder = options.folder()
    asked = {"output": folder / f"{pathlib.Path(path).stem}.int8{ending_of(path)}", **ends_of(conf, path), "recipe": conf.recipe(), "name": conf.ni_workload_name,
             "seed": options.random_seed, "calibration_data": calib_dataloader, "data": calib_dataloader}
    with _scored_by(conf, eval_func, eval_dataloader, eval_metric, asked):
        is_tuning = "metric" in asked and not conf.diagnosis
        run = _tuned(path, conf, asked) if is_tuning else _quantized(path, conf, asked)
    _tell(run, folder)
    return Model(str(run.output), run)


@contextlib.contextmanager
def _scored_by(conf: PostTrainingQuantConfig, eval_func: Any, eval_dataloader: Any, eval_metric: Any, asked: dict[str, Any]) -> Iterator[None]:
    if eval_func is not None:
        with served(eval_func, conf.accuracy_criterion.higher_is_better) as (metric, told):
            asked.update(metric=metric, progress=told)
            yield
        return
    if eval_metric is not None:
        asked.update(metric=scoring(eval_metric, conf.accuracy_criterion.higher_is_better), data=eval_dataloader)
    else:
        logger.info("Quantize model without tuning!")
    yield


def _quantized(path: str, conf: PostTrainingQuantConfig, asked: dict[str, Any]) -> runs.Run:
    """One trial, as the predecessor's diagnosis is of its first one."""
    return verbs.quantize(path, diagnose=conf.diagnosis, **_with_data_once(asked))


def _with_data_once(asked: dict[str, Any]) -> dict[str, Any]:
    """What is calibrated on and measured over is one: read once."""
    same = asked["calibration_data"] is asked["data"]
    return {**asked, "calibration_data": None} if same else asked


@contextlib.contextmanager
def _snapshot(folder: pathlib.Path) -> Iterator[None]:
    """Names the run that a search is kept as, also where it is stopped: what `set_resume_from` takes."""
    before = {one.id for one in runs.workloads()}
    try:
        yield
    finally:
        new = [one.id for one in runs.workloads() if one.verb == "tune" and one.id not in before]
        made = options.resumed() or (new[0] if new else None)
        if made is not None:
            (folder / HISTORY).write_text(json.dumps({"run": made}) + "\n", encoding="utf-8")


def _tuned(path: str, conf: PostTrainingQuantConfig, asked: dict[str, Any]) -> runs.Run:
    loss, tuning = conf.accuracy_criterion, conf.tuning_criterion
    with _snapshot(options.folder()):
        run = verbs.tune(path, max_loss=loss.tolerable_loss, absolute=loss.criterion == "absolute",
                         objective=tuning.word_of_objective(), strategy=conf.strategy(), timeout=tuning.timeout,
                         max_trials=tuning.max_trials, resume=options.resumed(), diagnose_best=options.tensorboard,
                         **_with_data_once(asked))
    if run.study is not None and not run.study.reached:
        logger.error("Specified timeout or max trials is reached! Not found any quantized model which meet accuracy goal. The best one is returned.")
    return run


def _tell(run: runs.Run, folder: pathlib.Path) -> None:
    """The tables on the terminal, and the files where the predecessor's users look for them."""
    print(run)
    for table in TABLES:
        made = pathlib.Path(run.folder, table)
        if made.exists():
            shutil.copyfile(made, folder / table)
            logger.info("%s has been saved to %s", table, folder / table)
    if options.tensorboard:
        runs.tensorboard(run, logdir="runs")
