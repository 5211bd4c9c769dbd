#!/usr/bin/env python3
"""Measures postroom beside other tools and beside the least that the system needs: see README.md here."""

import argparse
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile

import contestants
import servers
from contestants import Place
from measure import TIMER, in_turn

SIZES = [10, 1_000, 10_000, 100_000]
ROUNDS = {10: 40, 1_000: 40, 10_000: 15, 100_000: 7}
MARK = ("<!-- figures -->\n", "<!-- end of the figures -->\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=pathlib.Path, metavar="DIR", help="where other tools are installed (see README.md)")
    parser.add_argument("--folder", type=pathlib.Path, metavar="DIR", help="keep the mailboxes here, for the next run")
    parser.add_argument("--into", type=pathlib.Path, metavar="FILE", help="put the figures into this page, between its marks")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="how many messages (default: %(default)s)")
    parser.add_argument("--sends", type=int, default=1_000, metavar="N", help="how many letters are sent (default: 1000)")
    parser.add_argument("--only", nargs="+", choices=["start", "read", "archive", "mark", "sweep", "send"], help="only this work")
    parser.add_argument("--patient", action="store_true", help="also what takes a minute a run")
    parser.add_argument("--no-index", action="store_true", help="leave out notmuch, whose index takes minutes to build")
    return parser.parse_args()


def main():
    options = arguments()
    # Servers are stopped, too, when this is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    build()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="postroom-side-by-side-"))
    place = Place(folder.resolve(), options.peers and options.peers.resolve())
    try:
        text = report(place, options)
    finally:
        os.chdir(contestants.ROOT)
        servers.stop(place)
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    if options.into:
        page = options.into.read_text()
        before, _, rest = page.partition(MARK[0])
        _, _, after = rest.partition(MARK[1])
        options.into.write_text(f"{before}{MARK[0]}\n{text}\n{MARK[1]}{after}")
    else:
        print(text)


def build():
    """Both the program and what it is measured against, as they are released."""
    # One after the other: examples bring the libraries of the tests along, and built in one go the program
    # would get features of its own libraries that only those ask for.
    for parts in (["--bin", "postroom"], ["--example", "limit", "--example", "empty"]):
        subprocess.run(["cargo", "build", "--release", "--locked", *parts], cwd=contestants.ROOT, check=True)


def report(place, options):
    """All the work, and its figures as Markdown."""
    wanted = options.only or ["start", "read", "archive", "mark", "sweep", "send"]
    goals, parts, notes = [], [], []
    load = os.getloadavg()[0]
    if "start" in wanted:
        parts.append(started(place, goals))
    if "read" in wanted:
        parts.append(read(place, options, goals, notes))
    if "archive" in wanted:
        parts.append(archived(place, goals))
    if "mark" in wanted:
        parts.append(marked(place, goals))
    if "sweep" in wanted:
        parts.append(swept(place, goals))
    if "send" in wanted:
        parts.append(sent(place, options, goals))
    notes += [f"left out: {name}" for name in place.left_out]
    lines = [machine(place, load), "", "| work | goal | measured | met |", "|---|---|---|---|", *goals, "", *parts]
    return "\n".join([*lines, *(f"- {note}" for note in notes), ""])


def machine(place, load):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    kind = subprocess.run(["stat", "-f", "-c", "%T", place.folder], capture_output=True, text=True).stdout.strip() or "unknown"
    version = subprocess.run([place.postroom, "--version"], capture_output=True, text=True).stdout.strip()
    return (
        f"{version} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB of memory, file system"
        f" {kind}; load {load:.1f} before and {os.getloadavg()[0]:.1f} after. Whole processes, warm caches, interleaved; milliseconds,"
        " median [minimum]."
    )


def cell(contestant):
    digits = 2 if contestant.median < 10 else 1 if contestant.median < 100 else 0
    return f"{contestant.median:,.{digits}f} [{contestant.least:,.{digits}f}]"


def goal(goals, work, wanted, measured, met):
    goals.append(f"| {work} | {wanted} | {measured} | {'yes' if met else '**no**'} |")


def say(text):
    print(text, file=sys.stderr)


def started(place, goals):
    """A process at its least."""
    say("starting")
    empty, version, hook, summary = in_turn(contestants.start(place), 200)
    for one, work in ((version, "`postroom --version`"), (hook, "`hook` on an empty project")):
        ratio = one.median / empty.median
        goal(goals, work, "≤ 1.5× an empty Rust program", f"{ratio:.2f}× ({one.median:.2f} ms)", ratio <= 1.5)
    rows = [f"| {c.name} | {cell(c)} |" for c in (empty, version, hook, summary)]
    return "\n".join(["### Start", "", "| process | ms |", "|---|---|", *rows, ""])


