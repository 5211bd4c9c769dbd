"""The mailboxes that are measured: the same messages, once in each form that a contestant reads.

Every message is unread and has some 700 bytes, so that nobody gets by with a listing of names.
"""

import datetime
import json
import os
import pathlib
import socket
import sqlite3

BODY = "A line of ordinary length, as people and agents write it.\n" * 8
STEMS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TODAY = datetime.date.today()


def day(n):
    """The date of the message with that number: in the last nine days, so that none is stale."""
    return TODAY - datetime.timedelta(days=1 + n % 9)


def header(n, *lines):
    return "\n".join(["---", "from: ava", "to: ben", f'subject: "A subject of usual length, number {n}"', *lines, "---\n\n"])


def write_all(folder, count, name, text):
    """Writes messages; a folder that has them from an earlier run stays as it is."""
    done = folder.parent / f".{folder.name}-{count}-written"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(count):
        with open(folder / name(n), "w") as file:
            file.write(text(n))
    done.touch()


def soma(project, count, status="unread", folder=".soma/inbox"):
    """Markdown in `.soma/inbox`."""
    (project / ".git").mkdir(parents=True, exist_ok=True)

    def text(n):
        return header(n, f"date: {day(n)}", "type: note", "priority: normal", f"status: {status}", "tags: [build, ci]") + BODY

    write_all(project / folder, count, lambda n: f"{day(n)}-m{n:06}.md", text)
    return project


def old(project, count):
    """Handled mail of three weeks ago, for a sweep."""
    (project / ".git").mkdir(parents=True, exist_ok=True)
    then = TODAY - datetime.timedelta(days=21)

    def text(n):
        return header(n, f"date: {then}", "type: note", "priority: normal", "status: actioned", "tags: [build, ci]") + BODY

    write_all(project / ".soma/inbox", count, lambda n: f"{then}-m{n:06}.md", text)
    return project


def agents(project, count):
    """Markdown in `.agents/inbox/ben/new`."""
    (project / ".git").mkdir(parents=True, exist_ok=True)
    inbox = project / ".agents/inbox/ben"
    for folder in ("tmp", "archive"):
        (inbox / folder).mkdir(parents=True, exist_ok=True)
    stamp = lambda n: f"{day(n)}T09:00:00Z"
    name = lambda n: f"{day(n):%Y%m%d}T090000Z-note-{n:06}.md"
    write_all(inbox / "new", count, name, lambda n: header(n, f"timestamp: {stamp(n)}", "type: note") + BODY)
    return project


def team(project, count):
    """JSON in `.workspace/agents/ben/inbox`."""
    (project / ".git").mkdir(parents=True, exist_ok=True)

    def text(n):
        message = {
            "id": f"msg-{n:06}", "from": "ava", "to": "ben", "subject": f"A subject of usual length, number {n}",
            "timestamp": f"{day(n)}T09:00:00Z", "type": "note", "priority": "normal", "body": BODY,
        }
        return json.dumps(message, indent=2) + "\n"

    write_all(project / ".workspace/agents/ben/inbox", count, lambda n: f"msg-{day(n)}-090000-{n:06x}.json", text)
    return project


def maildir(root, count):
    """The Maildir of agent-mail, whose ids are 26 letters and digits."""
    inbox = root / "ben/inbox"
    for folder in ("cur", "tmp"):
        (inbox / folder).mkdir(parents=True, exist_ok=True)

    def stem(n):
        tail = "".join(STEMS[(n >> shift) & 31] for shift in (15, 10, 5, 0))
        return f"01M8QPRPHHYE3KRNB1ME5E{tail}"

    def text(n):
        return (
            f"From: ava\nTo: ben\nDate: {day(n)}T09:00:00Z\nMessage-ID: {stem(n)}\n"
            f"Subject: A subject of usual length, number {n}\n\n{BODY}"
        )

    write_all(inbox / "new", count, lambda n: f"{stem(n)}.md", text)
    return root


def mail(root, count):
    """Real e-mail, for an index of e-mail."""
    for folder in ("new", "tmp"):
        (root / folder).mkdir(parents=True, exist_ok=True)

    def text(n):
        return (
            f"From: ava@example.org\nTo: ben@example.org\nDate: {day(n):%a, %d %b %Y} 09:00:00 +0000\n"
            f"Message-ID: <{n}@example.org>\nSubject: A subject of usual length, number {n}\n\n{BODY}"
        )

    write_all(root / "cur", count, lambda n: f"{1700000000 + n}.m{n}.host:2,", text)
    return root


def database(path, count):
    """Rows in the database that agent-mail-cli has made."""
    with sqlite3.connect(path) as base:
        have = base.execute("SELECT count(*) FROM messages").fetchone()[0]
        rows = (
            (f"id-{n}", "work:ava", "work:ben", f"A subject of usual length, number {n}", BODY, f"{day(n)}T09:00:00+00:00")
            for n in range(have, count)
        )
        base.executemany("INSERT INTO messages (id, sender, recipient, subject, body, created) VALUES (?, ?, ?, ?, ?, ?)", rows)


def hub(path, count, sender, recipient):
    """Rows in the database of a running hub of the PyPI package agent-inbox."""
    to, document = json.dumps([recipient]), json.dumps({"audience": [recipient]})
    rows = (
        (f"{n:032x}", "Note", sender, to, f"A subject of usual length, number {n}", BODY, f"{day(n)}T09:00:00+00:00", document)
        for n in range(count)
    )
    with sqlite3.connect(path) as base:
        base.executemany(
            "INSERT INTO objects (id, object_type, attributed_to, to_names, summary, content, published, document)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )


def mcp_agent_mail(path, count):
    """Rows in the database of a running mcp_agent_mail: from its first agent to its second."""
    rows = (
        (n, f"A subject of usual length, number {n}", BODY, f"{day(n)} 09:00:00.000000") for n in range(1, count + 1)
    )
    with sqlite3.connect(path, timeout=60) as base:
        base.executemany(
            "INSERT INTO messages (id, project_id, sender_id, subject, body_md, importance, ack_required, created_ts, attachments)"
            " VALUES (?, 1, 1, ?, ?, 'normal', 0, ?, '[]')",
            rows,
        )
        to = ((n,) for n in range(1, count + 1))
        base.executemany("INSERT INTO message_recipients (message_id, agent_id, kind) VALUES (?, 2, 'to')", to)


def through_socket(path, count):
    """Messages sent to a running server of the npm package agent-inbox."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(os.fspath(path))
        answers = line.makefile("r")
        for n in range(count):
            payload = {"subject": f"A subject of usual length, number {n}", "text": BODY}
            line.sendall((json.dumps({"action": "send", "from": "ava", "to": "ben", "payload": payload}) + "\n").encode())
            answers.readline()


def fresh_copy(source, target):
    """Hard links would be split by nobody here: messages are moved, never written to."""
    target.mkdir(parents=True)
    for entry in os.scandir(source):
        if entry.is_file():
            os.link(entry.path, target / entry.name)
    return pathlib.Path(target)
