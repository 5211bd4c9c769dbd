//! The one table of rules: what `doctor` looks for, how bad it is, why, and what to do about it.
//! `docs/doctor.md` is made of it, and a test holds that every rule is found in a planted mailbox.

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Mail is lost, hidden from its reader or can't be handled, or it must not stay as it is.
    Error,
    /// Something goes wrong quietly, or soon will.
    Warning,
    /// It could be better.
    Note,
}

impl Severity {
    /// The word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, for people and programs; it never changes its meaning.
    pub id: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// What was found, in a few words.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
    /// Whether `--fix` can mend it, at least where that is safe.
    pub fixable: bool,
}

/// The rule of a name.
pub fn named(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

macro_rules! rules {
    (@ mends) => { true };
    (@ byhand) => { false };
    ($($name:ident = $id:literal $severity:ident $fixable:ident: $title:literal, why $why:literal, fix $fix:literal;)*) => {
        $(#[doc = $title] pub static $name: Rule = Rule {
            id: $id,
            severity: Severity::$severity,
            title: $title,
            why: $why,
            fix: $fix,
            fixable: rules!(@ $fixable),
        };)*
        /// Every rule, in the order of the documentation.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

// `mends`: `--fix` can do it; `byhand`: a person has to.
rules! {
    HEADER_UNREADABLE = "header-unreadable" Error byhand: "a header that can't be read",
        why "the message is listed by its file name only, and can't be marked or swept",
        fix "put a header between two `---` lines at the top of the file";
    FILE_UNREADABLE = "file-unreadable" Error byhand: "a message file that can't be read",
        why "nobody knows what it says; it is listed by its name and never moved",
        fix "give its reader the right to read it, or take away what is no file";
    LINK_TRAP = "link-trap" Error byhand: "a link that is not followed",
        why "it leads nowhere, in a circle or out of the project, so its message is never opened",
        fix "replace the link with the message itself";
    CONFLICT_MARKERS = "conflict-markers" Error byhand: "marks of a half-done merge in a header",
        why "nobody can tell which side holds, so the message can't be marked",
        fix "finish the merge";
    SEVERAL_MESSAGES = "several-messages" Error byhand: "several messages in one file",
        why "only the first header is read, and the file can't be marked: the others have no status of their own",
        fix "put each message into a file of its own";
    HEADER_FAULTY = "header-faulty" Warning byhand: "a header that strict readers refuse",
        why "postroom reads it all the same, but other tools may lose every field of it",
        fix "correct the line: put quotes around values with `: ` or ` #`, keep one `key: value` a line";
    HIDDEN_CHARACTERS = "hidden-characters" Warning byhand: "characters that people don't see in a header",
        why "a model reads what a person can't; postroom leaves them out of everything it shows",
        fix "ask the sender why, and write the value again";
    MESSAGE_ODD = "message-odd" Warning byhand: "something else that is odd about a message",
        why "see the text",
        fix "see the text";

    STATUS_MISSING = "status-missing" Warning mends: "no status line",
        why "it counts as unread, and its first mark has to add a line",
        fix "add `status: unread`";
    STATUS_EMPTY = "status-empty" Warning mends: "a status line without a word",
        why "postroom counts it as unread, Soma never shows it",
        fix "write `status: unread`";
    STATUS_FAULTY = "status-faulty" Error byhand: "a status that is no single word",
        why "it counts as unread whatever was meant, and can't be marked",
        fix "keep one line `status: word`";
    STATUS_UNKNOWN = "status-unknown" Warning byhand: "a status word that nobody knows",
        why "it counts as unread whatever was meant",
        fix "mark it, or say what the word means under [status-words] in the configuration";

    KEY_MISSING = "key-missing" Warning byhand: "keys of the convention are missing",
        why "readers have to guess who wrote, when and about what",
        fix "add the keys: from, date, type, subject";
    TYPE_UNKNOWN = "type-unknown" Note byhand: "a type outside the convention",
        why "filters and sweeps by type pass it over",
        fix "use one of: bug-report, review, request, fyi, reply, note";
    PRIORITY_UNKNOWN = "priority-unknown" Warning byhand: "a priority that nobody knows",
        why "it counts as normal whatever was meant",
        fix "use one of: low, normal, high, urgent";
    DATE_UNREADABLE = "date-unreadable" Warning byhand: "a date that can't be understood",
        why "the message sorts by its file name, if at all, and may never be old enough for a sweep",
        fix "write `date: YYYY-MM-DD`";
    DATE_IN_FUTURE = "date-in-future" Warning byhand: "a date that lies ahead",
        why "the clock of its sender is wrong, or the date is: it sorts last and is never old",
        fix "correct the date";

    NAME_UNCONVENTIONAL = "name-unconventional" Note byhand: "a file name outside the convention",
        why "a folder of such names doesn't sort by date, and says less at a glance",
        fix "name it YYYY-MM-DD-topic-subject.md; replies that name the file have to follow";
    NAME_DATE_DIFFERS = "name-date-differs" Warning byhand: "a file name and a header with different dates",
        why "tools that go by the one and tools that go by the other disagree on its age",
        fix "make the two agree";
    NAMES_MEET = "names-meet" Warning byhand: "names that are one name on some disks",
        why "on a disk that is blind to letter case or composes letters, one message replaces the other",
        fix "rename one of them";

    SOMA_COMMENT = "soma-comment" Error mends: "a comment on the status line",
        why "Soma takes the comment for part of the status, and never shows the message as unread",
        fix "put the comment on a line of its own";
    SOMA_LINE_ENDS = "soma-line-ends" Error mends: "line ends of Windows (CRLF) in the header",
        why "Soma can't read such a header: to it the message stays unread for ever",
        fix "write the file with LF line ends";
    SOMA_BOM = "soma-bom" Error mends: "a byte order mark before the header",
        why "Soma can't read such a header: to it the message stays unread for ever",
        fix "save the file as UTF-8 without a mark";
    SOMA_BLANK_LINES = "soma-blank-lines" Error mends: "blank lines before the header",
        why "Soma can't read such a header: to it the message stays unread for ever",
        fix "take the blank lines away";
    SOMA_HIDES = "soma-hides" Error mends: "an unread message that Soma doesn't show",
        why "to Soma, unread is exactly `status: unread` in a file whose name ends in `.md`",
        fix "write `status: unread`; give the file a name that ends in `.md`";
    SOMA_SHOWS = "soma-shows" Warning byhand: "a message that Soma takes for unread",
        why "Soma reads less than postroom: keys in small letters, between two plain `---` lines from the first byte on",
        fix "write the header that way";
    SOMA_READS = "soma-reads" Note byhand: "a value that Soma shows otherwise",
        why "Soma takes what stands behind the colon, but for one pair of quotes: comments stay, escapes are not undone",
        fix "write the value without comments and escapes, under the convention's own key";
    SOMA_MARKER = "soma-marker" Error byhand: "a `.soma` without a marker file",
        why "Soma takes no notice of a `.soma` folder without one of STATE.md, SOMA.md, identity.md, amps, memory, protocols, settings.json",
        fix "run Soma's own set-up there, or make an empty STATE.md in the folder";
    SOMA_JSON = "soma-json" Error byhand: "JSON in a Soma inbox",
        why "Soma's router takes every *.json there for a signal of its own and deletes it",
        fix "move the file elsewhere";

    REPLY_BROKEN = "reply-broken" Warning byhand: "a reply to a message that nobody knows",
        why "the conversation breaks off there",
        fix "name the parent by its path from the project's folder, or by its id";
    REPLY_AMBIGUOUS = "reply-ambiguous" Warning byhand: "a reply to one of several messages",
        why "no parent is chosen, so the conversation breaks off there",
        fix "name the parent by its path from the project's folder";
    REPLY_ESCAPES = "reply-escapes" Error byhand: "a reply that points out of the inboxes",
        why "such a reference may be bait for tools that open what it names; postroom never does",
        fix "name a message, or take the reference away";
    THREAD_CYCLE = "thread-cycle" Warning byhand: "answers that run in a circle",
        why "a conversation needs a start; postroom cuts the circle at one of them",
        fix "correct one of the references";

    DUPLICATE_MESSAGE = "duplicate-message" Warning byhand: "a message that is there twice",
        why "it is read, answered and handled twice",
        fix "archive one of them";
    DUPLICATE_ID = "duplicate-id" Warning byhand: "an id that several messages bear",
        why "replies to it, and commands that name it, fit several messages",
        fix "give one of them another id";

    SEVERAL_TOPICS = "several-topics" Note byhand: "a subject that bundles topics",
        why "it can be closed only when all of them are done",
        fix "send one message for each";
    NOVEL = "novel" Note byhand: "a message that is a document",
        why "a reader pays for every line of it in each session that opens it",
        fix "put the text into a file of the project, and its path into the message";
    NO_FILE_REFERENCE = "no-file-reference" Note byhand: "a bug report that doesn't say where",
        why "its reader has to search for the place first",
        fix "name the file, such as `src/keys.rs:41`";
    POSSIBLE_SECRET = "possible-secret" Error byhand: "what looks like a secret",
        why "mail is plain text that models read and repositories keep",
        fix "revoke the secret, then take it out of the message";

    STALE_UNREAD = "stale-unread" Warning byhand: "mail that nobody has read for two weeks",
        why "either nobody reads this inbox, or nobody needs the message",
        fix "read it; `postroom archive --force --note WHY` puts it away unread";
    STALE_OPEN = "stale-open" Note byhand: "mail that was read two weeks ago and is still open",
        why "its sender is still waiting, or nobody closed it",
        fix "mark it actioned or resolved; `postroom sweep` archives what is handled";
    ARCHIVED_UNREAD = "archived-unread" Warning byhand: "an archived message that nobody has read",
        why "no list and no summary shows it any more",
        fix "bring it back with `postroom restore`, and read it";

    INBOX_UNREADABLE = "inbox-unreadable" Error byhand: "a place that can't be looked into",
        why "there may be mail that nobody sees",
        fix "give its reader the right to read it, or mend the link";
    PLACE_ODD = "place-odd" Warning byhand: "a place that is named and can't be used",
        why "what the configuration, the environment or git says of it leads nowhere",
        fix "correct what names it";
    INBOX_NOT_WRITABLE = "inbox-not-writable" Error byhand: "an inbox that can't be written",
        why "its messages can be read, but not marked, archived or answered here",
        fix "give its reader the right to write the folder";
    INBOX_OPEN_TO_ALL = "inbox-open-to-all" Warning byhand: "an inbox that anybody may write",
        why "every user of this machine can plant or replace messages that agents act on",
        fix "take the right away: chmod o-w";
    INBOX_IGNORED = "inbox-ignored" Note byhand: "an inbox that git ignores",
        why "its messages stay on this machine, and are gone with it; that may be what you want",
        fix "if they should be shared, take the pattern out of the .gitignore that has it";
    HOOK_BROKEN = "hook-broken" Error byhand: "a hook that calls a program which is gone",
        why "the host says nothing, and its agents are told of no mail",
        fix "`postroom setup HOST` registers the program that is there now";
    HOOK_INCOMPLETE = "hook-incomplete" Warning byhand: "a hook that is switched off, or registered in part",
        why "agents of the host are told of some mail only, or of none",
        fix "`postroom setup HOST` completes it; what the settings switch off has to be switched on by hand";
    SOMA_SLOT = "soma-slot" Note byhand: "a boot template of Soma without a slot for the inbox",
        why "Soma starts without telling of mail",
        fix "add a line {{inbox_summary}}, best as its last";
    LINK_MESSAGE = "link-message" Note byhand: "a message that is a link",
        why "it can be read and marked, but not archived",
        fix "replace the link with the message itself";
    SYNC_CONFLICT = "sync-conflict" Warning byhand: "the other side of a synchroniser's conflict",
        why "it may hold what the message lacks, and nobody sees it",
        fix "compare the two, keep what is right, and remove the copy";
    UNFINISHED_WRITE = "unfinished-write" Warning mends: "what an unfinished write left behind",
        why "it may be a message that was never delivered; `--fix` removes only old copies that postroom itself made",
        fix "look into it, then rename or remove it";
    LEFTOVER = "leftover" Warning byhand: "what looks like a message, but is none by its name",
        why "it is never listed as mail",
        fix "give it the name of a message, or remove it";
    STRAY_FILE = "stray-file" Note byhand: "a file that is no message",
        why "it is never listed as mail",
        fix "if it is one, let its name end as the inbox's messages do; else move it elsewhere";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_unique() {
        for (at, rule) in ALL.iter().enumerate() {
            assert!(rule.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.id);
            assert!(ALL.iter().skip(at + 1).all(|other| other.id != rule.id), "{} stands twice", rule.id);
            assert!(named(rule.id) == Some(*rule));
            assert!(!rule.why.ends_with('.') && !rule.fix.ends_with('.'), "{}", rule.id);
        }
        assert!(SOMA_BOM.fixable && !NOVEL.fixable);
    }
}
