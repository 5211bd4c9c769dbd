#!/usr/bin/env python3
"""Measures whole processes side by side: postroom, its peers, and what the system itself takes.

Everything that is compared is run in turns, in one go, so that a busy machine slows all of them
alike. Prints Markdown tables; README.md beside this file says how to read them.
"""

import argparse
import datetime
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import mailboxes
import peers

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# Rounds for each number of messages.
ROUNDS = {10: 60, 1_000: 30, 10_000: 11, 100_000: 5}


class Bench:
    """Runs commands in turns and keeps what they took."""

    def __init__(self, work):
        self.work = work
        self.sink = open(work / "output", "w+b")
        self.gnu_time = shutil.which("time", path="/usr/bin:/bin")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(work / "home"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "POSTROOM_NOW": mailboxes.NOW,
        }
        (work / "home").mkdir(exist_ok=True)

    def once(self, command, cwd, more=None, stdin=None):
        """Runs one process; gives its wall and processor time in milliseconds."""
        self.sink.seek(0)
        self.sink.truncate()  # a file, since some peers look no further where nobody reads
        source = open(stdin, "rb") if stdin else subprocess.DEVNULL
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env={**self.environment, **(more or {})}, stdin=source, stdout=self.sink, stderr=self.sink
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if stdin:
            source.close()
        if process.returncode not in (0, 1):
            self.sink.seek(0)
            raise RuntimeError(f"{command}: status {process.returncode}: {self.sink.read(500)!r}")
        return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3

    def memory(self, command, cwd, more=None):
        """The most memory that one process took, in MB; None where GNU time is missing."""
        if not self.gnu_time:
            return None
        report = self.work / "memory"
        self.once([self.gnu_time, "-q", "-f", "%M", "-o", str(report), *command], cwd, more)
        return int(report.read_text().split()[-1]) / 1024

    def in_turns(self, runs, rounds):
        """Runs each of `runs` (name: (command, folder, environment, stdin)) `rounds` times, in turns."""
        took = {name: [] for name in runs}
        for _ in range(rounds):
            for name, (command, cwd, more, stdin) in runs.items():
                took[name].append(self.once(command, cwd, more, stdin))
        return {name: Took(times) for name, times in took.items()}


class Took:
    """What the runs of one command took, in milliseconds."""

    def __init__(self, times):
        walls, processors = [wall for wall, _ in times], [processor for _, processor in times]
        self.median, self.least = statistics.median(walls), min(walls)
        self.processor = statistics.median(processors)

    def __str__(self):
        return f"{shown(self.median)} [{shown(self.least)}]"


