"""The smallest client of a running agent-inbox server (npm): one request, one answer."""

import json
import socket
import sys

path, action = sys.argv[1:3]
request = {"action": "check_inbox", "agentId": "ben", "unreadOnly": True}
if action == "send":
    request = {"action": "send", "from": "ava", "to": "ben", "payload": {"subject": "One more", "text": "A line."}}
with socket.socket(socket.AF_UNIX) as line:
    line.connect(path)
    line.sendall((json.dumps(request) + "\n").encode())
    answer = json.loads(line.makefile("r").readline())
if not answer.get("ok"):
    sys.exit(str(answer))
print(len(answer.get("messages", [])))
