//! The options of the boot side: `summary`, `render`, `inject`, `hook`, `setup`, `unsetup`.

use std::path::PathBuf;

use clap::Args;

pub(super) const RENDER: &str = "\
Print a template of another tool with the inbox's slots filled; nothing else in it is touched.

Filled are {{inbox_summary}}, {{inbox_unread}} and {{inbox_open}}, the same written as <<inbox_summary>>, and sections: \
{{#inbox_summary}}…{{/inbox_summary}} stays where there is something to say. Every other byte passes through.";

/// What to fill.
#[derive(Debug, Clone, Args)]
pub struct RenderArgs {
    /// The template; `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Read the whole file as a Jinja template (see docs/templates.md)
    #[arg(long)]
    pub jinja: bool,
    /// Form and bounds of the summary.
    #[command(flatten)]
    pub form: SummaryArgs,
}

/// Which files.
#[derive(Debug, Clone, Args)]
pub struct InjectArgs {
    /// Markdown files; one that is missing is made
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Take the block out again
    #[arg(long)]
    pub remove: bool,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Form and bounds of the summary.
    #[command(flatten)]
    pub form: SummaryArgs,
}

/// Who calls.
#[derive(Debug, Clone, Args)]
pub struct HookArgs {
    /// The host: claude, codex, gemini, cursor, opencode, or plain for text
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// The event, where the host does not name it itself
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,
}

/// Where to register.
#[derive(Debug, Clone, Args)]
pub struct SetupArgs {
    /// claude, codex, gemini, cursor, opencode or soma
    #[arg(value_name = "HOST")]
    pub host: Option<String>,
    /// The MCP server (`postroom mcp`) instead of the hook
    #[arg(long, requires = "host")]
    pub mcp: bool,
    /// In the project's settings
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// In your own settings, for every project (the default)
    #[arg(long)]
    pub user: bool,
    /// Print what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}

/// Form and bounds of a summary.
#[derive(Debug, Clone, Args)]
pub struct SummaryArgs {
    /// The form: default, soma, brief, text, or a template of your own
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// At most this many messages [default: 10]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// At most this many characters, 100 or more [default: 8000]
    #[arg(long, value_name = "N", value_parser = most_chars)]
    pub max_chars: Option<usize>,
}

/// A shorter summary could say nothing, and would look like no mail.
fn most_chars(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n >= 100).ok_or_else(|| "it is no number of 100 or more".to_owned())
}
