"""Who computes: threads of this machine, executors of concurrent.futures, Dask (docs/sweeps.md)."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from typing import Any, TypeVar

from .errors import ArgumentError, Error

T = TypeVar("T")
R = TypeVar("R")


def share_out(
    function: Callable[[T], R],
    items: Iterable[T],
    *,
    engine: Any = None,
    jobs: int | None = None,
    done: Callable[[int, int], None] | None = None,
) -> list[R]:
    """``[function(item) for item in items]``, computed by an engine, in the order of the items.

    engine: None: `jobs` threads of this machine (one a core). Else an executor of concurrent.futures, a dask.distributed.Client
        or the address of its scheduler. Then the function must have a name in a module that workers have, and items are pickled.
    done: called with how many are computed, and of how many.
    What was lost with a worker is computed again, in the end with nothing beside it; a third loss of that kind is an Error that
    names the item. What the function raises comes out, and what has not begun is cancelled.
    """
    given = list(items)
    results: dict[int, R] = {}
    waiting, alone = deque(range(len(given))), deque[int]()
    flying: dict[Any, int] = {}
    lost = [0] * len(given)
    with Engine(engine, jobs) as used:
        try:
            while waiting or alone or flying:
                while waiting and len(flying) < 2 * used.workers():
                    flying[used.submit(function, given[waiting[0]])] = waiting[0]
                    waiting.popleft()
                if not flying:
                    flying[used.submit(function, given[alone[0]])] = alone[0]
                    alone.popleft()
                for future in used.first(flying):
                    item = flying.pop(future)
                    try:
                        results[item] = future.result()
                    except BaseException as error:
                        if not used.lost(error):
                            raise
                        lost[item] += 1
                        if lost[item] > 2:
                            raise Error(f"items[{item}]: its worker ended three times, the last one with nothing beside it") from error
                        (waiting if lost[item] == 1 else alone).append(item)
                        continue
                    if done is not None:
                        done(len(results), len(given))
        finally:
            for future in flying:
                future.cancel()
    return [results[item] for item in range(len(given))]


class Engine:
    """One face of threads, executors and Dask."""

    def __init__(self, engine: Any, jobs: int | None) -> None:
        self._own: list[Any] = []  # what ends with us
        self.is_dask = False
        self._plugin = ""  # of workers of Dask
        if engine is None:
            self._own.append(engine := ThreadPoolExecutor(jobs or os.cpu_count()))
        elif isinstance(engine, str):
            if ":" not in engine:
                expected = "None, an executor of concurrent.futures, a dask.distributed.Client or its address, as tcp://host:8786"
                raise ArgumentError(f"engine: found '{engine}', expected {expected}", "engine", engine, expected)
            distributed = _distributed(engine)
            self._own.append(engine := distributed.Client(engine))
        if not isinstance(engine, Executor):
            if not (hasattr(engine, "submit") and hasattr(engine, "scheduler_info")):
                raise ArgumentError(
                    f"engine: found a {type(engine).__name__}, expected None, an executor of concurrent.futures, "
                    "a dask.distributed.Client or its address"
                )
            self.is_dask = True
        self._engine = engine

    def __enter__(self) -> Engine:
        if self.is_dask:  # a worker that ends takes its tasks with it: they are ours to make again
            # as a lambda it travels by its code: the scheduler needs no Cuttle
            self._engine.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        return self

    def __exit__(self, *_: object) -> None:
        if self._plugin:
            self._engine.unregister_worker_plugin(self._plugin)
        for own in self._own:
            if isinstance(own, Executor):
                own.shutdown(cancel_futures=True)
            else:
                own.close()

    def workers(self) -> int:
        """How many runs it makes at once, at least."""
        if self.is_dask:
            return max(1, sum(self._engine.nthreads().values()))
        return int(getattr(self._engine, "_max_workers", None) or os.cpu_count() or 1)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A future of what a function that has a name in a module returns."""
        if self.is_dask:
            return self._engine.submit(function, *arguments, pure=False, retries=0)
        try:
            return self._engine.submit(function, *arguments)
        except BrokenProcessPool:
            if not isinstance(self._engine, ProcessPoolExecutor):
                raise
            self._renew()
            return self._engine.submit(function, *arguments)

    def add_plugin(self, plugin: Any, name: str) -> None:
        """Gives workers of Dask a plugin, until we end."""
        self._plugin = name
        self._engine.register_plugin(plugin, name=name)

    def first(self, futures: Iterable[Any]) -> list[Any]:
        """Those that are done, after some time at most."""
        futures = list(futures)
        if not self.is_dask:
            return list(wait(futures, timeout=0.2, return_when=FIRST_COMPLETED).done)
        from distributed import TimeoutError as Late
        from distributed import wait as wait_dask

        try:
            return list(wait_dask(futures, timeout=0.2, return_when="FIRST_COMPLETED").done)
        except Late:
            return []

    def lost(self, error: BaseException) -> bool:
        """Whether an error says that a worker ended."""
        if isinstance(error, BrokenProcessPool):
            return isinstance(self._engine, ProcessPoolExecutor)  # which can be made again
        return self.is_dask and type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError")

    def _renew(self) -> None:
        """A pool of processes is of no use once one of them has ended."""
        old = self._engine
        self._engine = ProcessPoolExecutor(
            old._max_workers, old._mp_context, old._initializer, old._initargs
        )
        self._own.append(self._engine)


def _distributed(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise ArgumentError(
            f"engine: found the address {address} but no package `distributed`, expected it: pip install cuttle[distributed]"
        ) from None
    return distributed
