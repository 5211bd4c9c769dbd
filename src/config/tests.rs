use super::*;

const EXAMPLE: &str = include_str!("../../docs/config.example.toml");

fn user(text: &str) -> Result<Config, ConfigError> {
    Config::parse_user(text, Path::new("/home/ava/.config/postroom/config.toml"), Some(Path::new("/home/ava")))
}

fn project(text: &str) -> Result<Config, ConfigError> {
    Config::default().with_project(text, Path::new("/w/app/.postroom.toml"), Path::new("/w/app"))
}

fn faults(result: Result<Config, ConfigError>) -> Vec<(usize, String)> {
    result.unwrap_err().faults.into_iter().map(|f| (f.line, f.text)).collect()
}

#[test]
fn nothing_written_is_the_default() {
    assert_eq!(user(""), Ok(Config::default()));
    assert_eq!(user("\u{feff}# nothing\r\n"), Ok(Config::default()));
    let c = Config::default();
    assert_eq!((c.teams, c.discovery.parents, c.sweep.older_than_days), (false, true, 14));
    assert_eq!((c.summary.limit, c.summary.max_chars, c.summary.format.as_str()), (10, 8_000, "default"));
}

#[test]
fn the_example_is_valid_and_shows_every_key() {
    let config = user(EXAMPLE).unwrap();
    assert_eq!(config.agent.as_ref().map(AgentName::as_str), Some("ava"));
    for (table, keys) in read::tables() {
        for key in keys {
            let written = EXAMPLE.contains(&format!("\n{key} = ")) || EXAMPLE.contains(&format!("[{key}]"));
            assert!(written, "{table} {key} is not in the example");
        }
    }
}

#[test]
fn every_setting_is_read() {
    let config = user(
        r#"
agent = "ava"
teams = true
lifecycle = "strict"
projects = ["~/work/web", "/srv/api", "near"]
[discovery]
parents = false
[sweep]
older_than = "2w"
read_types = ["fyi", "note"]
[summary]
limit = 1_0
max_chars = 0x200
format = "brief"
templates = "~/t"
[status-words]
INJECTED = "read"
wontfix = "closed"
[keys]
Reply = "in_reply_to"
state = "status"
[[inbox]]
path = "~/mail/*/inbox"
layout = "soma"
owner = "wren"
aliases = ["w", "zaunkönig"]
[[inbox]]
path = "/x"
[aliases]
boss = "claude@web"
moss = "~/moss/.soma/inbox"
far = "soma@b/x"
[hook]
block_stop = true
"#,
    )
    .unwrap();
    assert_eq!(config.agent.as_ref().map(AgentName::as_str), Some("ava"));
    assert!(config.teams && !config.discovery.parents && config.hook.block_stop);
    assert_eq!(config.lifecycle, Lifecycle::Strict);
    let paths: Vec<_> = config.projects.iter().map(|p| p.to_str().unwrap()).collect();
    assert_eq!(paths, ["/home/ava/work/web", "/srv/api", "/home/ava/.config/postroom/near"]);
    assert_eq!(config.sweep, Sweep { older_than_days: 14, read_types: vec!["fyi".into(), "note".into()] });
    assert_eq!((config.summary.limit, config.summary.max_chars), (10, 512));
    assert_eq!(config.summary.templates, [PathBuf::from("/home/ava/t")]);
    let dialect = config.rules().dialect;
    assert_eq!(dialect.words.read("injected"), Some(Status::Read));
    assert_eq!(dialect.words.read("wontfix"), Some(Status::Resolved));
    assert_eq!(dialect.keys, [("reply".into(), "in-reply-to".into()), ("state".into(), "status".into())]);
    let inbox = &config.inboxes[0];
    assert_eq!(inbox.path, Path::new("/home/ava/mail/*/inbox"));
    assert_eq!((inbox.layout, inbox.owner.as_ref().map(AgentName::as_str)), (Some(LayoutId::Soma), Some("wren")));
    assert_eq!(inbox.aliases, ["w", "zaunkönig"]);
    assert_eq!(config.inboxes[1].owner, None);
    assert_eq!(config.alias("BOSS"), Some("claude@web"));
    assert_eq!(config.alias("moss"), Some("/home/ava/moss/.soma/inbox"));
    assert_eq!(config.alias("far"), Some("soma@b/x"));
}

#[test]
fn of_two_words_for_one_status_the_later_is_written() {
    let config = user("[status-words]\nzed = 'read'\nabc = 'read'\n").unwrap();
    assert_eq!(config.rules().dialect.words.write(Status::Read, Some("zed"), |_| true), "abc");
}

#[test]
fn unknown_keys_name_the_place_and_the_nearest() {
    let error = user("teams = true\nagnet = 'ava'\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "/home/ava/.config/postroom/config.toml:2: unknown key \"agnet\": the nearest known key is \"agent\""
    );
    for (text, wants) in [
        ("[sumary]\n", "\"summary\""),
        ("[summary]\nlimits = 3\n", "\"limit\""),
        ("[sweep]\nolder-than = '1d'\n", "\"older_than\""),
        ("limit = 3\n", "belongs into [summary]"),
        ("[hook]\nteams = true\n", "belongs at the top"),
        ("[[inbox]]\npath = '/x'\nonwer = 'x'\n", "\"owner\""),
        ("status_words = {}\n", "\"status-words\""),
    ] {
        let found = faults(user(text));
        assert!(found.len() == 1 && found[0].1.contains(wants), "{text}: {found:?}");
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let found = faults(user(
        "teams = 'yes'\nagent = '../x'\nlifecycle = 'loose'\n[summary]\nlimit = 0\n[status-words]\nx = 'reed'\n\
         [keys]\n'a b' = 'from'\nz = 'fromm'\n[[inbox]]\nlayout = 'maildir'\npath = 3\n[[inbox]]\nowner = 'x'\n",
    ));
    let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 2, 3, 5, 7, 9, 10, 12, 13, 14], "{found:?}");
    assert!(found[0].1.contains("true or false, not text"));
    assert!(found[4].1.contains("nearest: \"read\""));
    assert!(found[6].1.contains("nearest: \"from\""));
}

