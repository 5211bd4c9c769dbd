//! The nightly sweep as systemd, cron and launchd want it told: pure texts, and telling postroom's
//! own from somebody else's.
//!
//! Each text bears a mark: who made it, and a digest of the rest. What has no mark is somebody
//! else's, what has another digest was changed by hand; both are left alone.

use std::fmt::Write as _;

use crate::store::lock::fnv1a;

pub mod cron;
pub mod projects;

/// The name of the units.
pub const UNIT: &str = "postroom-sweep";
/// The name of the launchd job.
pub const LABEL: &str = "dev.postroom.sweep";

/// The words behind the program: every known project, each looked at on its own.
pub const WORDS: [&str; 2] = ["sweep", "--projects"];

const MARK: &str = "made by `postroom schedule install`, digest ";

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
}

impl At {
    /// Half past four in the morning: when nobody works and machines are on or will catch up.
    pub const NIGHT: Self = Self { hour: 4, minute: 30 };

    /// Reads `HH:MM`.
    ///
    /// # Errors
    /// It is no time of day.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parsed = text.split_once(':').and_then(|(hour, minute)| {
            let number =
                |text: &str| text.parse::<u8>().ok().filter(|_| text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit()));
            Some(Self { hour: number(hour).filter(|h| *h < 24)?, minute: number(minute).filter(|m| *m < 60)? })
        });
        parsed.ok_or_else(|| format!("{text:?} is no time of day such as 04:30"))
    }
}

