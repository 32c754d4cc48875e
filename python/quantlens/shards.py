# SPDX-License-Identifier: Apache-2.0
"""More than one process or machine, by executors that exist: shards are computed there and merged here."""
from __future__ import annotations

import io
import pathlib
import pickle
import tempfile
import zipfile
from collections.abc import Iterator
from typing import Any

from .errors import Error, UsageError


def count_of(executor: Any, shards: int | None) -> int:
    """As many as are asked for, else as the executor has workers, where it says so."""
    return shards or getattr(executor, "_max_workers", None) or 4


def compute(verb: str, asked: dict[str, Any], index: int, count: int) -> bytes:
    """On a worker: one shard, as an archive of its run and of the statistics that it wrote."""
    from . import verbs

    with tempfile.TemporaryDirectory(prefix="quantlens-shard-") as folder:
        root = pathlib.Path(folder)
        if verb == "calibrate":
            asked = {**asked, "output": root / "statistics.bin"}
        run = verbs.gather(verb, {**asked, "shard": (index, count), "workspace": str(root / "workspace"), "progress": False})
        into = io.BytesIO()
        with zipfile.ZipFile(into, "w") as archive:
            for file in pathlib.Path(run.folder).rglob("*"):
                archive.write(file, file.relative_to(root / "workspace"))
            if verb == "calibrate":
                archive.write(root / "statistics.bin", "statistics.bin")
        return into.getvalue()


def unpack(archive: bytes, folder: pathlib.Path) -> pathlib.Path:
    with zipfile.ZipFile(io.BytesIO(archive)) as given:
        given.extractall(folder)
    return folder


def run_in(folder: pathlib.Path) -> pathlib.Path:
    """The one run of a shard's workspace."""
    return next((folder / "workloads").iterdir())


def check_portable(asked: dict[str, Any]) -> None:
    """Before anything is sent away."""
    try:
        pickle.dumps(asked)
    except Exception as problem:
        raise UsageError(f"executor: what the verb is given cannot be sent to another process ({problem}); give data by their path, or an "
                         "object of a module's class") from problem


def _submitted(executor: Any, verb: str, asked: dict[str, Any], index: int, count: int) -> Any:
    """None where the executor takes nothing any more, as a pool whose process was killed."""
    try:
        return executor.submit(compute, verb, asked, index, count)
    except Exception:  # noqa: BLE001: as below
        return None


def each(executor: Any, verb: str, asked: dict[str, Any], count: int) -> Iterator[bytes]:
    """In order. What a worker that is lost was given is computed here; an error of quantlens is raised as it is."""
    waiting = [_submitted(executor, verb, asked, index, count) for index in range(1, count + 1)]
    for index, one in enumerate(waiting, start=1):
        try:
            yield one.result() if one is not None else compute(verb, asked, index, count)
        except (Error, KeyboardInterrupt):
            for other in waiting:
                if other is not None:
                    other.cancel()
            raise
        except Exception:  # noqa: BLE001: executors have errors of their own for workers that are lost
            yield compute(verb, asked, index, count)


def folders(executor: Any, verb: str, asked: dict[str, Any], shards: int | None, below: str) -> list[pathlib.Path]:
    """Runs every shard, and unpacks what came of each."""
    check_portable(asked)
    count = count_of(executor, shards)
    return [unpack(archive, pathlib.Path(below, f"{index}")) for index, archive in enumerate(each(executor, verb, asked, count), start=1)]
