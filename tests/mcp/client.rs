//! A small client: one line out, one line in, and nothing but the protocol accepted.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::World;

/// How long an answer may take; generous, for slow machines.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server and the pipes to it.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    last: u64,
    /// What the server sent beside answers.
    pub aside: Vec<Value>,
}

impl Client {
    /// Starts the server in a world; nothing is said yet.
    pub fn start(world: &World, options: &[&str]) -> Self {
        let mut words = options.to_vec();
        words.push("mcp");
        let mut command = world.command(&words);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the server starts");
        let output = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.unwrap();
                let message: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("no JSON on stdout ({e}): {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, last: 0, aside: Vec::new() }
    }

    /// Starts the server and opens a session in the older way.
    pub fn open(world: &World) -> Self {
        Self::open_with(world, &[], json!({}))
    }

    /// The same with options of the command and capabilities of the client.
    pub fn open_with(world: &World, options: &[&str], capabilities: Value) -> Self {
        let mut client = Self::start(world, options);
        let info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info});
        let answer = client.request("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Sends a line as it is.
    pub fn raw(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.raw(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request and gives its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        self.raw(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).to_string());
        self.last
    }

    /// The next line from the server.
    pub fn next(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("the server says something")
    }

    /// Waits for something beside answers; what comes first stays in `aside`.
    pub fn hear(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.aside.iter().position(|m| m["method"] == method) {
                return self.aside.remove(at);
            }
            let message = self.next();
            self.aside.push(message);
        }
    }

    /// The answer to a request that was sent.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.aside.push(message);
        }
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool; gives its result, whether it is an error or not.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        answer.get("result").cloned().unwrap_or_else(|| panic!("{tool}: {answer}"))
    }

    /// Calls a tool that must do it; gives its document, and holds the text to it.
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "{tool}");
        text
    }

    /// Calls a tool that must refuse; gives what it says.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Ends the input; gives what was still said, and the exit status.
    pub fn end(mut self) -> (Vec<Value>, i32) {
        drop(self.input.take());
        let mut rest = std::mem::take(&mut self.aside);
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(message) => rest.push(message),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the server goes on without input"),
            }
        }
        (rest, self.child.wait().unwrap().code().unwrap_or(-1))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves no server behind.
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
