//! The pipe to the client: one JSON-RPC message a line on standard input and output, and nothing else
//! there. What a result promised for the time after it – marking messages read – happens here, once
//! its text was written, and never where the writing failed.
//!
//! The line end follows then: whoever has read the line finds the world as it says.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex as Guarded, PoisonError};
use std::thread;
use std::time::Duration;

use rmcp::model::RequestId;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::de::IgnoredAny;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::text::json::{mended, outer_member};

/// The longest line that is taken, in bytes: the largest body, escaped.
const LONGEST: usize = 48 << 20;

/// What is kept of a line that is too long, in bytes: where its id usually stands.
const HEAD: usize = 4 << 10;

/// How long the line end waits for what its line promised: a lock that somebody holds must not keep
/// the client from its result.
const PATIENCE: Duration = Duration::from_secs(1);

/// Something to do once a result was written.
pub type Then = Box<dyn FnOnce() + Send>;

/// What is to be done after results, by their requests; shared by the pipe and the calls.
#[derive(Clone, Default)]
pub struct After {
    waiting: Arc<Guarded<HashMap<RequestId, Then>>>,
    busy: Arc<Mutex<()>>,
}

impl After {
    /// Does something once the result of a request was written.
    pub fn result(&self, id: RequestId, then: Then) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, then);
    }

    /// Takes back what was to be done: the request was cancelled.
    pub fn forget(&self, id: &RequestId) -> Option<Then> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }

    /// Waits until everything that earlier results promised is done: a client that has a result, and
    /// calls again, sees the world as that result said.
    pub async fn settled(&self) {
        drop(self.busy.lock().await);
    }

    async fn begin(&self) -> OwnedMutexGuard<()> {
        self.busy.clone().lock_owned().await
    }
}

/// A line of the client's.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    /// The start of one that is too long.
    Cut(Vec<u8>),
}

/// What is done about a line that is no message of the protocol.
#[derive(Debug, PartialEq, Eq)]
enum NoMessage {
    /// Nobody waits for an answer.
    PassedOver(String),
    /// An error is the answer.
    Answered { id: String, code: i32, why: String },
}

/// Standard input and output as the protocol's transport.
pub struct Pipe {
    lines: Receiver<Line>,
    after: After,
    /// Whether the client asked for anything yet; what it sends before that has no meaning.
    began: bool,
    closed: Arc<Notify>,
    /// One line at a time.
    out: Arc<Mutex<()>>,
    /// Errors on their way to the client.
    answers: Vec<JoinHandle<()>>,
}

impl Pipe {
    /// Starts reading standard input; its end ends the server.
    pub fn open(after: After) -> Self {
        let (sender, lines) = channel(16);
        thread::spawn(move || read(&mut io::stdin().lock(), &sender));
        Self { lines, after, began: false, closed: Arc::default(), out: Arc::default(), answers: Vec::new() }
    }

    async fn line(&mut self) -> Option<Line> {
        tokio::select! {
            line = self.lines.recv() => line,
            () = self.closed.notified() => None,
        }
    }