def shown(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def start(bench, tools):
    empty = mailboxes.empty(bench.work)
    event = bench.work / "event.json"
    event.write_text(f'{{"session_id":"s","hook_event_name":"SessionStart","source":"startup","cwd":"{empty}"}}')
    took = bench.in_turns(
        {
            "an empty Rust program": ([tools["empty"]], empty, None, None),
            "`postroom --version`": ([tools["postroom"], "--version"], empty, None, None),
            "`postroom hook`, empty project": ([tools["postroom"], "hook", "--host", "claude"], empty, None, str(event)),
        },
        300,
    )
    base = took["an empty Rust program"]
    rows = [[name, str(t), shown(t.processor), f"{t.median / base.median:.2f}"] for name, t in took.items()]
    print("### Start\n")
    table(["process", "ms", "processor ms", "× the empty program"], rows)


def summary(bench, tools, found, sizes):
    print("### What is unread\n")
    took, memory = {}, {}
    for size in sizes:
        project = mailboxes.soma(bench.work, size)
        inbox = str(project / ".soma/inbox")
        runs = {
            "the limit: readdir, open, read 1 KiB": ([tools["limit"], inbox], project, None, None),
            "**`postroom summary`**": ([tools["postroom"], "summary"], project, None, None),
            "`ls \\| grep -c`": (["sh", "-c", f"ls '{inbox}' | grep -c '\\.md$'"], project, None, None),
            "`grep -rl '^status: unread'`": (["grep", "-rl", "^status: unread", inbox], project, None, None),
        }
        runs.update(found.checks(bench, size))
        slow = [name for name in runs if name in found.slow_checks]
        quick = {name: run for name, run in runs.items() if name not in slow}
        took[size] = bench.in_turns(quick, ROUNDS.get(size, 5))
        took[size].update(bench.in_turns({name: runs[name] for name in slow}, 1))
        if size == max(sizes):
            memory = {name: bench.memory(command, cwd, more) for name, (command, cwd, more, _) in quick.items()}
        found.stop()
    names = list(dict.fromkeys(name for size in sizes for name in took[size]))
    rows = []
    for name in names:
        most = memory.get(name)
        rows.append([name, *(str(took[s].get(name, "–")) for s in sizes), "–" if most is None else f"{most:.0f}"])
    table(["", *(f"{size:,}" for size in sizes), f"MB at {max(sizes):,}"], rows)
    limit, ours = (list(took[sizes[0]])[n] for n in (0, 1))
    rows = []
    for name in names:
        if name != ours:
            ratio = [f"{took[s][name].median / took[s][ours].median:.2g}" if name in took[s] else "–" for s in sizes]
            rows.append([name, *ratio])
    print("How many times as long as `postroom summary` (medians):\n")
    table(["", *(f"{size:,}" for size in sizes)], rows)
    rows = [["times the limit", *(f"{took[s][ours].median / took[s][limit].median:.2f}" for s in sizes)]]
    rows.append(["processor time, times the limit's", *(f"{took[s][ours].processor / took[s][limit].processor:.2f}" for s in sizes)])
    table(["`postroom summary`", *(f"{size:,}" for size in sizes)], rows)


def archived(bench, tools, most):
    bare, full = mailboxes.soma(bench.work, 100), mailboxes.soma(bench.work, 100, archived=most)
    runs = {name: ([tools["postroom"], "summary"], cwd, None, None) for name, cwd in (("none", bare), (f"{most:,}", full))}
    took = bench.in_turns(runs, 100)
    print("### 100 live messages, beside archived ones\n")
    table(["archived", "`postroom summary`, ms"], [[name, str(t)] for name, t in took.items()])


def mark(bench, tools, size):
    project = mailboxes.soma(bench.work, size)
    inbox = project / ".soma/inbox"
    names = mailboxes.names_of(size, "unread", 120)
    runs = {"by path": [], "by id": [], "readdir alone": []}
    for n, name in enumerate(names[:40]):
        # Once there and once back, so that the mailbox stays as it is.
        for status in ("read", "unread"):
            for kind, ref in (("by path", f".soma/inbox/{name}"), ("by id", names[n + 40].removesuffix(".md"))):
                runs[kind].append(bench.once([tools["postroom"], "mark", "--reopen", status, ref], project))
        runs["readdir alone"].append(bench.once([tools["limit"], "--names", str(inbox)], project))
    took = {kind: Took(times) for kind, times in runs.items()}
    print(f"### `mark` of one among {size:,}\n")
    table(["", "ms", "processor ms"], [[kind, str(t), shown(t.processor)] for kind, t in took.items()])


def sweep(bench, tools, size, rounds=7):
    took = {"readdir, header reads, renames, two syncs": [], "`postroom sweep`": []}
    for _ in range(rounds):
        for name in took:
            project = mailboxes.handled(bench.work, size)
            inbox = project / ".soma/inbox"
            if name.startswith("readdir"):
                command = [tools["moves"], str(inbox), str(inbox / "_archive")]
            else:
                command = [tools["postroom"], "sweep"]
            os.sync()
            took[name].append(bench.once(command, project))
            if len(os.listdir(inbox / "_archive")) != size:
                sys.exit(f"{name} did not move all messages")
    took = {name: Took(times) for name, times in took.items()}
    base = next(iter(took.values()))
    print(f"### A sweep of {size:,} messages\n")
    rows = [[n, str(t), shown(t.processor), f"{t.median / base.median:.2f}", f"{t.processor / base.processor:.2f}"] for n, t in took.items()]
    table(["", "ms", "processor ms", "×", "processor ×"], rows)


def send(bench, tools, found, count):
    project = mailboxes.agents(bench.work, 0)
    body = "The cache of the parser keeps old entries when a file is renamed. " * 8
    common = ["--to", "ben", "--from", "ava", "--subject", "Topic needs a look", "--body", body]
    runs = {"**`postroom send`**": ([tools["postroom"], "send", *common], project, None, None)}
    runs.update(found.sends(bench, body))
    slow = {name: run for name, run in runs.items() if name in found.slow_sends}
    quick = {name: run for name, run in runs.items() if name not in slow}
    took = bench.in_turns(quick, count)
    took.update(bench.in_turns(slow, max(10, count // 20)))
    found.stop()
    print(f"### Sends, one process each (of {count:,}; slow ones of {max(10, count // 20)})\n")
    table(["", "ms", "processor ms"], [[name, str(t), shown(t.processor)] for name, t in took.items()])


def machine(work):
    model = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []:
        if line.startswith("model name"):
            model = line.split(":")[1].strip()
    kind = subprocess.run(["df", "--output=fstype", str(work)], capture_output=True, text=True).stdout.split()[-1:]
    load = os.getloadavg()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    print(f"{os.cpu_count()} cores ({model}), {memory:.0f} GB, {os.uname().sysname} {os.uname().release.split('-')[0]}, file system {''.join(kind) or 'unknown'}; ")
    print(f"load {load[0]:.1f} at the start, {datetime.date.today()}. Milliseconds: median [minimum].\n", flush=True)


def built(options):
    """Builds what is measured, unless it is named."""
    if options.postroom:
        folder = pathlib.Path(options.postroom).resolve().parent
        tools = {"postroom": str(pathlib.Path(options.postroom).resolve())}
        examples = pathlib.Path(options.examples).resolve() if options.examples else folder / "examples"
    else:
        cargo = ["cargo", "build", "--release", "--bin", "postroom", "--example", "empty", "--example", "limit", "--example", "moves"]
        subprocess.run(cargo, cwd=REPOSITORY, check=True)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
        tools, examples = {"postroom": str(target / "release/postroom")}, target / "release/examples"
    tools.update({name: str(examples / name) for name in ("empty", "limit", "moves")})
    missing = [path for path in tools.values() if not os.access(path, os.X_OK)]
    if missing:
        sys.exit(f"not there: {', '.join(missing)}")
    return tools


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", default="target/side_by_side", help="where mailboxes are made (%(default)s); on a disk, not in memory")
    parser.add_argument("--peers", help="where peers are installed (default: WORK/peers)")
    parser.add_argument("--install", action="store_true", help="install the peers first, with cargo, pip and npm")
    parser.add_argument("--postroom", help="the program to measure, instead of a new release build; examples/ beside it")
    parser.add_argument("--examples", help="the folder of empty, limit and moves, where it is elsewhere")
    parser.add_argument("--sizes", default="10,1000,10000,100000", help="numbers of messages (%(default)s)")
    parser.add_argument("--only", default="start,summary,archived,mark,sweep,send", help="which tables (%(default)s)")
    parser.add_argument("--sends", type=int, default=1000, help="how many sends (%(default)s)")
    parser.add_argument("--out", help="write the tables there as well")
    options = parser.parse_args()
    work = pathlib.Path(options.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    if options.out:
        tee = subprocess.Popen(["tee", options.out], stdin=subprocess.PIPE)
        os.dup2(tee.stdin.fileno(), 1)
        tee.stdin.close()
    sizes = [int(size) for size in options.sizes.split(",")]
    only = options.only.split(",")
    folder = pathlib.Path(options.peers).resolve() if options.peers else work / "peers"
    if options.install:
        peers.install(folder)
    tools, bench = built(options), Bench(work)
    found = peers.Peers(folder, work)
    machine(work)
    if "start" in only:
        start(bench, tools)
    if "summary" in only:
        summary(bench, tools, found, sizes)
    if "archived" in only:
        archived(bench, tools, max(sizes))
    if "mark" in only:
        mark(bench, tools, max(sizes))
    if "sweep" in only:
        sweep(bench, tools, min(10_000, max(sizes)))
    if "send" in only:
        send(bench, tools, found, options.sends)
    found.say()
    if options.out:
        sys.stdout.flush()
        os.close(1)
        tee.wait()


if __name__ == "__main__":
    main()