#[test]
fn wrong_values_are_refused() {
    for text in [
        "agent = ''",
        "agent = 3",
        "[sweep]\nolder_than = '14'",
        "[sweep]\nolder_than = 14",
        "[sweep]\nolder_than = '-1d'",
        "[sweep]\nolder_than = '9999999999d'",
        "[sweep]\nread_types = 'fyi'",
        "[sweep]\nread_types = [1]",
        "[summary]\nlimit = -1",
        "[summary]\nlimit = 1.5",
        "[summary]\nmax_chars = 99999999999999999999999999",
        "[summary]\nformat = '../x'",
        "[status-words]\nunread = 'read'",
        "[status-words]\n'' = 'read'",
        "[keys]\nsubject = 'date'",
        "[[inbox]]\npath = ''",
        "[[inbox]]\npath = '~bob/x'",
        "[[inbox]]\npath = '/x'\naliases = ['a/b']",
        "inbox = 3",
        "discovery = 3",
        "[aliases]\n'a/b' = 'x'",
        "projects = '~/x'",
        "teams = tru",
        "teams = true\nteams = false",
        "[summary\n",
    ] {
        assert!(user(text).is_err(), "{text}");
    }
    assert!(Config::parse_user("[[inbox]]\npath = '~/x'", Path::new("/c"), None).is_err());
}

#[test]
fn faults_of_the_syntax_have_lines() {
    let found = faults(user("teams = true\n\nagent = \"ava\n"));
    assert_eq!(found[0].0, 3, "{found:?}");
    assert!(found[0].1.starts_with("not TOML"));
}

#[test]
fn a_project_stays_inside() {
    let config = project(
        "[[inbox]]\npath = 'docs/mailbox/*/inbox'\n[[inbox]]\npath = '/w/app/x/../y'\n[summary]\ntemplates = './t'\n[aliases]\nx = './mail'",
    )
    .unwrap();
    let paths: Vec<_> = config.inboxes.iter().map(|i| i.path.to_str().unwrap()).collect();
    assert_eq!(paths, ["/w/app/docs/mailbox/*/inbox", "/w/app/y"]);
    assert!(config.inboxes.iter().all(|i| i.within.as_deref() == Some(Path::new("/w/app"))));
    assert_eq!(config.summary.templates, [PathBuf::from("/w/app/t")]);
    assert_eq!(config.alias("x"), Some("/w/app/mail"));
    for text in [
        "[[inbox]]\npath = '../other/.soma/inbox'",
        "[[inbox]]\npath = 'a/../../other'",
        "[[inbox]]\npath = '/etc'",
        "[[inbox]]\npath = '/w/apple'",
        "[[inbox]]\npath = '~/.soma/inbox'",
        "[[inbox]]\npath = '/../../../etc'",
        "[summary]\ntemplates = '/etc'",
        "[aliases]\nx = '../y'",
        "projects = ['/w/app']",
        "[hook]\nblock_stop = true",
    ] {
        let found = faults(project(text));
        assert!(found.len() == 1 && found[0].1.contains("project"), "{text}: {found:?}");
    }
}

#[test]
fn a_project_is_laid_over_the_persons_own() {
    let own = user(
        "teams = true\nagent = 'ava'\n[aliases]\nboss = 'claude@web'\n[status-words]\nx = 'read'\n[summary]\nlimit = 3\ntemplates = '/own'\n",
    )
    .unwrap();
    let both = own
        .with_project(
            "agent = 'ben'\n[aliases]\nboss = 'evil@web'\n[status-words]\nx = 'resolved'\n[summary]\ntemplates = 't'\n",
            Path::new("/w/app/.postroom.toml"),
            Path::new("/w/app"),
        )
        .unwrap();
    assert_eq!(both.agent.as_ref().map(AgentName::as_str), Some("ben"));
    assert!(both.teams);
    assert_eq!(both.summary.limit, 3);
    assert_eq!(both.summary.templates, [PathBuf::from("/w/app/t"), PathBuf::from("/own")]);
    assert_eq!(both.alias("boss"), Some("claude@web"), "a project can't take over an alias");
    assert_eq!(both.rules().dialect.words.read("x"), Some(Status::Resolved));
}

#[test]
fn ages() {
    for (text, days) in
        [("14d", Some(14)), ("2w", Some(14)), (" 0D ", Some(0)), ("d", None), ("14", None), ("+1d", None), ("1m", None)]
    {
        assert_eq!(parse_days(text), days, "{text}");
    }
}

#[test]
fn paths_are_told_from_names() {
    for path in ["/x", "~", "~/x", ".", "..", "./x", "../x", "a/b", ".soma/inbox", "docs/a@b"] {
        assert!(looks_like_path(path), "{path}");
    }
    for name in ["soma", "soma@work", "soma@b/x", "soma@/a/b", "soma@~", "soma (web)", ""] {
        assert!(!looks_like_path(name), "{name}");
    }
}

#[test]
fn hostile_files_end_in_faults() {
    let deep = "a = ".to_owned() + &"[".repeat(20_000);
    assert!(user(&deep).is_err());
    let many = "x = 1\n".repeat(2_000);
    assert!(faults(user(&many)).len() <= 20);
}
