"""Mailboxes of any size, the same on every run. What is there already is used again."""

import datetime
import pathlib
import shutil
import sqlite3

NOW = "2026-11-15T09:00:00Z"
FIRST_DAY = datetime.date(2026, 9, 20)
LONG_AGO = datetime.date(2026, 3, 1)
# Of ten messages, as a mailbox looks after some weeks of use.
STATUSES = ["unread", "read", "actioned", "resolved", "unread", "read", "actioned", "resolved", "unread", "resolved"]
BODY = "The cache of the parser keeps old entries when a file is renamed. " * 8


def day(n, first=FIRST_DAY):
    return (first + datetime.timedelta(days=n % 55)).isoformat()


def letter(n, status, date):
    """About 700 bytes."""
    return (
        f"---\nfrom: agent-{n % 17}\nto: ben\nsubject: Topic {n % 53} needs a look, number {n}\ndate: {date}\n"
        f"type: {['note', 'request', 'question', 'bug-report'][n % 4]}\npriority: {['normal', 'high', 'normal', 'low'][n % 4]}\n"
        f"status: {status}\n---\n\n{BODY}\n"
    )


def name(n, first=FIRST_DAY):
    return f"{day(n, first)}-topic-{n:06}.md"


def names_of(size, status, most):
    found = [name(n) for n in range(size) if STATUSES[n % 10] == status]
    return found[:: max(1, len(found) // most)][:most]


def project(work, label):
    """A folder that is a project of its own, and whether it is new."""
    folder = work / label
    done = folder / ".made"
    if done.exists():
        return folder, None
    shutil.rmtree(folder, ignore_errors=True)
    (folder / ".git").mkdir(parents=True)
    return folder, done


def empty(work):
    folder, done = project(work, "empty")
    if done:
        done.touch()
    return folder


def soma(work, size, archived=0):
    folder, done = project(work, f"soma-{size}-{archived}")
    if done:
        inbox = folder / ".soma/inbox"
        (inbox / "_archive").mkdir(parents=True)
        for n in range(size):
            (inbox / name(n)).write_text(letter(n, STATUSES[n % 10], day(n)))
        for n in range(archived):
            (inbox / "_archive" / name(n, LONG_AGO)).write_text(letter(n, "resolved", day(n, LONG_AGO)))
        done.touch()
    return folder


def handled(work, size):
    """Anew each time: messages that a sweep takes, every one."""
    shutil.rmtree(work / "handled", ignore_errors=True)
    folder, _ = project(work, "handled")
    inbox = folder / ".soma/inbox"
    (inbox / "_archive").mkdir(parents=True)
    for n in range(size):
        (inbox / name(n, LONG_AGO)).write_text(letter(n, "resolved", day(n, LONG_AGO)))
    return folder


def agents(work, size):
    """The `.agents` convention: whatever lies in `new/` is unread."""
    folder, done = project(work, f"agents-{size}")
    if done:
        for agent in ("ben", "ava"):
            for part in ("tmp", "new", "archive"):
                (folder / ".agents/inbox" / agent / part).mkdir(parents=True)
        for n in range(size):
            stamp = day(n).replace("-", "") + f"T{n % 24:02}{n % 60:02}00Z"
            (folder / ".agents/inbox/ben/new" / f"{stamp}-topic.{n:06}.md").write_text(letter(n, "unread", day(n)))
        done.touch()
    return folder


def agent_mail(work, size):
    """The inbox of `ben` as agent-mail (Rust) has it."""
    folder, done = project(work, f"agent-mail-{size}")
    if done:
        new = folder / "ben/inbox/new"
        for part in ("tmp", "new", "cur"):
            (folder / "ben/inbox" / part).mkdir(parents=True)
        digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
        for n in range(size):
            tail = "".join(digits[(n >> shift) & 31] for shift in (20, 15, 10, 5, 0))
            identity = f"01K6A0000000000000000{tail}"
            head = f"From: agent-{n % 17}\nTo: ben\nDate: {day(n)}T08:00:00Z\nMessage-ID: {identity}\nSubject: Topic {n}\n\n"
            (new / f"{identity}.md").write_text(head + BODY + "\n")
        done.touch()
    return folder


def maildir(work, size):
    folder, done = project(work, f"maildir-{size}")
    if done:
        for part in ("tmp", "new", "cur"):
            (folder / "mail" / part).mkdir(parents=True)
        for n in range(size):
            unread = STATUSES[n % 10] == "unread"
            text = (
                f"From: Agent {n % 17} <agent-{n % 17}@example.org>\nTo: Ben <ben@example.org>\nSubject: Topic {n}\n"
                f"Date: {datetime.date.fromisoformat(day(n)).strftime('%a, %d %b %Y')} 08:00:00 +0000\nMessage-ID: <{n}@example.org>\n\n{BODY}\n"
            )
            where = ("new", "") if unread else ("cur", ":2,S")
            (folder / "mail" / where[0] / f"1790000000.{n}.host{where[1]}").write_text(text)
        done.touch()
    return folder


def agent_mail_cli(work, size, make):
    """The database of agent-mail-cli (Python): `make` has it lay out its tables by a first message."""
    folder, done = project(work, f"agent-mail-cli-{size}")
    path = folder / "mail.db"
    if done:
        make(path)
        with sqlite3.connect(path) as base:
            rows = (
                (f"{n:08x}-0000-4000-8000-000000000000", f"work:agent-{n % 17}", "work:ben", f"Topic {n}", BODY, f"{day(n)}T08:00:00+00:00")
                for n in range(size)
            )
            base.executemany("INSERT INTO messages (id, sender, recipient, subject, body, created) VALUES (?, ?, ?, ?, ?, ?)", rows)
        done.touch()
    return path
