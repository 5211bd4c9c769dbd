//! Lists what is unread around a folder, with the library alone:
//! `cargo run --example unread -- examples/workspace/webapp`

use std::path::PathBuf;

use postroom::config::Config;
use postroom::layout::{Dialect, Which};
use postroom::model::date::Clock;
use postroom::model::status::Status;
use postroom::store::discover::{Ground, Start, discover};
use postroom::store::scan::Scan;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).map_or_else(std::env::current_dir, |dir| PathBuf::from(dir).canonicalize())?;
    let ground = Ground::survey(&dir, None)?;
    let config = Config::default();
    let found = discover(&Start { ground: &ground, config: &config, agent_inbox_root: None, teams: false, named: &[] });
    let clock = Clock::utc(chrono::Utc::now());
    for inbox in &found.inboxes {
        let scan = Scan { inbox, dialect: &Dialect::default(), clock: &clock, stamps: false };
        let problems = scan.each(&[Which::Live], &mut |message| {
            if message.status == Status::Unread {
                println!("{}  {}  {}", message.full_ref(), message.shown.date, message.shown.subject);
            }
        });
        for (path, error) in problems {
            eprintln!("could not look into {}: {error}", path.display());
        }
    }
    Ok(())
}
