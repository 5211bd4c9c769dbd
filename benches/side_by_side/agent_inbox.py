"""The smallest client of a running agent-inbox server (npm), to send with: one request, one answer."""

import json
import socket
import sys

request = {"action": "send", "from": "ava", "to": "ben", "payload": {"subject": "One more", "text": "A line."}}
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    line.sendall((json.dumps(request) + "\n").encode())
    answer = json.loads(line.makefile("r").readline())
if not answer.get("ok"):
    sys.exit(str(answer))
print(answer["messageId"])