impl At {
    /// The time that a timer, a launchd job or a block of the crontab was made for.
    pub fn installed(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<u8>().ok();
        let of = |hour: u8, minute: u8| (hour < 24 && minute < 60).then_some(Self { hour, minute });
        let element = |key: &str| {
            let rest = text.split_once(&format!("<key>{key}</key>"))?.1.split_once("<integer>")?.1;
            number(rest.split_once('<')?.0)
        };
        let timer = text.lines().find_map(|line| line.strip_prefix("OnCalendar=*-*-* "));
        let cron = || {
            let line = text.lines().find(|line| line.contains(" * * * "))?;
            let mut words = line.split(' ');
            let (minute, hour) = (number(words.next()?)?, number(words.next()?)?);
            of(hour, minute)
        };
        match timer {
            Some(time) => Self::parse(time.trim().strip_suffix(":00")?).ok(),
            None => element("Hour").zip(element("Minute")).and_then(|(hour, minute)| of(hour, minute)).or_else(cron),
        }
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// What is to run, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The program, by its absolute path.
    pub program: String,
    /// When, each day, by the machine's clock.
    pub at: At,
    /// Variables that the program needs to find its configuration and state; absolute paths.
    pub environment: Vec<(&'static str, String)>,
    /// The file that cron and launchd write its output to.
    pub log: String,
}

/// Why a job can't be told to a scheduler.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} holds a control character, which no scheduler takes")]
pub struct Unfit(String);

impl Job {
    /// Checks that every text of it is one line.
    ///
    /// # Errors
    /// The text that is not.
    pub fn check(&self) -> Result<(), Unfit> {
        let texts = self.environment.iter().map(|(_, value)| value).chain([&self.program, &self.log]);
        texts.into_iter().find(|text| text.chars().any(char::is_control)).map_or(Ok(()), |text| Err(Unfit(text.clone())))
    }

    /// The command, as a person would type it.
    pub fn command(&self) -> String {
        format!("{} {}", crate::ops::advance::quoted(&self.program), WORDS.join(" "))
    }

    /// The systemd service.
    pub fn service(&self) -> String {
        let mut text = String::from("[Unit]\nDescription=Archive handled messages of agents' inboxes\n");
        text.push_str("Documentation=man:postroom(1)\n\n[Service]\nType=oneshot\n");
        for (name, value) in &self.environment {
            let _ = writeln!(text, "Environment={}", unit_word(&format!("{name}={value}")));
        }
        // systemd takes no quotes and backslashes in the name of a program; in its arguments it does.
        let program = if self.program.contains(['"', '\'', '\\']) {
            format!("/usr/bin/env {}", unit_word(&self.program.replace('$', "$$")))
        } else {
            unit_word(&self.program)
        };
        let _ = writeln!(text, "ExecStart={program} {}", WORDS.join(" "));
        text.push_str("Nice=10\n");
        marked("# ", &text, "")
    }

    /// The systemd timer.
    pub fn timer(&self) -> String {
        let text = format!(
            "[Unit]\nDescription=Daily sweep of agents' inboxes\n\n\
             [Timer]\nOnCalendar=*-*-* {}:00\nPersistent=true\nRandomizedDelaySec=15m\nAccuracySec=1m\n\n\
             [Install]\nWantedBy=timers.target\n",
            self.at
        );
        marked("# ", &text, "")
    }

    /// The launchd job.
    pub fn plist(&self) -> String {
        let mut text = String::from(
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n<dict>\n",
        );
        let _ = writeln!(text, "  <key>Label</key>\n  <string>{LABEL}</string>");
        text.push_str("  <key>ProgramArguments</key>\n  <array>\n");
        for word in [self.program.as_str()].into_iter().chain(WORDS) {
            let _ = writeln!(text, "    <string>{}</string>", xml(word));
        }
        text.push_str("  </array>\n");
        if !self.environment.is_empty() {
            text.push_str("  <key>EnvironmentVariables</key>\n  <dict>\n");
            for (name, value) in &self.environment {
                let _ = writeln!(text, "    <key>{}</key>\n    <string>{}</string>", xml(name), xml(value));
            }
            text.push_str("  </dict>\n");
        }
        let At { hour, minute } = self.at;
        let _ = writeln!(
            text,
            "  <key>StartCalendarInterval</key>\n  <dict>\n    <key>Hour</key>\n    <integer>{hour}</integer>\n    \
             <key>Minute</key>\n    <integer>{minute}</integer>\n  </dict>\n  <key>RunAtLoad</key>\n  <false/>"
        );
        for key in ["StandardOutPath", "StandardErrorPath"] {
            let _ = writeln!(text, "  <key>{key}</key>\n  <string>{}</string>", xml(&self.log));
        }
        text.push_str("</dict>\n</plist>\n");
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", marked("<!-- ", &text, " -->"))
    }
}

/// What a file of a scheduler is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// There is none.
    Missing,
    /// Just what we would write.
    Same,
    /// Ours as we wrote it, for another time, program or version.
    Older,
    /// Ours, changed by hand since.
    Edited,
    /// Somebody else's.
    Foreign,
}

impl Standing {
    /// The word in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Same => "installed",
            Self::Older => "outdated",
            Self::Edited => "edited",
            Self::Foreign => "foreign",
        }
    }

    /// How a text that is there stands to the one wanted.
    pub fn of(there: Option<&str>, wanted: &str) -> Self {
        let Some(there) = there else { return Self::Missing };
        if there == wanted {
            return Self::Same;
        }
        let Some((before, rest)) = there.split_once(MARK) else { return Self::Foreign };
        // The mark stands on the first line, or right behind an XML declaration.
        let opens = before.lines().count() <= 2 && before.len() < 100;
        let digest = rest.get(..16).unwrap_or_default();
        let body = rest.split_once('\n').map_or("", |(_, body)| body);
        match opens {
            false => Self::Foreign,
            true if digest == self::digest(body) => Self::Older,
            true => Self::Edited,
        }
    }
}

/// A text with its mark in a comment before it.
fn marked(open: &str, text: &str, close: &str) -> String {
    format!("{open}{MARK}{}; `postroom schedule remove` takes it away{close}\n{text}", digest(text))
}

