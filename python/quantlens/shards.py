# SPDX-License-Identifier: Apache-2.0
"""More than one process or machine, by executors that exist: shards are computed there and merged here."""
from __future__ import annotations

import contextlib
import fcntl
import io
import pathlib
import pickle
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from typing import Any

from .errors import Error, UsageError
from .models import kept_meanwhile

PREFIX = "quantlens-shard-"  # behind it stand the name of the whole and letters of a worker's own
LOCK = "lock"


def count_of(executor: Any, shards: int | None, most: int) -> int:
    """As many as are asked for, else as the executor has workers, where it says so, and there are batches for."""
    told = getattr(executor, "_max_workers", None)
    return shards or max(1, min(told if isinstance(told, int) and told > 0 else 4, most))


@contextlib.contextmanager
def _folder_of_shard(whole: str) -> Iterator[pathlib.Path]:
    """Goes with the block. While its worker lives it holds the lock, which ends with it however that is."""
    with kept_meanwhile(f"{PREFIX}{whole}-") as folder, open(pathlib.Path(folder, LOCK), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield pathlib.Path(folder)


def _remove_left(whole: str) -> None:
    """What workers that were killed left on this machine. Who still computes what nobody waits for removes it at its end."""
    for folder in pathlib.Path(tempfile.gettempdir()).glob(f"{PREFIX}{whole}-*"):
        with contextlib.suppress(OSError), open(folder / LOCK, "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


def compute(verb: str, asked: dict[str, Any], index: int, count: int, whole: str) -> bytes:
    """On a worker: one shard of that whole, as an archive of its run and of the statistics that it wrote."""
    from . import verbs

    with _folder_of_shard(whole) as root:
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


def _is_archive(given: Any) -> bool:
    """What `compute` gives; an executor that gives something else has computed nothing."""
    if not isinstance(given, bytes) or not zipfile.is_zipfile(io.BytesIO(given)):
        return False
    with zipfile.ZipFile(io.BytesIO(given)) as archive:
        return any(name.startswith("workloads/") for name in archive.namelist())


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


def _submitted(executor: Any, verb: str, asked: dict[str, Any], index: int, count: int, whole: str) -> Any:
    """None where the executor takes nothing any more, as a pool whose process was killed."""
    try:
        return executor.submit(compute, verb, asked, index, count, whole)
    except Exception:  # noqa: BLE001: as below
        return None


def each(executor: Any, verb: str, asked: dict[str, Any], count: int, whole: str) -> Iterator[bytes]:
    """In order. What a worker that is lost was given is computed here; an error of quantlens is raised as it is."""
    waiting = [_submitted(executor, verb, asked, index, count, whole) for index in range(1, count + 1)]
    for index, one in enumerate(waiting, start=1):
        try:
            given: Any = one.result() if one is not None else None
            yield given if _is_archive(given) else compute(verb, asked, index, count, whole)
        except (Error, KeyboardInterrupt):
            for other in waiting:
                if other is not None:
                    other.cancel()
            raise
        except Exception:  # noqa: BLE001: executors have errors of their own for workers that are lost
            yield compute(verb, asked, index, count, whole)


def folders(executor: Any, verb: str, asked: dict[str, Any], count: int, below: str) -> list[pathlib.Path]:
    """Runs every shard, and unpacks what came of each."""
    whole = secrets.token_hex(8)
    try:
        archives = each(executor, verb, asked, count, whole)
        return [unpack(archive, pathlib.Path(below, f"{index}")) for index, archive in enumerate(archives, start=1)]
    finally:
        _remove_left(whole)
