# SPDX-License-Identifier: Apache-2.0
"""Runs in MLflow.

    quantlens.quantize("mobilenet.onnx", data, diagnose=True, callbacks=[quantlens.mlflow.log_run])
"""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import tempfile

import mlflow  # type: ignore[import-not-found,unused-ignore]

from .figures import metrics_of, params_of
from .reports import report
from .runs import Run, export


def log_run(run: Run) -> str:
    """Logs what was asked as parameters, what came out as metrics, and the tables and a report as artefacts; returns the id
    of the MLflow run: the active one, or a new one of the same name. Parameters begin with the verb, so that one MLflow run
    can hold a `quantize` and a `benchmark`."""
    active = mlflow.active_run()
    with contextlib.nullcontext(active) if active else mlflow.start_run(run_name=run.run.name or run.id) as into:
        verb = run.run.verb
        mlflow.set_tag(f"quantlens.{verb}", run.id)
        mlflow.log_params({f"{verb}.{name}": value for name, value in params_of(run).items()})
        mlflow.log_metrics(metrics_of(run))
        with tempfile.TemporaryDirectory(prefix="quantlens-mlflow-") as folder:
            files = pathlib.Path(export(run, "csv", os.path.join(folder, verb)))
            report(run, output=files / "report.md", progress=False)
            report(run, output=files / "report.html", progress=False)
            recipe = pathlib.Path(run.folder, "recipe.json")
            if recipe.exists():
                shutil.copy(recipe, files)
            mlflow.log_artifacts(folder)
        return into.info.run_id
