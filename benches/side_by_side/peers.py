"""The programs that postroom is measured beside. Each is optional: what is not there is left out, and said.

Every peer gets the same number of messages, in its own form, and is asked what is unread, or to send one.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

import mailboxes

HERE = pathlib.Path(__file__).resolve().parent
# A client of the node server: connects, asks once, prints, ends. Stands for the hook of an agent.
ASK = """
const socket = require('net').connect(process.argv[1]);
let text = '';
socket.on('data', (piece) => { text += piece; if (text.endsWith('\\n')) { console.log(text); socket.destroy(); } });
socket.write(process.argv[2] + '\\n');
"""
# The server gets its messages one by one, and answers with all of them.
MOST_FOR_NODE = 10_000
# The script takes seconds for each thousand.
MOST_FOR_SCRIPT = 1_000


def install(folder):
    """Installs what the ordinary clients can, below `folder`; a failure leaves that peer out."""
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "python"
    steps = [
        ["cargo", "install", "--quiet", "agent-mail", "--root", folder / "cargo"],
        ["python3", "-m", "venv", python],
        [python / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "agent-mail-cli"],
        ["npm", "install", "--silent", "--prefix", folder / "node", "agent-inbox"],
    ]
    for step in steps:
        try:
            subprocess.run([str(word) for word in step], check=True, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"not installed: {' '.join(map(str, step))}: {error}")


class Peers:
    def __init__(self, folder, work):
        self.work, self.remarks, self.servers = work, [], []
        places = {
            "agent-mail": folder / "cargo/bin/agent-mail",
            "agent-mail-cli": folder / "python/bin/agent-mail",
            "agent-inbox": folder / "node/node_modules/.bin/agent-inbox",
        }
        places.update({name: pathlib.Path(shutil.which(name) or "/nowhere") for name in ("rg", "notmuch", "node", "bash")})
        self.found = {name: str(path) for name, path in places.items() if os.access(path, os.X_OK)}
        for name in places:
            if name not in self.found:
                self.remarks.append(f"{name} is not installed, so it is left out")
        # What is run a few times only.
        self.slow_checks = {"the `.agents` start-up script's steps"}
        self.slow_sends = {"agent-mail-cli (Python)", "agent-inbox (node, server running)"}

    def say(self):
        """Tells what was left out."""
        for remark in dict.fromkeys(self.remarks):
            print(f"- {remark}")

    def checks(self, bench, size):
        """The commands that tell what is unread among so many messages."""
        runs = {}
        if "rg" in self.found:
            inbox = mailboxes.soma(self.work, size) / ".soma/inbox"
            runs["`rg -l '^status: unread'`"] = ([self.found["rg"], "-l", "^status: unread", str(inbox)], self.work, None, None)
        if "agent-mail" in self.found:
            more = {"AGENT_MAIL_ROOT": str(mailboxes.agent_mail(self.work, size))}
            runs["agent-mail (Rust)"] = ([self.found["agent-mail"], "scan", "--to", "ben"], self.work, more, None)
        if "bash" in self.found and size <= MOST_FOR_SCRIPT:
            inbox = mailboxes.agents(self.work, size) / ".agents/inbox/ben"
            runs["the `.agents` start-up script's steps"] = ([str(HERE / "agents_startup.sh"), str(inbox)], self.work, None, None)
        if "agent-mail-cli" in self.found:
            path = mailboxes.agent_mail_cli(self.work, size, self.make_database)
            command = [self.found["agent-mail-cli"], "read", "work:ben", "--no-mark-read"]
            runs["agent-mail-cli (Python)"] = (command, self.work, {"AGENT_MAIL_DB": str(path)}, None)
        if "notmuch" in self.found:
            more = self.indexed(size)
            runs["notmuch count (an index)"] = ([self.found["notmuch"], "count", "tag:unread"], self.work, more, None)
        if {"agent-inbox", "node"} <= self.found.keys() and size <= MOST_FOR_NODE and (server := self.node_server(size)):
            question = json.dumps({"action": "check_inbox", "agentId": "ben", "unreadOnly": True})
            runs["agent-inbox (node, server running)"] = ([self.found["node"], "-e", ASK, server, question], self.work, None, None)
        return runs

    def sends(self, bench, body):
        """The commands that send one message."""
        runs = {}
        words = ["--to", "ben", "--from", "ava", "--subject", "Topic needs a look"]
        if "agent-mail" in self.found:
            more = {"AGENT_MAIL_ROOT": str(mailboxes.agent_mail(self.work, 0))}
            runs["agent-mail (Rust)"] = ([self.found["agent-mail"], "send", *words, "-m", body], self.work, more, None)
        if "agent-mail-cli" in self.found:
            path = mailboxes.agent_mail_cli(self.work, 0, self.make_database)
            words = ["--to", "work:ben", "--from", "work:ava", "--subject", "Topic needs a look", "--body", body]
            runs["agent-mail-cli (Python)"] = ([self.found["agent-mail-cli"], "send", *words], self.work, {"AGENT_MAIL_DB": str(path)}, None)
        if {"agent-inbox", "node"} <= self.found.keys() and (server := self.node_server(0)):
            command = [self.found["node"], "-e", ASK, server, json.dumps(letter_for_node(0, body))]
            runs["agent-inbox (node, server running)"] = (command, self.work, None, None)
        return runs

    def make_database(self, path):
        words = ["send", "--to", "work:ben", "--from", "work:ava", "--subject", "first", "--body", "x"]
        more = {**os.environ, "AGENT_MAIL_DB": str(path)}
        subprocess.run([self.found["agent-mail-cli"], *words], env=more, check=True, stdout=subprocess.DEVNULL)

    def indexed(self, size):
        folder = mailboxes.maildir(self.work, size)
        config = folder / "config"
        more = {"NOTMUCH_CONFIG": str(config), "HOME": str(self.work / "home"), "PATH": os.environ["PATH"]}
        if not config.exists():
            config.write_text(f"[database]\npath={folder / 'mail'}\n[new]\ntags=unread\n[search]\nexclude_tags=\n[maildir]\nsynchronize_flags=true\n[user]\nname=Ben\nprimary_email=ben@example.org\n")
            start = time.perf_counter()
            subprocess.run([self.found["notmuch"], "new", "--quiet"], env=more, check=True)
            took = time.perf_counter() - start
            if took > 1:
                self.remarks.append(f"notmuch took {took:.0f} s to index {size:,} messages before it could be asked")
        return {"NOTMUCH_CONFIG": str(config)}

    def node_server(self, size):
        """Starts the server with so many messages; gives its socket."""
        home = self.work / "node-home"
        shutil.rmtree(home, ignore_errors=True)
        path = home / ".claude/agent-inbox/inbox.sock"
        path.parent.mkdir(parents=True)
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "INBOX_SOCKET_PATH": str(path)}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        server = subprocess.Popen([self.found["agent-inbox"], "ipc"], env=environment, **quiet)
        self.servers.append(server)
        for _ in range(200):
            if path.exists() or server.poll() is not None:
                break
            time.sleep(0.05)
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(path))
                answers = line.makefile("r")
                for n in range(size):
                    line.sendall((json.dumps(letter_for_node(n, mailboxes.BODY)) + "\n").encode())
                    answers.readline()
        except OSError as error:
            self.remarks.append(f"the server of agent-inbox did not start ({error}), so it is left out")
            return None
        return str(path)

    def stop(self):
        """Ends the servers that were started."""
        for server in self.servers:
            server.terminate()
            server.wait()
        self.servers = []


def letter_for_node(n, body):
    return {"action": "send", "from": f"agent-{n % 17}", "to": "ben", "payload": {"type": "text", "text": f"Topic {n}\n{body}"}}
