"""Who is measured: for each kind of work, the commands that do it. What is not installed is left out."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

import mailboxes
import servers
from measure import Contestant

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BODY = "A line of ordinary length, as people and agents write it."


class Place:
    """A folder that all takes place in, with a home folder of its own; and the programs that were found."""

    def __init__(self, folder, peers):
        self.folder, self.home = folder, folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.postroom, self.empty, self.limit = map(self.install, ("postroom", "examples/empty", "examples/limit"))
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        self.left_out = []
        self.servers = []
        self.agent_mail = self.find("agent-mail (Rust)", peers and peers / "cargo/bin/agent-mail", "`cargo install agent-mail`")
        self.agent_mail_cli = self.find(
            "agent-mail-cli (Python)", peers and peers / "python/bin/agent-mail", "PyPI `agent-mail-cli` in `PEERS/python`"
        )
        npm, self.node = peers and peers / "npm/node_modules", shutil.which("node")
        self.inbox_hook = npm and npm / "agent-inbox/hooks/inbox-hook.mjs"
        has_node = npm and self.node and self.inbox_hook.exists() and npm / ".bin/agent-inbox"
        self.agent_inbox = self.find("agent-inbox (node server)", has_node, "npm `agent-inbox` in `PEERS/npm`, and node")
        self.hub = self.find(
            "agent-inbox (Python hub)", peers and peers / "agent_inbox_hub/bin/agent-inbox", "PyPI `agent-inbox[clients]` in `PEERS/agent_inbox_hub`"
        )
        mcp = peers and peers / "mcp_agent_mail"
        has_mcp = mcp and any(mcp.glob("lib/python*/site-packages/mcp_agent_mail")) and shutil.which("curl")
        self.mcp_agent_mail = self.find(
            "mcp_agent_mail (Python server)", has_mcp and mcp / "bin/python", "PyPI `mcp-agent-mail` in `PEERS/mcp_agent_mail`, and curl"
        )
        self.left_out.append("mcp_agent_mail (Rust server; it is in no package registry)")
        self.rg = self.find("rg", shutil.which("rg"), "ripgrep")
        self.notmuch = self.find("notmuch", shutil.which("notmuch"), "notmuch")
        self.bash = self.find("bash", shutil.which("bash"), "bash")
        self.grep = shutil.which("grep")

    def install(self, program):
        """A copy of what was built, as an installation makes one: a file that a linker has just written lies in
        memory page by page, and is mapped more slowly than any program that was copied or read from the disk."""
        built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "release" / program
        return pathlib.Path(shutil.copy(built, self.folder))

    def find(self, name, path, how):
        """Where a program is, if it is installed."""
        if path and pathlib.Path(path).exists():
            return pathlib.Path(path)
        self.left_out.append(f"{name} (not installed: {how})")
        return None

    def project(self, name):
        """A folder below home."""
        return self.home / name

    def ours(self, name, words, project, **more):
        return Contestant(name, [self.postroom, *words], project, self.env, **more)


def start(place):
    """The least that a process costs, and ours."""
    project = place.project("nothing")
    (project / ".git").mkdir(parents=True, exist_ok=True)
    event = place.folder / "event.json"
    event.write_text('{"session_id":"s","hook_event_name":"SessionStart","source":"startup","cwd":"%s"}' % project)
    return [
        Contestant("an empty program", [place.empty], project, place.env),
        place.ours("postroom --version", ["--version"], project),
        place.ours("postroom hook, empty project", ["hook", "--host", "claude"], project, stdin=event),
        place.ours("postroom summary, empty project", ["summary"], project),
    ]


def reading(place, count, index, patient):
    """What is unread, among so many live messages."""
    servers.stop(place)
    soma = mailboxes.soma(place.project(f"soma-{count}"), count)
    agents = mailboxes.agents(place.project(f"agents-{count}"), count)
    team = mailboxes.team(place.project(f"json-{count}"), count)
    inbox = soma / ".soma/inbox"
    out = [
        Contestant("the limit: readdir, open, read 1 KiB, close", [place.limit, inbox], soma, place.env),
        Contestant("the same, shared by two threads", [place.limit, "--shared", inbox], soma, place.env),
        place.ours("postroom summary", ["summary"], soma),
        place.ours("postroom summary, layout agents", ["summary"], agents),
        place.ours("postroom summary, layout json", ["summary"], team),
    ]
    if place.agent_mail:
        root = mailboxes.maildir(place.folder / f"agent-mail-{count}", count)
        env = {**place.env, "AGENT_MAIL_ROOT": str(root)}
        out.append(Contestant("agent-mail scan (Rust)", [place.agent_mail, "scan", "--to", "ben"], soma, env))
    if place.rg:
        out.append(Contestant("rg -l '^status: unread'", [place.rg, "-l", "^status: unread", inbox], soma, place.env))
    out.append(Contestant("grep -rl '^status: unread'", [place.grep, "-rl", "^status: unread", inbox], soma, place.env))
    if place.bash:
        new = agents / ".agents/inbox/ben/new"
        count_only = [place.bash, "-c", f"ls '{new}' | grep -c '\\.md$'"]
        out.append(Contestant("ls and grep -c (a count only)", count_only, agents, place.env))
        if count <= (10_000 if patient else 1_000):
            steps = [place.bash, HERE / "agents_startup.sh", "ben"]
            out.append(Contestant("the steps of the `.agents` start-up script", steps, agents, place.env))
    if place.agent_mail_cli:
        env = {**place.env, "AGENT_MAIL_DB": str(place.folder / f"cli-{count}.db")}
        words = [place.agent_mail_cli, "read", "work:ben", "--no-mark-read", "--limit", "20"]
        subprocess.run([*words[:1], "send", *_letter("work:ava", "work:ben"), "--body", BODY], env=env, check=True, stdout=subprocess.DEVNULL)
        mailboxes.database(place.folder / f"cli-{count}.db", count)
        out.append(Contestant("agent-mail-cli read, 20 of them (Python)", words, soma, env))
    if place.agent_inbox:
        out += telling(place, count, inbox_hook(place, count, soma), b" new message(s)")
    if place.hub:
        # Its host's sessions have this variable, by which it knows for whom it asks.
        env = {**place.env, "CLAUDECODE": "1"}
        words = [place.hub, "wake-check", "--event", "SessionStart"]
        check = Contestant("agent-inbox wake-check (Python hub running)", words, servers.hub(place, count), env)
        out += telling(place, count, check, b" new: ")
    if place.mcp_agent_mail:
        out += mcp_agent_mail(place, count, soma)
    if place.notmuch and index:
        out.append(notmuch(place, count, soma))
    return out


def telling(place, count, contestant, words):
    """The contestant, if it tells of mail: hooks that give up say nothing, and call that success."""
    if contestant.tells(words):
        return [contestant]
    place.left_out.append(f"{contestant.name}, among {count:,}: it gave up and told nothing")
    return []


def inbox_hook(place, count, folder):
    """The hook that the npm package ships: it prints the file in which the server leaves mail, and empties it; so
    the file is put back each time. The server keeps no more than the latest 1,100 in there."""
    _, inboxes = servers.agent_inbox(place, count)
    filled = inboxes / "ben.inbox.jsonl"
    kept = filled.rename(inboxes / "kept")
    env = {**place.env, "INBOX_AGENT_ID": "ben", "INBOX_DIR": str(inboxes)}
    name = "agent-inbox inbox-hook, at most 1,100 of them (node)"
    return Contestant(name, [place.node, place.inbox_hook], folder, env, before=lambda _: shutil.copyfile(kept, filled))


def mcp_agent_mail(place, count, folder):
    """One request, which is the least that a check can be; and all that the hook does around it."""
    address, project, request = servers.mcp_agent_mail(place, count)
    headers = ["-H", "Content-Type: application/json", "-H", "Accept: application/json, text/event-stream"]
    words = [shutil.which("curl"), "-sS", "--fail", *headers, "-d", request, address]
    out = [Contestant("mcp_agent_mail fetch_inbox, 20 of them, by curl (Python server running)", words, folder, place.env)]
    if place.bash:
        # The hook starts `python3` by name. The system's own comes first: others can be scripts that look for an
        # interpreter, or load what somebody has installed, which would be counted as the hook's work.
        env = {**place.env, "PATH": f"{os.defpath}:{place.env['PATH']}"}
        last = place.folder / f"mcp-{count}" / "last-check"
        steps = [place.bash, HERE / "mcp_agent_mail_hook.sh", address, project, servers.MCP_AGENT, last]
        name = "the steps of mcp_agent_mail's hook, 10 of them (Python server running)"
        hook = Contestant(name, steps, folder, env, before=lambda _: last.write_text("0\n"))
        out += telling(place, count, hook, b"in your inbox")
    return out


def notmuch(place, count, folder):
    """An index of e-mail; how long it takes to build is told, and not counted."""
    mail = mailboxes.mail(place.folder / f"mail-{count}", count)
    config = place.folder / f"notmuch-{count}.config"
    config.write_text(
        f"[database]\npath={mail}\n[user]\nname=Ben\nprimary_email=ben@example.org\n[new]\ntags=unread\n[maildir]\nsynchronize_flags=false\n"
    )
    env = {**place.env, "NOTMUCH_CONFIG": str(config)}
    began = time.perf_counter()
    subprocess.run([place.notmuch, "new", "--quiet"], env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    built = time.perf_counter() - began
    words = [place.notmuch, "count", "tag:unread"]
    note = f"notmuch's index of {count:,} messages took {built:.0f} s to build"
    return Contestant("notmuch count tag:unread (an index)", words, folder, env, note=note)


def archives(place):
    """A hundred live messages, without an archive and beside a large one."""
    alone = mailboxes.soma(place.project("alone"), 100)
    beside = mailboxes.soma(place.project("beside"), 100)
    mailboxes.soma(beside, 100_000, status="resolved", folder=".soma/inbox/_archive")
    return [
        place.ours("100 live", ["summary"], alone),
        place.ours("100 live beside 100,000 archived", ["summary"], beside),
    ]


def marking(place):
    """One among 100,000; each turn another, made unread before."""
    project = mailboxes.soma(place.project("soma-100000"), 100_000)
    inbox = project / ".soma/inbox"

    def name(turn):
        return f"{mailboxes.day(turn)}-m{turn:06}"

    def unread(turn):
        path = inbox / f"{name(turn)}.md"
        path.write_text(path.read_text().replace("\nstatus: read\n", "\nstatus: unread\n"))

    by_path = lambda turn: [place.postroom, "mark", "read", f".soma/inbox/{name(turn)}.md"]
    by_id = lambda turn: [place.postroom, "mark", "read", name(turn)]
    replace = lambda turn: [place.limit, "--replace", inbox / f"{name(turn)}.md"]
    return [
        Contestant("the limit: readdir", [place.limit, "--names", inbox], project, place.env),
        Contestant("the limit: one file replaced and synced, and its folder", replace, project, place.env, before=unread),
        Contestant("postroom mark, by path", by_path, project, place.env, before=unread),
        Contestant("postroom mark, by id", by_id, project, place.env, before=unread),
    ]


def sweeping(place, count=10_000):
    """Handled mail of three weeks ago; each turn a fresh folder of it."""
    source = mailboxes.old(place.project("old"), count) / ".soma/inbox"

    def project(who, turn):
        return place.home / f"sweep-{who}-{turn}"

    def prepare(who):
        def before(turn):
            target = project(who, turn)
            (target / ".git").mkdir(parents=True)
            mailboxes.fresh_copy(source, target / ".soma/inbox")
            (target / ".soma/inbox/_archive").mkdir()
            os.sync()
        return before

    def limit(turn):
        inbox = project("limit", turn) / ".soma/inbox"
        return [place.limit, inbox, inbox / "_archive"]

    sweep = lambda turn: [place.postroom, "-C", project("postroom", turn), "sweep"]
    return [
        Contestant("the limit: read 1 KiB of each, rename each, sync", limit, place.home, place.env, before=prepare("limit")),
        Contestant("postroom sweep", sweep, place.home, place.env, before=prepare("postroom")),
    ]


def _letter(sender="ava", recipient="ben", turn=0):
    """The options of a letter: each has a subject of its own."""
    subject = f"A subject of usual length, number {turn}"
    return ["--from", sender, "--to", recipient, "--subject", subject]


def sending(place):
    """One letter, one process."""
    servers.stop(place)
    project = place.project("sending")
    for folder in (".git", ".agents/inbox/ben/new", ".agents/inbox/ben/tmp", ".agents/inbox/ben/archive", ".soma/inbox"):
        (project / folder).mkdir(parents=True, exist_ok=True)

    def ours(recipient):
        return lambda turn: [place.postroom, "send", *_letter("ava", recipient, turn), "--body", BODY]

    out = [
        Contestant("postroom send", ours("soma"), project, place.env),
        Contestant("postroom send, layout agents", ours("ben"), project, place.env),
    ]
    if place.agent_mail:
        env = {**place.env, "AGENT_MAIL_ROOT": str(place.folder / "agent-mail-sending")}
        words = lambda turn: [place.agent_mail, "send", *_letter(turn=turn), "-m", BODY]
        out.append(Contestant("agent-mail send (Rust, synced)", words, project, env))
    if place.bash:
        draft = (
            "d=$(mktemp .agents/inbox/ben/tmp/XXXXXX); printf -- '---\\nfrom: ava\\nto: ben\\ntimestamp: %s\\n---\\n\\n"
            + BODY + "\\n' \"$(date -u +%FT%TZ)\" >\"$d\"; mv \"$d\" .agents/inbox/ben/new/${d##*/}.md"
        )
        out.append(Contestant("bash: mktemp, date, mv (not synced)", [place.bash, "-c", draft], project, place.env))
    if place.agent_mail_cli:
        env = {**place.env, "AGENT_MAIL_DB": str(place.folder / "cli-sending.db")}
        words = lambda turn: [place.agent_mail_cli, "send", *_letter("work:ava", "work:ben", turn), "--body", BODY]
        out.append(Contestant("agent-mail-cli send (Python)", words, project, env))
    if place.agent_inbox:
        # Without what somebody has installed for this Python: it needs none of it.
        words = [sys.executable, "-I", "-S", HERE / "agent_inbox.py", servers.agent_inbox(place, 0)[0]]
        out.append(Contestant("agent-inbox send (node server running)", words, project, place.env))
    added = place.folder / "added"
    added.mkdir(exist_ok=True)
    out.append(Contestant("the limit: one file added and synced, and its folder", [place.limit, "--add", added], project, place.env))
    return out
