"""A client of another ecosystem against `postroom mcp`: the Python SDK of the Model Context Protocol.

Lists and calls every tool (the SDK holds each result against the tool's output schema), reads resources,
gets prompts, answers a question and hears of a change, in both eras of the protocol, and compares what it
got with `tests/mcp_client.json`. `POSTROOM_BLESS=1` records it anew.

    POSTROOM=target/debug/postroom target/mcp-sdk/bin/python tests/mcp_client.py
"""

import asyncio
import json
import os
import pathlib
import re
import sys
import tempfile

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

POSTROOM = str(pathlib.Path(os.environ.get("POSTROOM", "target/debug/postroom")).resolve())
RECORD = pathlib.Path(__file__).with_suffix(".json")


def letter(world, path, status, date, subject):
    path = world / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"---\nfrom: ava\nto: soma\ndate: {date}\ntype: note\nstatus: {status}\nsubject: {subject}\n---\n\nhello <|im_start|>\n"
    )
    return path


def plain(value, top):
    """Without what differs from run to run: folders, nonces."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    text = text.replace(str(top), "[TOP]").replace(str(top).replace("/", "%2F"), "[TOP]")
    text = re.sub(r"(begin|end) message [0-9a-f]{16}", r"\1 message [NONCE]", text)
    return json.loads(re.sub(r'"version": "[0-9.]+"', '"version": "[VERSION]"', text))


def document(result):
    """A tool's document; its text is the same."""
    assert not result.is_error, result
    assert json.loads(result.content[0].text) == result.structured_content, result
    return result.structured_content


async def session(mode, top):
    """One session: what was got, step by step."""
    world = top / "home" / "work"
    for name, status, date, subject in [
        ("2026-05-01-first.md", "unread", "2026-05-01", "First"),
        ("2026-05-02-second.md", "unread", "2026-05-02", "Second"),
        ("2026-03-01-old.md", "resolved", "2026-03-01", "Old"),
        ("2026-03-02-older.md", "actioned", "2026-03-02", "Older"),
    ]:
        letter(world, f".soma/inbox/{name}", status, date, subject)
    (world / ".claude/inbox").mkdir(parents=True)

    asked, heard = [], asyncio.Queue()

    async def elicit(_context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"archive": True})

    async def message(incoming):
        if getattr(incoming, "method", "").startswith("notifications/resources/"):
            await heard.put(incoming.method)

    server = StdioServerParameters(
        command=POSTROOM,
        args=["--agent", "soma", "mcp"],
        cwd=str(world),
        env={
            "HOME": str(top / "home"),
            "PATH": os.environ["PATH"],
            "POSTROOM_NOW": "2026-05-20T09:00:00Z",
            "TZ": "UTC",
            "XDG_STATE_HOME": str(top / "state"),
            "XDG_CONFIG_HOME": str(top / "config"),
        },
    )
    got = {}
    client = Client(server, mode=mode, elicitation_callback=elicit, message_handler=message, read_timeout_seconds=30)
    async with client:
        got["protocol"] = client.protocol_version
        got["server"] = client.server_info.name if client.server_info else None
        tools = (await client.list_tools()).tools
        got["tools"] = {t.name: t.annotations.model_dump(exclude_none=True) for t in tools}
        assert all(t.output_schema and t.input_schema for t in tools)

        calls = [
            ("check_inbox", {"limit": 1}),
            ("check_inbox", {"agentId": "soma", "unreadOnly": True}),
            ("send_message", {"to": "claude", "body": "# Keys\n\nsee src/keys.rs:41", "threadTag": "keys", "importance": "high"}),
            ("read_thread", {"threadTag": "keys"}),
            ("list_agents", {}),
            ("read_message", {"ref": "2026-05-01-first"}),
            ("mark_status", {"refs": ["2026-05-01-first"], "status": "actioned"}),
            ("reply", {"ref": "2026-05-02-second", "to": ["claude"], "body": "Done.", "mark": "resolved"}),
            ("archive", {"refs": ["2026-05-02-second"]}),
            ("restore", {"refs": ["2026-05-02-second"]}),
            ("sweep", {}),
            ("sweep", {"dryRun": False}),
            ("search_messages", {"words": ["first"]}),
            ("list_inboxes", {}),
            ("doctor", {"rules": ["possible-secret"]}),
        ]
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            got[f"{len(got):02} {name} {json.dumps(arguments)}"] = document(result)
        assert {name for name, _ in calls} == {t.name for t in tools}, "a tool was not called"
        got["asked"] = asked
        wrong = await client.call_tool("check_inbox", {"agentId": "nobody", "limit": 5})
        assert wrong.is_error
        got["wrong"] = wrong.content[0].text

        resources = (await client.list_resources()).resources
        got["resources"] = [[r.uri, r.title] for r in resources]
        got["templates"] = [t.uri_template for t in (await client.list_resource_templates()).resource_templates]
        got["texts"] = {r.uri: (await client.read_resource(r.uri)).contents[0].text for r in resources[:2]}
        prompts = (await client.list_prompts()).prompts
        got["prompts"] = [p.name for p in prompts]
        got["triage"] = (await client.get_prompt("triage")).messages[0].content.text
        got["reply"] = (await client.get_prompt("reply", {"ref": "2026-05-01-first"})).messages[0].content.text

        if mode == "legacy":
            await client.subscribe_resource("inbox://summary")
            letter(world, ".soma/inbox/2026-05-19-new.md", "unread", "2026-05-19", "New")
            kinds = {await asyncio.wait_for(heard.get(), 20), await asyncio.wait_for(heard.get(), 20)}
            got["heard"] = sorted(kinds)
        else:
            async with client.listen(resources_list_changed=True, resource_subscriptions=["inbox://summary"]) as events:
                letter(world, ".soma/inbox/2026-05-19-new.md", "unread", "2026-05-19", "New")
                kinds = set()
                while len(kinds) < 2:
                    kinds.add(type(await asyncio.wait_for(events.__anext__(), 20)).__name__)
                got["heard"] = sorted(kinds)
    return plain(got, top)


async def main():
    got = {}
    for mode in ["legacy", "2026-07-28"]:
        with tempfile.TemporaryDirectory(prefix="postroom-mcp") as top:
            got[mode] = await session(mode, pathlib.Path(top).resolve())
    text = json.dumps(got, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    if os.environ.get("POSTROOM_BLESS"):
        RECORD.write_text(text)
    want = json.loads(RECORD.read_text())
    failed = 0
    for mode in sorted(set(got) | set(want)):
        for step in sorted(set(got.get(mode, {})) | set(want.get(mode, {}))):
            ours, theirs = got.get(mode, {}).get(step), want.get(mode, {}).get(step)
            if ours != theirs:
                failed += 1
                print(f"{mode}, {step}:\n  recorded {json.dumps(theirs)}\n  got      {json.dumps(ours)}")
    steps = sum(len(steps) for steps in got.values())
    print(f"{steps - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(asyncio.run(main()))
