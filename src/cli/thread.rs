//! `thread`: a conversation as a tree.

use super::Run;
use super::args::ThreadArgs;
use super::out::{Out, Outcome};
use crate::ops::refs::Want;
use crate::ops::thread::Index;
use crate::render::table;
use crate::render::view::{self, Node};

pub fn run(run: &Run<'_>, args: &ThreadArgs, out: &mut Out) -> Outcome {
    let target = run.target(&args.reference, Want::Live)?;
    let conversation = Index::read(&run.session).conversation(&target.message.path, target.message.id.as_str());
    let nodes: Vec<_> = conversation
        .nodes
        .iter()
        .map(|n| Node { message: &n.message, parent_path: n.parent_path.as_deref(), depth: n.depth })
        .collect();
    if out.json {
        view::thread(out.data(), &nodes, &conversation.warnings)?;
    } else {
        let screen = run.screen();
        table::thread(out.data(), &nodes, &screen)?;
        super::say(out, &conversation.warnings);
    }
    Ok(out.unlooked(&conversation.unlooked))
}
