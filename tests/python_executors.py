# SPDX-License-Identifier: Apache-2.0
"""Shards by engines that others made: Dask's worker processes, one of which is killed at work, and mpi4py under mpirun.
Bytes of states equal those of one run."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.insert(0, PACKAGE)

import quantlens  # noqa: E402

MODEL, DATA = str(harness.DEMO / "digits.onnx"), str(harness.DEMO / "digits.npz")
WORKERS = 4
STATES = ("passes.bin", "accuracy_state.bin", "diagnosis.json", "accuracy.json", "histograms.bin", "activations_table.csv")


def states_of(run):
    """What a run gathered and what was judged of it, but for who gathered it when."""
    files = {name: harness.file_of(pathlib.Path(run.folder) / name) for name in STATES}
    return {name: file.read_bytes() for name, file in files.items() if file.exists()}


def whole():
    """What one process gathers."""
    quantlens.quantize(MODEL, DATA, output="int8.onnx", progress=False)
    quantlens.calibrate(MODEL, DATA, output="whole.bin", progress=False)
    return states_of(quantlens.diagnose(MODEL, "int8.onnx", DATA, metric="top1", progress=False, name="whole"))


def same(pool, engine, states, shards=WORKERS):
    pathlib.Path("merged.bin").unlink(missing_ok=True)
    quantlens.calibrate(MODEL, DATA, output="merged.bin", executor=pool, shards=shards, progress=False)
    harness.check(pathlib.Path("merged.bin").read_bytes() == pathlib.Path("whole.bin").read_bytes(), f"{engine}: statistics of equal bytes")
    merged = states_of(quantlens.diagnose(MODEL, "int8.onnx", DATA, metric="top1", executor=pool, shards=shards, progress=False))
    harness.check(merged.keys() == states.keys() == set(STATES), f"{engine}: {sorted(merged)}")
    for name, content in states.items():
        harness.check(merged[name] == content, f"{engine}: {name} of a diagnosis has equal bytes")


def in_dask(states):
    try:
        from distributed import Client
    except ImportError:
        print("left out Dask: this Python has no distributed; pip install distributed")
        return False
    with Client(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1") as client:
        pool = client.get_executor()
        processes = set(client.run(os.getpid).values())
        harness.check(len(processes) == WORKERS and os.getpid() not in processes, f"Dask: {len(processes)} worker processes")
        same(pool, "Dask", states)
        killed = kill_one_at_work(client)
        same(pool, "Dask, of which a worker is killed", states, shards=12)
        killed.join()
        harness.check(not killed.left, "it was killed while shards were computed")
        left = list(pathlib.Path(tempfile.gettempdir()).glob("quantlens-shard-*"))
        harness.check(not left, f"and leaves no folder: {left}")
    return True


def kill_one_at_work(client):
    """A thread that kills the first worker that is seen to compute."""
    def kill():
        until = time.monotonic() + 60
        while time.monotonic() < until:
            at_work = [worker for worker, keys in client.processing().items() if keys]
            if at_work:
                process = client.run(os.getpid, workers=at_work[:1])[at_work[0]]
                os.kill(process, signal.SIGKILL)
                thread.left = False
                return
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.left = True
    thread.start()
    return thread


def by_mpi(states):
    """As the manager of mpi4py.futures' workers: this script again, under mpirun."""
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        print("left out MPI: this Python has no mpi4py; pip install mpi4py")
        return False
    if shutil.which("mpirun") is None:
        print("left out MPI: there is no mpirun; apt install openmpi-bin")
        return False
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(WORKERS), sys.executable, "-m", "mpi4py.futures",
               os.path.abspath(__file__), "--manager"]
    done = subprocess.run(command, text=True, capture_output=True, timeout=500, check=False)
    harness.check(done.returncode == 0, f"mpirun -n {WORKERS}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    print(done.stdout, end="")
    return True


def manager():
    from mpi4py.futures import MPIPoolExecutor

    states = states_of(quantlens.open_run(next(run.id for run in quantlens.workloads() if run.name == "whole")))
    with MPIPoolExecutor() as pool:
        others = set(pool.map(rank_of, range(100)))
        harness.check(others == set(range(1, WORKERS)), f"MPI: ranks {sorted(others)} compute")
        same(pool, f"mpirun -n {WORKERS}", states)


def rank_of(_):
    from mpi4py import MPI

    time.sleep(0.01)
    return MPI.COMM_WORLD.Get_rank()


def main():
    if "--manager" in sys.argv:
        return manager()
    sandbox = harness.Sandbox()
    os.environ.update({**sandbox.environment, "PYTHONPATH": os.pathsep.join([PACKAGE, str(pathlib.Path(__file__).parent)])})
    os.chdir(sandbox.path)
    tempfile.tempdir = os.environ["TMPDIR"] = str(sandbox.path / "temporary")
    os.mkdir(tempfile.tempdir)
    states = whole()
    ran = [in_dask(states), by_mpi(states)]
    if not any(ran):
        harness.skip("this Python has neither distributed nor mpi4py")
    return None


if __name__ == "__main__":
    main()