    /// Answers with an error. `id` is JSON: ids are echoed that the protocol's own types can't hold.
    fn refuse(&mut self, id: &str, code: i32, why: &str) {
        let why = serde_json::Value::from(why);
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{why}}}}}\n");
        let (closed, out) = (self.closed.clone(), self.out.clone());
        self.answers.retain(|answer| !answer.is_finished());
        // On its own: the wait for a message may be given up for another at any time.
        self.answers.push(spawn_blocking(move || {
            let _line = out.blocking_lock();
            if let Err(error) = flushed(line.as_bytes()) {
                log(&format!("could not write to the client: {error}"));
                closed.notify_one();
            }
        }));
    }

    /// Waits until the errors are written: the end of the input must not keep an answer back. A client
    /// that does not read is not waited for.
    async fn answered(&mut self) {
        while let Some(answer) = self.answers.last_mut() {
            if timeout(PATIENCE, answer).await.is_err() {
                return;
            }
            self.answers.pop();
        }
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (after, closed, out) = (self.after.clone(), self.closed.clone(), self.out.clone());
        async move {
            let then =
                if let TxJsonRpcMessage::<RoleServer>::Response(response) = &message { after.forget(&response.id) } else { None };
            let _line = out.lock().await;
            let Some(then) = then else { return written(&closed, write(&message, b"\n")).await };
            // Held from before the first byte: who sees the result can't be faster than what it promised.
            let busy = after.begin().await;
            written(&closed, write(&message, b"")).await?;
            let mut doing = spawn_blocking(move || {
                then();
                drop(busy);
            });
            if let Ok(Err(_)) = timeout(PATIENCE, &mut doing).await {
                log("a fault inside kept messages from being marked");
            }
            written(&closed, spawn_blocking(|| flushed(b"\n"))).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(line) = self.line().await else {
                self.answered().await;
                return None;
            };
            match parse(&line) {
                Ok(message @ RxJsonRpcMessage::<RoleServer>::Request(_)) => {
                    self.began = true;
                    return Some(message);
                }
                Ok(message) if self.began => return Some(message),
                Ok(_) => log("a message before the first request was passed over"),
                Err(NoMessage::PassedOver(why)) => log(&format!("a line was passed over: {why}")),
                Err(NoMessage::Answered { id, code, why }) => self.refuse(&id, code, &why),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line as a message; else what is done about it. What another program wrote with a text cut inside a
/// character is read with U+FFFD in its place.
fn parse(line: &Line) -> Result<RxJsonRpcMessage<RoleServer>, NoMessage> {
    let line = match line {
        Line::Whole(line) => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
        Line::Cut(head) => {
            let head = String::from_utf8_lossy(head);
            return Err(match refused(&head, &format!("it is longer than {LONGEST} bytes")) {
                // Its id may stand behind what was kept.
                NoMessage::PassedOver(why) => NoMessage::Answered { id: "null".to_owned(), code: NO_MESSAGE, why },
                answered @ NoMessage::Answered { .. } => answered,
            });
        }
    };
    let is_one = |message: &RxJsonRpcMessage<RoleServer>, text: &str| {
        // A request whose id can't be taken passes for a notification.
        !matches!(message, RxJsonRpcMessage::<RoleServer>::Notification(_)) || outer_member(text, "id").is_none()
    };
    let text = String::from_utf8_lossy(line);
    let error = match serde_json::from_slice(line) {
        Ok(message) if is_one(&message, &text) => return Ok(message),
        Ok(_) => "its id is neither a text nor a whole number of 64 bits".to_owned(),
        Err(error) => error.to_string(),
    };
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(line) {
        return Err(NoMessage::Answered { id: "null".to_owned(), code: NO_JSON, why: format!("it is no JSON: {error}") });
    }
    let mended = mended(&text);
    match serde_json::from_str(&mended) {
        // An id that had to be mended would not be known again.
        Ok(message) if is_one(&message, &mended) && outer_member(&text, "id") == outer_member(&mended, "id") => Ok(message),
        _ => Err(refused(&text, &error)),
    }
}

/// JSON-RPC's code for what is no JSON.
const NO_JSON: i32 = -32700;
/// JSON-RPC's code for what is no message of the protocol.
const NO_MESSAGE: i32 = -32600;

/// What is done about JSON that is no message: only requests are answered, and what may have been one.
fn refused(text: &str, why: &str) -> NoMessage {
    let why = format!("it is no message of the protocol: {why}");
    let has = |key| outer_member(text, key).is_some();
    let id = outer_member(text, "id");
    let is_notification = has("method") && id.is_none();
    let is_answer = !has("method") && (has("result") || has("error"));
    if is_notification || is_answer {
        return NoMessage::PassedOver(why);
    }
    let id = id.filter(|id| id.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit()));
    NoMessage::Answered { id: id.unwrap_or("null").to_owned(), code: NO_MESSAGE, why }
}

/// Writes a message and what comes behind it.
fn write(message: &TxJsonRpcMessage<RoleServer>, end: &'static [u8]) -> JoinHandle<io::Result<()>> {
    let line = serde_json::to_vec(message).map_err(io::Error::from);
    spawn_blocking(move || {
        let mut line = line?;
        line.extend_from_slice(end);
        flushed(&line)
    })
}

fn flushed(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Waits for a write; one that failed ends the server, because there is nobody left to serve.
async fn written(closed: &Notify, writing: JoinHandle<io::Result<()>>) -> io::Result<()> {
    let done = writing.await.unwrap_or_else(|e| Err(io::Error::other(e)));
    if let Err(error) = &done {
        log(&format!("could not write to the client: {error}"));
        closed.notify_one();
    }
    done
}

/// Hands over lines until the input ends. Of one that is too long only the start is, and that is said.
fn read(input: &mut impl BufRead, lines: &Sender<Line>) {
    let mut line = Vec::new();
    let mut dropping = false;
    loop {
        let (used, ended) = match input.fill_buf() {
            // The end of the input ends its last line, too.
            Ok([]) if line.is_empty() => return,
            Ok([]) => (0, true),
            Ok(bytes) => {
                let end = bytes.iter().position(|b| *b == b'\n');
                let used = end.map_or(bytes.len(), |at| at + 1);
                if !dropping {
                    line.extend_from_slice(bytes.get(..used).unwrap_or_default());
                }
                (used, end.is_some())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return log(&format!("could not read from the client: {error}")),
        };
        input.consume(used);
        if line.len() > LONGEST && !dropping {
            log("a line that is too long was dropped");
            dropping = true;
            line.truncate(HEAD);
            line.shrink_to_fit();
        }
        if !ended {
            continue;
        }
        let whole = std::mem::take(&mut line);
        let cut = std::mem::take(&mut dropping);
        if !cut && whole.trim_ascii().is_empty() {
            continue;
        }
        if lines.blocking_send(if cut { Line::Cut(whole) } else { Line::Whole(whole) }).is_err() {
            return;
        }
    }
}

/// A line for whoever looks after the server: never on standard output.
pub fn log(text: &str) {
    use crate::text::neutral::{Target, field};
    let _ = writeln!(io::stderr().lock(), "postroom mcp: {}", field(text, Target::Terminal, 500).text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_handed_over_whole_and_bounded() {
        let (sender, mut lines) = channel(16);
        let mut input = b"{\"a\":1}\n\n  \r\n".to_vec();
        input.extend(br#"{"id":7,"method":"#);
        input.extend(vec![b'x'; LONGEST + 10]);
        input.extend(b"\nlast\nunfinished");
        read(&mut input.as_slice(), &sender);
        drop(sender);
        assert_eq!(lines.blocking_recv(), Some(Line::Whole(b"{\"a\":1}\n".to_vec())));
        let long = lines.blocking_recv().unwrap();
        assert!(matches!(&long, Line::Cut(head) if head.len() == HEAD));
        assert!(matches!(parse(&long), Err(NoMessage::Answered { id, code: NO_MESSAGE, .. }) if id == "7"));
        assert_eq!(lines.blocking_recv(), Some(Line::Whole(b"last\n".to_vec())));
        assert_eq!(lines.blocking_recv(), Some(Line::Whole(b"unfinished".to_vec())));
        assert_eq!(lines.blocking_recv(), None);
    }

    /// The id and the code of the error that a line is answered with; `Ok` for a message or silence.
    fn refusal(line: &[u8]) -> Result<bool, (String, i32)> {
        match parse(&Line::Whole(line.to_vec())) {
            Ok(_) => Ok(true),
            Err(NoMessage::PassedOver(_)) => Ok(false),
            Err(NoMessage::Answered { id, code, .. }) => Err((id, code)),
        }
    }

    #[test]
    fn what_is_no_message_is_told_from_what_waits_for_an_answer() {
        let deep = |n: usize| {
            let params = format!("{}{}", "{\"a\":".repeat(n), "1".to_owned() + &"}".repeat(n));
            format!("{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{params}}}")
        };
        for line in [
            &br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#[..],
            br#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"a","arguments":{"body":"cut \ud83d"}}}"#,
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":{\"body\":\"\xff\"}}}",
            br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ] {
            assert_eq!(refusal(line), Ok(true), "{}", String::from_utf8_lossy(line));
        }
        for line in [&br#"{"jsonrpc":"2.0","method":7}"#[..], br#"{"jsonrpc":"2.0","id":1,"error":5}"#] {
            assert_eq!(refusal(line), Ok(false), "{}", String::from_utf8_lossy(line));
        }
        for line in [&b"nonsense"[..], b"{", br#"{"id":1,"method":"ping""#, b"{\"id\":1,\xff}", b"{}{}", &[b'['].repeat(100_000)]
        {
            assert_eq!(refusal(line), Err(("null".to_owned(), NO_JSON)), "{}", line.len());
        }
        for (line, id) in [
            ("[1,2]", "null"),
            ("{}", "null"),
            ("5", "null"),
            (r#"{"id":7,"method":5}"#, "7"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "1.5"),
            (r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#, "18446744073709551616"),
            (r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping","params":{}}"#, "9223372036854775808"),
            (r#"{"jsonrpc":"2.0","id":-1e400,"method":"ping"}"#, "-1e400"),
            (r#"{"jsonrpc":"2.0","id":"\ud83d","method":"ping"}"#, r#""\ud83d""#),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, "null"),
            (r#"{"id":"x","method":"ping"}"#, r#""x""#),
            (&deep(5_000), "3"),
            (&deep(200_000), "3"),
        ] {
            assert_eq!(refusal(line.as_bytes()), Err((id.to_owned(), NO_MESSAGE)), "{}", line.get(..100).unwrap_or(line));
        }
    }
}
