//! placeholder
use std::borrow::Cow;
use std::io;
use std::path::Path;

use super::{Change, Context, Entry, Head, Layout, Listing, Need, Probe, Spot, Which};
use crate::model::inbox::{Capabilities, Inbox, LayoutId};
use crate::model::message::Message;
use crate::model::plan::{EditPlan, Refusal};

/// placeholder
pub struct Soma;

impl Layout for Soma {
    fn id(&self) -> LayoutId {
        LayoutId::Soma
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { mark: true, send: true, archive: true, why_not: "" }
    }
    fn probe(&self, _level: &Path) -> Probe {
        Probe::default()
    }
    fn recognise(&self, _path: &Path) -> Option<Spot> {
        None
    }
    fn list(&self, _inbox: &Inbox, _which: Which) -> io::Result<Listing> {
        Ok(Listing::default())
    }
    fn parse(&self, _: &Context<'_>, _: &Entry, _: Head<'_>, _: &mut Vec<Message>) -> Result<(), Need> {
        Ok(())
    }
    fn body<'a>(&self, _: &Message, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Borrowed(bytes)
    }
    fn plan(&self, _: &Context<'_>, _: &Change<'_>) -> Result<EditPlan, Refusal> {
        Err(Refusal::new("todo", "todo"))
    }
}
