"""Whole processes, one after another in turn, so that what else the machine does meets all of them."""

import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time

TIMER = shutil.which("time", path="/usr/bin:/usr/local/bin")
"""A program that tells the peak memory of another; its own start is not measured."""


class Contestant:
    """A command with all that it needs, and what was measured of it."""

    def __init__(self, name, words, folder, env, before=None, note=None, stdin=os.devnull):
        self.name, self.folder, self.env, self.before, self.note, self.stdin = name, folder, env, before, note, stdin
        self.words = words if callable(words) else (lambda _: words)
        self.cost = 0.0
        self.wall, self.cpu, self.memory, self.rounds = [], [], None, 0

    def run(self):
        """Runs it once; a failure ends the whole measurement, which would otherwise measure an error."""
        if self.before:
            self.before(self.rounds)
        words = [os.fspath(word) for word in self.words(self.rounds)]
        self.rounds += 1
        # Into a file: some programs do less when nobody can see what they print.
        with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
            files = [
                (os.POSIX_SPAWN_OPEN, 0, os.fspath(self.stdin), os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, printed.fileno(), 1),
                (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
            ]
            os.chdir(self.folder)
            start = time.perf_counter()
            pid = os.posix_spawn(words[0], words, self.env, file_actions=files)
            _, status, usage = os.wait4(pid, 0)
            end = time.perf_counter()
            if status != 0:
                errors.seek(0)
                raise SystemExit(f"{self.name} failed: {' '.join(words)}\n{errors.read().decode(errors='replace')}")
        self.wall.append((end - start) * 1000)
        self.cpu.append((usage.ru_utime + usage.ru_stime) * 1000)

    def tells(self, words):
        """Whether its output has these words. Some programs fail in silence, and would be measured doing nothing."""
        if self.before:
            self.before(self.rounds)
        with open(self.stdin) as given:
            command = [os.fspath(word) for word in self.words(self.rounds)]
            done = subprocess.run(command, cwd=self.folder, env=self.env, check=True, stdin=given, capture_output=True)
        return words in done.stdout

    def weigh(self):
        """Its peak memory in MB, where a timer is at hand. Only for commands that change nothing, or nothing that
        `before` does not undo."""
        if TIMER is None:
            return
        if self.before:
            self.before(self.rounds)
        with tempfile.NamedTemporaryFile("r") as told, tempfile.TemporaryFile() as printed, open(self.stdin) as given:
            words = [os.fspath(word) for word in self.words(0)]
            timed = [TIMER, "-f", "%M", "-o", told.name, *words]
            subprocess.run(timed, cwd=self.folder, env=self.env, check=True, stdin=given, stdout=printed, stderr=printed)
            self.memory = int(told.read().split()[-1]) / 1024

    @property
    def median(self):
        return statistics.median(self.wall)

    @property
    def least(self):
        return min(self.wall)

    @property
    def least_cpu(self):
        return min(self.cpu)


def in_turn(contestants, rounds, seconds=40):
    """One round without counting, which warms the caches; then so many rounds, each contestant once in
    each; one whose turns take too long has fewer. The order is another in each round: who comes behind a large
    program finds the processor's caches full of it, who comes behind itself finds them as it needs them."""
    dice = random.Random(8)
    for contestant in contestants:
        contestant.run()
        contestant.cost = contestant.wall[-1] / 1000
    patient = [c for c in contestants if c.cost * rounds <= seconds]
    for contestant in patient:
        contestant.wall.clear()
        contestant.cpu.clear()
    for turn in range(rounds):
        for contestant in dice.sample(contestants, len(contestants)):
            if contestant in patient or (turn + 1) * contestant.cost <= seconds:
                contestant.run()
    return contestants
