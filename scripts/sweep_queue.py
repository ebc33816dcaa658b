#!/usr/bin/env python3
"""How many workers one scheduler and one writer of a sweep feed: a formula beside a simulation of their queues.

scripts/sweep_queue.py [--task 1.7e-3] [--row 1.1e-4]     prints a table in Markdown.

task: time that Dask's scheduler takes for a task [s]; row: that the client takes for a row [s] (docs/sweeps.md measures both).
A worker computes a task of some runs, whose times scatter by half of their mean. When it is done, the scheduler takes note and
gives it the next task. The client takes the rows, and hands out another task: 2 for each worker are under way.
"""
import argparse
import heapq
import random
from collections import deque

TASK = 0.004  # [s] that cuttle.sweep reckons with for a task
MOST = 10_000  # runs of a task


def chunk(left, workers, each):
    """Runs of a task, as cuttle.sweep takes them (python/cuttle/sweeps.py)."""
    wanted = max(1.0, 2 * workers * TASK)
    return int(max(1, min(wanted / each, left / (4 * workers), MOST)))


def formula(workers, each, task, row):
    """The part of their time that workers compute, where there are runs without end."""
    runs = chunk(10**18, workers, each)
    seconds = runs * each
    return min(1.0, seconds / (seconds + task), seconds / (workers * task), each / (workers * row))


def simulated(workers, each, task, row, seed=1):
    """The same of 14 tasks for each worker, from when the client has taken 4 for each to when it has no more to hand out."""
    draw = random.Random(seed)
    runs = chunk(10**18, workers, each)
    left, told = 14 * workers, 0
    events, ready, idle = [], deque(), deque(range(workers))
    free_scheduler = free_client = 0.0
    order = 0

    def later(time, kind, worker=-1, length=0.0):
        nonlocal order
        order += 1
        heapq.heappush(events, (time, order, kind, worker, length))

    def assign(now):
        nonlocal free_scheduler
        while ready and idle:
            ready.popleft()
            free_scheduler = max(free_scheduler, now) + task / 2
            length = max(0.2, draw.gauss(1.0, 0.5 / runs**0.5)) * runs * each
            later(free_scheduler + length, "done", idle.popleft(), length)

    handed = min(2 * workers, left)
    left -= handed
    ready.extend([0] * handed)
    assign(0.0)
    begun, ended, computed = None, None, []
    while events:
        now, _, kind, worker, length = heapq.heappop(events)
        if kind == "done":
            computed.append((now - length, now))
            free_scheduler = max(free_scheduler, now) + task / 2
            later(free_scheduler, "idle", worker)
            free_client = max(free_client, free_scheduler) + runs * row
            later(free_client, "told")
        elif kind == "idle":
            idle.append(worker)
            assign(now)
        else:
            told += 1
            if told == 4 * workers:
                begun = now
            if left:
                left -= 1
                ready.append(0)
                assign(now)
            elif ended is None:
                ended = now
    busy = sum(max(0.0, min(end, ended) - max(start, begun)) for start, end in computed)
    return busy / (workers * (ended - begun))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", type=float, default=1.7e-3)
    parser.add_argument("--row", type=float, default=1.1e-4)
    options = parser.parse_args()
    print("| workers | a run [s] | runs of a task | formula | simulated |\n| --- | --- | --- | --- | --- |")
    for workers in (100, 1000, 10_000):
        for each in (0.01, 0.1, 1.0, 10.0):
            parts = [model(workers, each, options.task, options.row) for model in (formula, simulated)]
            print(f"| {workers} | {each:g} | {chunk(10**18, workers, each)} | {parts[0]:.2f} | {parts[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
