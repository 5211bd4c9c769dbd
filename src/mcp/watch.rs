//! Tells clients of changes: looks at the inboxes now and then, while somebody wants to know, and
//! says which resources are not what they were.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::resources::{self, SUMMARY};
use crate::front::run::Run;
use crate::front::start::Standpoint;
use crate::ops::find::{self, Query};

/// The shortest pause between two looks while somebody subscribed to something.
const SHORTEST: Duration = Duration::from_secs(1);
/// The shortest one while a client is only told of new and vanished messages, whether it cares or not.
const IDLE: Duration = Duration::from_secs(5);
/// The longest one.
const LONGEST: Duration = Duration::from_mins(1);
/// The pause is at least this many times what a look takes, so that a large inbox costs no more than
/// two hundredths of a processor.
const RATIO: u32 = 50;

/// Every live message by its resource, and what it looked like.
type Look = BTreeMap<String, String>;

#[derive(Default)]
struct Wanted {
    /// A client of the older protocol: it hears of new and vanished messages, and of what it subscribed to.
    peer: Option<Peer<RoleServer>>,
    uris: BTreeSet<String>,
    /// Open subscriptions of the newer one.
    sinks: Vec<SubscriptionSink>,
    running: bool,
}

impl Wanted {
    fn is_listening(&self) -> bool {
        !self.uris.is_empty() || !self.sinks.is_empty()
    }
}

/// Who wants to know what.
#[derive(Clone)]
pub struct Watch {
    standpoint: Standpoint,
    wanted: Arc<Mutex<Wanted>>,
    /// Ends a pause: somebody wants to know more than before.
    wake: Arc<Notify>,
}

impl Watch {
    /// Watches nothing yet.
    pub fn new(standpoint: Standpoint) -> Self {
        Self { standpoint, wanted: Arc::default(), wake: Arc::default() }
    }

    fn wanted(&self) -> std::sync::MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client of the older protocol is there.
    pub async fn client(&self, peer: Peer<RoleServer>) {
        self.wanted().peer = Some(peer);
        let standpoint = self.standpoint.clone();
        let first = spawn_blocking(move || look(&standpoint)).await.unwrap_or_default();
        self.begin(first);
    }

    /// It wants to hear of a resource.
    pub fn subscribe(&self, uri: String, peer: Peer<RoleServer>) {
        let mut wanted = self.wanted();
        wanted.uris.insert(uri);
        wanted.peer.get_or_insert(peer);
        drop(wanted);
        // Before the answer is sent: what changes after it is heard of.
        let first = look(&self.standpoint);
        self.begin(first);
        self.wake.notify_one();
    }

    /// It does not any more.
    pub fn unsubscribe(&self, uri: &str) {
        self.wanted().uris.remove(uri);
    }

    /// What of a subscription of the newer protocol can be kept. From here on changes are noticed.
    pub fn accept(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let first = look(&self.standpoint);
        self.begin(first);
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = requested
            .resource_subscriptions
            .as_ref()
            .map(|all| all.iter().filter(|u| u.starts_with("inbox://")).cloned().collect());
        accepted
    }

    /// Keeps a subscription of the newer protocol.
    pub fn listen(&self, sink: SubscriptionSink) {
        self.wanted().sinks.push(sink);
        self.wake.notify_one();
    }

    /// Drops one.
    pub fn leave(&self, sink: &SubscriptionSink) {
        self.wanted().sinks.retain(|s| s.id() != sink.id());
    }

    /// Starts looking, unless that goes on already.
    fn begin(&self, first: Option<Look>) {
        if std::mem::replace(&mut self.wanted().running, true) {
            return;
        }
        let watch = self.clone();
        tokio::spawn(async move { watch.run(first).await });
    }

    async fn run(self, first: Option<Look>) {
        let mut before = first;
        let mut pause = IDLE;
        loop {
            tokio::select! {
                () = sleep(pause) => {}
                () = self.wake.notified() => {}
            }
            let standpoint = self.standpoint.clone();
            let begun = Instant::now();
            let Ok(now) = spawn_blocking(move || look(&standpoint)).await else { continue };
            let shortest = if self.wanted().is_listening() { SHORTEST } else { IDLE };
            pause = (begun.elapsed() * RATIO).clamp(shortest, LONGEST);
            // What can't be looked at now is no news: the last look stands.
            let Some(now) = now else { continue };
            if let Some(before) = before.replace(now.clone())
                && before != now
            {
                self.tell(&before, &now).await;
            }
        }
    }

    async fn tell(&self, before: &Look, now: &Look) {
        let mut changed: BTreeSet<&str> =
            before.keys().chain(now.keys()).filter(|uri| before.get(*uri) != now.get(*uri)).map(String::as_str).collect();
        changed.insert(SUMMARY);
        let listed = before.len() != now.len() || before.keys().any(|uri| !now.contains_key(uri));
        let (peer, uris, sinks) = {
            let wanted = self.wanted();
            (wanted.peer.clone(), wanted.uris.clone(), wanted.sinks.clone())
        };
        // A client that can't be told has gone; the end of its input ends the server.
        if let Some(peer) = peer {
            if listed {
                let _ = peer.notify_resource_list_changed().await;
            }
            for uri in changed.iter().filter(|uri| uris.contains(**uri)) {
                let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(*uri)).await;
            }
        }
        for sink in sinks {
            if listed {
                let _ = sink.notify_resource_list_changed().await;
            }
            let theirs = sink.accepted().resource_subscriptions.clone().unwrap_or_default();
            for uri in theirs.iter().filter(|uri| changed.contains(uri.as_str())) {
                let _ = sink.notify_resource_updated(uri.as_str()).await;
            }
        }
    }
}

/// The live messages as they are now; `None` where the world can't be looked at.
fn look(standpoint: &Standpoint) -> Option<Look> {
    let run = Run::new(standpoint.clone()).ok()?;
    let query = Query { stamps: true, ..Query::default() };
    let mut out = Look::new();
    let unlooked = find::each(&run.session, &run.inboxes(), &query, &mut |_, message| {
        let (uri, print) = resources::print(&message);
        out.insert(uri, print);
    });
    unlooked.is_empty().then_some(out)
}
