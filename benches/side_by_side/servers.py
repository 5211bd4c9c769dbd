"""Servers of other tools: each started with so many messages for one agent, and stopped by its handle."""

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.request

import mailboxes

PATIENCE = 300  # tenths of a second that a server may take to start
MCP_AGENT = "BlueLake"


def start(place, words, env, is_up):
    """Starts a server, and waits until it answers."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(words, env={**place.env, **env}, cwd=place.folder, **quiet)
    place.servers.append(server)
    for _ in range(PATIENCE):
        if server.poll() is not None:
            raise SystemExit(f"{words[0]} ended at once, with {server.returncode}")
        if is_up():
            return
        time.sleep(0.1)
    raise SystemExit(f"{words[0]} does not answer")


def stop(place):
    """Ends the servers that were started."""
    while place.servers:
        server = place.servers.pop()
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def agent_inbox(place, count):
    """The npm package agent-inbox; its socket, and the folder where it leaves mail for the hook that it ships."""
    home = _fresh(place.folder / f"inbox-{count}")
    path = home / "inbox.sock"
    env = {"HOME": str(home), "INBOX_SOCKET_PATH": str(path), "INBOX_SQLITE_PATH": str(home / "inbox.db")}
    start(place, [place.agent_inbox, "ipc"], env, path.exists)
    mailboxes.through_socket(path, count)
    return path, home / ".claude/agent-inbox/inboxes"


def hub(place, count):
    """The PyPI package agent-inbox; the folder of the agent whose mail it is."""
    port, base = _free_port(), _fresh(place.folder / f"hub-{count}") / "hub.db"
    env = {
        "AGENT_INBOX_DB": str(base), "AGENT_INBOX_HOST": "127.0.0.1", "AGENT_INBOX_PORT": str(port),
        "AGENT_INBOX_PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    start(place, [place.hub, "serve"], env, lambda: _listens(port))
    names = []
    for who in ("ava", "ben"):
        folder = _fresh(place.project(f"hub-{count}-{who}"))
        (folder / ".git").mkdir()
        join = [place.hub, "--engine", "claude", "join", "--hub", f"http://127.0.0.1:{port}"]
        done = subprocess.run(join, cwd=folder, env=place.env, check=True, capture_output=True, text=True)
        names.append(json.loads(done.stdout)["name"])
    mailboxes.hub(base, count, *names)
    return folder


def mcp_agent_mail(place, count):
    """The PyPI package mcp-agent-mail; its address, the project, and the request that asks it for mail."""
    port, folder = _free_port(), _fresh(place.folder / f"mcp-{count}")
    base = folder / "mail.db"
    env = {
        "DATABASE_URL": f"sqlite+aiosqlite:///{base}", "STORAGE_ROOT": str(folder / "archive"),
        # It asks nobody outside for anything, and logs nothing.
        "LLM_ENABLED": "false", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "TOOLS_LOG_ENABLED": "false", "LOG_RICH_ENABLED": "false",
    }
    serve = ["-m", "mcp_agent_mail.cli", "serve-http", "--host", "127.0.0.1", "--port", str(port)]
    start(place, [place.mcp_agent_mail, *serve], env, lambda: _listens(port))
    address, project = f"http://127.0.0.1:{port}/mcp/", str(place.project(f"mcp-{count}"))
    _call(address, "ensure_project", human_key=project)
    for name in ("GreenCastle", MCP_AGENT):
        _call(address, "register_agent", project_key=project, program="bench", model="none", name=name)
    mailboxes.mcp_agent_mail(base, count)
    return address, project, _request("fetch_inbox", project_key=project, agent_name=MCP_AGENT, limit=20)


def _fresh(folder):
    """An empty folder: mail that an earlier run left there would be counted twice."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _request(tool, **arguments):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return json.dumps(call)


def _call(address, tool, **arguments):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, _request(tool, **arguments).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read().decode()
    if re.search(r'"isError":\s*true', text):
        raise SystemExit(text)


def _free_port():
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]


def _listens(port):
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0