def read(place, options, goals, notes):
    """What is unread."""
    table, names = {}, []
    for count in options.sizes:
        say(f"reading {count:,} messages")
        largest = count == max(options.sizes)
        entries = in_turn(contestants.reading(place, count, largest and not options.no_index, options.patient), ROUNDS.get(count, 10))
        for one in entries:
            if largest:
                one.weigh()
            if one.note:
                notes.append(one.note)
            if one.name not in names:
                names.append(one.name)
            table[one.name, count] = one
        read_goals(goals, count, {one.name: one for one in entries})
    sizes = options.sizes
    head = "| what is unread | " + " | ".join(f"{count:,}" for count in sizes) + f" | MB at {max(sizes):,} |"
    rows = [head, "|---|" + "---|" * (len(sizes) + 1)]
    for name in names:
        cells = [cell(table[name, count]) if (name, count) in table else "–" for count in sizes]
        last = table.get((name, max(sizes)))
        cells.append(f"{last.memory:.0f}" if last and last.memory else "–")
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    if TIMER is None:
        notes.append("memory was not measured: GNU time is not installed")
    return "\n".join(["### What is unread", "", *rows, ""])


def read_goals(goals, count, by_name):
    limit = next(c for name, c in by_name.items() if name.startswith("the limit"))
    ours = by_name["postroom summary"]
    ratio, most = ours.median / limit.median, 1.5 if count <= 1_000 else 1.3
    if count < 1_000:
        return
    shown = f"{ratio:.2f}× ({ours.median:.1f} ms against {limit.median:.1f})"
    goal(goals, f"`summary` over {count:,} live messages", f"≤ {most}× the limit", shown, ratio <= most)
    if count == 100_000 and ours.memory:
        goal(goals, "its peak memory", "≤ 64 MB", f"{ours.memory:.0f} MB", ours.memory <= 64)
    if count != 1_000:
        return
    factors = [
        ("agent-mail scan", 4), ("the steps of the `.agents`", 500), ("agent-inbox inbox-hook", 20), ("agent-inbox wake-check", 20),
        ("mcp_agent_mail fetch_inbox", 20), ("the steps of mcp_agent_mail", 20),
    ]
    for start, least in factors:
        for name, peer in by_name.items():
            if name.startswith(start):
                times = peer.median / ours.median
                goal(goals, f"the same beside {name}", f"≥ {least}× faster", f"{times:.1f}×", times >= least)


def archived(place, goals):
    """An archive must cost nothing."""
    say("beside an archive of 100,000")
    alone, beside = in_turn(contestants.archives(place), 60)
    change = beside.median / alone.median - 1
    shown = f"{change:+.1%} ({beside.median:.2f} ms against {alone.median:.2f})"
    goal(goals, "100,000 archived beside 100 live", "no measurable change", shown, abs(change) <= 0.05)
    return "\n".join(["### Beside an archive", "", "| summary | ms |", "|---|---|", *(f"| {c.name} | {cell(c)} |" for c in (alone, beside)), ""])


def marked(place, goals):
    """One among many."""
    say("marking")
    entries = in_turn(contestants.marking(place), 30)
    names, least, by_path, by_id = entries
    work, synced = "among 100,000", least.least_cpu
    own = by_path.least_cpu - synced
    shown = f"{own:.2f} ms more than the {synced:.2f} of a bare program that replaces and syncs the file"
    goal(goals, f"{by_path.name}, {work}", "≤ 2 ms of CPU plus the syncs", shown, own <= 2)
    own = by_id.least_cpu - synced - names.least_cpu
    shown = f"{own:.2f} ms more than that and the {names.least_cpu:.1f} of a bare readdir"
    goal(goals, f"{by_id.name}, {work}", "the same, and one readdir", shown, own <= 2)
    rows = [f"| {c.name} | {cell(c)} | {c.least_cpu:.2f} |" for c in entries]
    return "\n".join(["### One among 100,000", "", "| | ms | least CPU ms |", "|---|---|---|", *rows, ""])


def swept(place, goals):
    """All of an inbox."""
    say("sweeping")
    limit, ours = in_turn(contestants.sweeping(place), 5, seconds=600)
    ratio = ours.median / limit.median
    shown = f"{ratio:.2f}× ({ours.median:.0f} ms against {limit.median:.0f})"
    goal(goals, "`sweep` of 10,000 messages", "≤ 1.5× a rename loop with header reads", shown, ratio <= 1.5)
    return "\n".join(["### A sweep of 10,000", "", "| | ms |", "|---|---|", *(f"| {c.name} | {cell(c)} |" for c in (limit, ours)), ""])


def sent(place, options, goals):
    """One process a letter."""
    say(f"sending {options.sends:,} letters")
    entries = in_turn(contestants.sending(place), options.sends, seconds=60)
    ours, agents, *peers = entries
    for peer in peers:
        times = peer.median / ours.median
        if peer.name.startswith("agent-mail send"):
            # The layout whose letters have names of their own, as that tool's have; the other has to look at all names.
            times = peer.median / agents.median
            shown = f"{times:.2f}× as fast (layout agents), {peer.median / ours.median:.2f}× (layout soma)"
            goal(goals, f"{options.sends:,} sends, beside {peer.name}", "no slower", shown, times >= 1)
        elif "Python" in peer.name or "node" in peer.name:
            goal(goals, f"the same beside {peer.name}", "≥ 10× faster", f"{times:.1f}×", times >= 10)
    rows = [f"| {c.name} | {cell(c)} | {len(c.wall):,} |" for c in entries]
    return "\n".join(["### One letter, one process", "", "| send | ms | letters |", "|---|---|---|", *rows, ""])


if __name__ == "__main__":
    main()
