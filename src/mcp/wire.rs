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

use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

/// The longest line that is taken, in bytes: the largest body, escaped.
const LONGEST: usize = 48 << 20;

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

/// Standard input and output as the protocol's transport.
pub struct Pipe {
    lines: Receiver<Vec<u8>>,
    after: After,
    /// Whether the client asked for anything yet; what it sends before that has no meaning.
    began: bool,
    closed: Arc<Notify>,
    /// One line at a time.
    out: Arc<Mutex<()>>,
}

impl Pipe {
    /// Starts reading standard input; its end ends the server.
    pub fn open(after: After) -> Self {
        let (sender, lines) = channel(16);
        thread::spawn(move || read(&mut io::stdin().lock(), &sender));
        Self { lines, after, began: false, closed: Arc::default(), out: Arc::default() }
    }

    async fn line(&mut self) -> Option<Vec<u8>> {
        tokio::select! {
            line = self.lines.recv() => line,
            () = self.closed.notified() => None,
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
            let line = self.line().await?;
            match parse(&line) {
                Ok(message @ RxJsonRpcMessage::<RoleServer>::Request(_)) => {
                    self.began = true;
                    return Some(message);
                }
                Ok(message) if self.began => return Some(message),
                Ok(_) => log("a message before the first request was passed over"),
                Err((why, None)) => log(&format!("a line was passed over: {why}")),
                Err((why, Some(id))) => {
                    let error = ErrorData::invalid_request(why, None);
                    // On its own: this wait for a message may be given up for another at any time.
                    tokio::spawn(self.send(TxJsonRpcMessage::<RoleServer>::error(error, Some(id))));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One line as a message; else why it is none, and the request that waits for an answer, if any does.
fn parse(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, (String, Option<RequestId>)> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    serde_json::from_slice(line).map_err(|error| {
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            Err(error) => return (format!("it is no JSON: {error}"), None),
        };
        let asks = value.get("method").is_some();
        let id = value.get("id").filter(|_| asks).and_then(|id| serde_json::from_value(id.clone()).ok());
        (format!("it is no message of the protocol: {error}"), id)
    })
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

/// Hands over lines until the input ends. One that is too long is dropped, and that is said.
fn read(input: &mut impl BufRead, lines: &Sender<Vec<u8>>) {
    let mut line = Vec::new();
    let mut dropping = false;
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) => return,
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
            line = Vec::new();
        }
        if !ended {
            continue;
        }
        let whole = std::mem::take(&mut line);
        if !std::mem::take(&mut dropping) && !whole.trim_ascii().is_empty() && lines.blocking_send(whole).is_err() {
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
        input.extend(vec![b'x'; LONGEST + 10]);
        input.extend(b"\nlast\nunfinished");
        read(&mut input.as_slice(), &sender);
        drop(sender);
        assert_eq!(lines.blocking_recv().as_deref(), Some(&b"{\"a\":1}\n"[..]));
        assert_eq!(lines.blocking_recv().as_deref(), Some(&b"last\n"[..]));
        assert_eq!(lines.blocking_recv(), None);
    }

    #[test]
    fn what_is_no_message_is_told_from_what_waits_for_an_answer() {
        assert!(parse(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).is_ok());
        assert!(matches!(parse(b"nonsense"), Err((_, None))));
        assert!(matches!(parse(b"[1,2]"), Err((_, None))));
        assert!(matches!(parse(br#"{"id":7,"method":5}"#), Err((_, Some(_)))));
    }
}