fn digest(text: &str) -> String {
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// A word in a unit file: quoted, its specifiers and escapes doubled.
fn unit_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    let plain = |c: char| c.is_alphanumeric() || "/._-+=@:".contains(c);
    if word.chars().all(plain) { escaped } else { format!("\"{escaped}\"") }
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            program: "/home/u/bin/postroom".to_owned(),
            at: At::NIGHT,
            environment: Vec::new(),
            log: "/home/u/.local/state/postroom/sweep.log".to_owned(),
        }
    }

    fn odd() -> Job {
        let odd = "/home/u x/100%/a\"b\\c'd&<e>";
        Job {
            program: format!("{odd}/postroom"),
            environment: vec![("XDG_STATE_HOME", odd.to_owned())],
            log: format!("{odd}/log"),
            ..job()
        }
    }

    #[test]
    fn units_are_as_systemd_wants_them() {
        insta::assert_snapshot!(job().service(), @r#"
        # made by `postroom schedule install`, digest 0347585cdcc61503; `postroom schedule remove` takes it away
        [Unit]
        Description=Archive handled messages of agents' inboxes
        Documentation=man:postroom(1)

        [Service]
        Type=oneshot
        ExecStart=/home/u/bin/postroom sweep --projects
        Nice=10
        "#);
        insta::assert_snapshot!(job().timer(), @r#"
        # made by `postroom schedule install`, digest 787849354245bdb2; `postroom schedule remove` takes it away
        [Unit]
        Description=Daily sweep of agents' inboxes

        [Timer]
        OnCalendar=*-*-* 04:30:00
        Persistent=true
        RandomizedDelaySec=15m
        AccuracySec=1m

        [Install]
        WantedBy=timers.target
        "#);
        insta::assert_snapshot!(odd().service().lines().filter(|l| l.starts_with("Env") || l.starts_with("Exec")).collect::<Vec<_>>().join("\n"), @r#"
        Environment="XDG_STATE_HOME=/home/u x/100%%/a\"b\\c'd&<e>"
        ExecStart=/usr/bin/env "/home/u x/100%%/a\"b\\c'd&<e>/postroom" sweep --projects
        "#);
    }

    #[test]
    fn the_plist_is_as_launchd_wants_it() {
        insta::assert_snapshot!(job().plist(), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- made by `postroom schedule install`, digest d6b367c9cef5a3d8; `postroom schedule remove` takes it away -->
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
          <key>Label</key>
          <string>dev.postroom.sweep</string>
          <key>ProgramArguments</key>
          <array>
            <string>/home/u/bin/postroom</string>
            <string>sweep</string>
            <string>--projects</string>
          </array>
          <key>StartCalendarInterval</key>
          <dict>
            <key>Hour</key>
            <integer>4</integer>
            <key>Minute</key>
            <integer>30</integer>
          </dict>
          <key>RunAtLoad</key>
          <false/>
          <key>StandardOutPath</key>
          <string>/home/u/.local/state/postroom/sweep.log</string>
          <key>StandardErrorPath</key>
          <string>/home/u/.local/state/postroom/sweep.log</string>
        </dict>
        </plist>
        "#);
        assert!(odd().plist().contains("a\"b\\c'd&amp;&lt;e&gt;/postroom"));
    }

    #[test]
    fn ours_is_told_from_what_others_wrote_or_changed() {
        let (now, earlier) = (job(), Job { at: At { hour: 3, minute: 0 }, ..job() });
        for (wanted, older) in [(now.timer(), earlier.timer()), (now.plist(), earlier.plist())] {
            assert_eq!(Standing::of(None, &wanted), Standing::Missing);
            assert_eq!(Standing::of(Some(&wanted), &wanted), Standing::Same);
            assert_eq!(Standing::of(Some(&older), &wanted), Standing::Older);
            assert_eq!(
                Standing::of(Some(&older.replace("15m", "5m").replace("<integer>3", "<integer>5")), &wanted),
                Standing::Edited
            );
            assert_eq!(Standing::of(Some(&format!("{older}\n")), &wanted), Standing::Edited);
            assert_eq!(Standing::of(Some("[Timer]\nOnCalendar=daily\n"), &wanted), Standing::Foreign);
            assert_eq!(Standing::of(Some(&format!("[Unit]\n[X]\n\n{older}")), &wanted), Standing::Foreign);
        }
    }

    #[test]
    fn the_time_that_is_installed_is_read_back() {
        let job = Job { at: At { hour: 23, minute: 5 }, ..odd() };
        for text in [job.timer(), job.plist(), job.cron_block()] {
            assert_eq!(At::installed(&text), Some(job.at), "{text}");
        }
        for odd in ["", "OnCalendar=daily", "OnCalendar=*-*-* 99:00:00", "x y * * * z", "<key>Hour</key><integer>x</integer>"] {
            assert_eq!(At::installed(odd), None);
        }
    }

    #[test]
    fn times_of_day() {
        assert_eq!(At::parse("04:30"), Ok(At::NIGHT));
        assert_eq!(At::parse("4:5").unwrap().to_string(), "04:05");
        for bad in ["", "24:00", "4", "04:60", "-1:00", "004:30", "4:30pm", "+4:30"] {
            assert!(At::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn control_characters_are_refused() {
        assert!(job().check().is_ok() && odd().check().is_ok());
        assert!(Job { program: "/a\nb".to_owned(), ..job() }.check().is_err());
    }
}
