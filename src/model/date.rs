//! The dates that people and tools write into headers and file names, read without a guess.
//!
//! A date without a time is that day in every zone; it is never turned into an instant. The text
//! itself stays as written (DESIGN §3): what is parsed here serves sorting and ages only.

use chrono::{DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};

/// Turns an instant into the wall-clock time of the reader's zone. Front ends supply it, so that
/// nothing below them reads the environment.
pub type ToLocal = fn(DateTime<Utc>) -> NaiveDateTime;

/// The clock that a front end hands down: one instant for a whole command, and the reader's zone.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// The moment the command started (or `POSTROOM_NOW`).
    pub now: DateTime<Utc>,
    /// The reader's zone.
    pub to_local: ToLocal,
}

impl Clock {
    /// A clock that stands at `now`, in UTC; for tests and examples.
    pub fn utc(now: DateTime<Utc>) -> Self {
        Self { now, to_local: |t| t.naive_utc() }
    }

    /// Today's calendar day where the reader is.
    pub fn today(&self) -> NaiveDate {
        self.local_now().date()
    }

    /// The reader's wall-clock time.
    pub fn local_now(&self) -> NaiveDateTime {
        (self.to_local)(self.now)
    }

    /// The moment as it is written down: RFC 3339 in UTC, whole seconds.
    pub fn instant(&self) -> String {
        self.now.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// The reader's calendar day of a date.
    pub fn day_of(&self, when: When) -> NaiveDate {
        match when {
            When::Day(day) => day,
            When::Local(time) => time.date(),
            When::Instant(instant) => (self.to_local)(instant).date(),
        }
    }

    /// A key that sorts dates of all three kinds: the reader's wall-clock time; a plain day counts
    /// as its start.
    pub fn sort_key(&self, when: When) -> NaiveDateTime {
        match when {
            When::Day(day) => day.and_time(NaiveTime::MIN),
            When::Local(time) => time,
            When::Instant(instant) => (self.to_local)(instant),
        }
    }

    /// The clock, looked at: for whoever asks about many dates.
    pub fn moment(&self) -> Moment {
        Moment { now: self.now, local: self.local_now() }
    }

    /// Whole calendar days from a date to today; negative for a day still to come.
    pub fn days_since(&self, when: When) -> i64 {
        (self.today() - self.day_of(when)).num_days()
    }

    /// Whether a date lies ahead: a later day, or more than five minutes later today (clocks of
    /// two machines differ by a little).
    pub fn is_future(&self, when: When) -> bool {
        self.moment().is_future(when)
    }
}

/// The moment of a clock with the reader's wall-clock time, worked out once: asking the zone costs
/// more than reading a date.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    now: DateTime<Utc>,
    local: NaiveDateTime,
}

impl Moment {
    /// Today's calendar day where the reader is.
    pub fn today(&self) -> NaiveDate {
        self.local.date()
    }

    /// As [`Clock::is_future`].
    pub fn is_future(&self, when: When) -> bool {
        let leeway = chrono::Duration::minutes(5);
        match when {
            When::Day(day) => day > self.today(),
            When::Local(time) => time > self.local + leeway,
            When::Instant(instant) => instant > self.now + leeway,
        }
    }
}

/// A date as precise as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum When {
    /// A calendar day.
    Day(NaiveDate),
    /// A wall-clock time without a zone.
    Local(NaiveDateTime),
    /// A time with a zone.
    Instant(DateTime<Utc>),
}

impl When {
    /// Reads `2026-05-02`, `2026-5-2`, `2026/05/02`, `20260502`, each with an optional time
    /// (`T10:00`, ` 10:00:30.5`, `T100030`) and an optional zone (`Z`, `UTC`, `+09:00`, ` +0900`).
    ///
    /// Also the mail form `Fri, 08 May 2026 10:00:00 +0200`. A zone by letters other than these
    /// (`CEST`) is not guessed at: the time counts as the reader's.
    ///
    /// `None` for anything else, also for a date with words behind it.
    pub fn parse(text: &str) -> Option<Self> {
        let Some((day, rest)) = leading_day(text.trim()) else {
            let mail = DateTime::parse_from_rfc2822(text.trim()).ok()?;
            return Some(Self::Instant(mail.with_timezone(&Utc)));
        };
        let rest = rest.trim_start_matches([' ', '\t']);
        if rest.is_empty() {
            return Some(Self::Day(day));
        }
        let rest = rest.strip_prefix(['T', 't']).unwrap_or(rest);
        let (time, zone) = leading_time(rest)?;
        let local = day.and_time(time);
        let zone = zone.trim();
        let letters = (3..=5).contains(&zone.len()) && zone.bytes().all(|b| b.is_ascii_uppercase());
        if zone.is_empty() || (letters && zone_seconds(zone).is_none()) {
            return Some(Self::Local(local));
        }
        let offset = FixedOffset::east_opt(zone_seconds(zone)?)?;
        local.and_local_timezone(offset).single().map(|t| Self::Instant(t.with_timezone(&Utc)))
    }

    /// What follows the date at the start of a file name; the whole name where it has none.
    pub fn after_date(name: &str) -> &str {
        let Some((_, rest)) = leading_day(name) else { return name };
        let time = rest.strip_prefix('T').and_then(leading_time).and_then(|(_, zone)| zone.strip_prefix('Z'));
        time.unwrap_or(rest)
    }

    /// Reads the date at the start of a file name (`2026-05-02-topic.md`,
    /// `20260502T101500Z-topic.md`), or the first `YYYY-MM-DD` inside it (`msg-2026-05-24-063000-x.json`).
    pub fn in_name(name: &str) -> Option<Self> {
        if let Some((day, rest)) = leading_day(name) {
            if let Some((time, zone)) = rest.strip_prefix('T').and_then(leading_time)
                && zone.starts_with('Z')
            {
                return Some(Self::Instant(day.and_time(time).and_utc()));
            }
            return Some(Self::Day(day));
        }
        (1..name.len()).filter(|&i| name.is_char_boundary(i) && !name.as_bytes()[i - 1].is_ascii_digit()).find_map(|i| {
            let rest = name.get(i..)?;
            let b = rest.as_bytes();
            (b.get(4) == Some(&b'-') && b.get(7) == Some(&b'-'))
                .then(|| leading_day(rest))
                .flatten()
                .map(|(day, _)| Self::Day(day))
        })
    }
}

/// A day, or an age in days or weeks back from today, as the day it means.
///
/// # Errors
/// It is neither; ages below nought are refused.
pub fn day_or_age(text: &str, today: NaiveDate) -> Result<NaiveDate, String> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let days = match (number.parse::<u64>(), unit) {
        (Ok(n), "d" | "days" | "day") => Some(n),
        (Ok(n), "w" | "weeks" | "week") => n.checked_mul(7),
        _ => None,
    };
    if let Some(days) = days {
        return today.checked_sub_days(Days::new(days)).ok_or_else(|| format!("{text:?} is too long ago"));
    }
    match When::parse(text) {
        Some(When::Day(day)) => Ok(day),
        _ => Err(format!("{text:?} is neither a day (YYYY-MM-DD) nor an age (14d, 2w)")),
    }
}

/// A calendar day at the start of a text, and what follows it.
fn leading_day(text: &str) -> Option<(NaiveDate, &str)> {
    let (year, rest) = digits(text, 4, 4)?;
    let (month, day, rest) = if let Some(rest) = rest.strip_prefix(['-', '/', '.']) {
        let (month, rest) = digits(rest, 1, 2)?;
        let (day, rest) = digits(rest.strip_prefix(['-', '/', '.'])?, 1, 2)?;
        (month, day, rest)
    } else {
        let (month, rest) = digits(rest, 2, 2)?;
        let (day, rest) = digits(rest, 2, 2)?;
        (month, day, rest)
    };
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?, rest))
}

/// `HH:MM`, `HH:MM:SS`, `HH:MM:SS.fff`, `HHMMSS` or `HHMM` at the start of a text, and what follows.
fn leading_time(text: &str) -> Option<(NaiveTime, &str)> {
    let colons = text.as_bytes().get(1..3).is_some_and(|b| b.contains(&b':'));
    let (hour, rest) = digits(text, 1, 2)?;
    let part = |rest: &str| -> Option<(u32, usize)> {
        let bare = if colons { rest.strip_prefix(':')? } else { rest };
        let (value, after) = digits(bare, 2, 2)?;
        Some((value, rest.len() - after.len()))
    };
    let (minute, used) = part(rest)?;
    let rest = rest.get(used..)?;
    let (second, rest) = match part(rest) {
        Some((second, used)) => (second, rest.get(used..)?),
        None => (0, rest),
    };
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    Some((NaiveTime::from_hms_opt(hour, minute, second.min(59))?, rest))
}

fn zone_seconds(zone: &str) -> Option<i32> {
    if matches!(zone, "Z" | "z" | "UTC" | "GMT" | "utc") {
        return Some(0);
    }
    let (sign, rest) = match zone.as_bytes().first()? {
        b'+' => (1, &zone[1..]),
        b'-' => (-1, &zone[1..]),
        _ => return None,
    };
    let (hours, rest) = digits(rest, 2, 2)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let minutes = if rest.is_empty() { 0 } else { digits(rest, 2, 2).filter(|(_, r)| r.is_empty())?.0 };
    i32::try_from(hours * 3600 + minutes * 60).ok().map(|s| sign * s)
}

/// A run of at least `least` and at most `most` ASCII digits, and what follows it.
fn digits(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let (mut number, mut count) = (0, 0);
    for b in text.bytes().take(most).take_while(u8::is_ascii_digit) {
        number = number * 10 + u32::from(b - b'0');
        count += 1;
    }
    if count < least { None } else { Some((number, text.get(count..)?)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(y: i32, m: u32, d: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(y, m, d).unwrap()
    }

    fn instant(text: &str) -> When {
        When::Instant(DateTime::parse_from_rfc3339(text).unwrap().with_timezone(&Utc))
    }

    #[test]
    fn days_are_read_in_each_common_form() {
        for text in ["2026-05-02", "2026-5-2", "2026/05/02", "20260502", " 2026-05-02 "] {
            assert_eq!(When::parse(text), Some(When::Day(day(2026, 5, 2))), "{text}");
        }
    }

    #[test]
    fn times_keep_their_zone_or_have_none() {
        assert_eq!(When::parse("2026-05-04T08:15:00Z"), Some(instant("2026-05-04T08:15:00Z")));
        assert_eq!(When::parse("2026-04-04 23:30:00 +0900"), Some(instant("2026-04-04T14:30:00Z")));
        assert_eq!(When::parse("2026-05-24T06:30:00.000Z"), Some(instant("2026-05-24T06:30:00Z")));
        assert_eq!(When::parse("2026-05-04T08:15:00-02:30"), Some(instant("2026-05-04T10:45:00Z")));
        assert_eq!(When::parse("Fri, 08 May 2026 10:00:00 +0200"), Some(instant("2026-05-08T08:00:00Z")));
        let local = day(2026, 5, 8).and_hms_opt(10, 0, 0).unwrap();
        assert_eq!(When::parse("2026-05-08 10:00 CEST"), Some(When::Local(local)));
        assert_eq!(When::parse("20260504T081500Z"), Some(instant("2026-05-04T08:15:00Z")));
        assert_eq!(When::parse("2026-04-04 10:00"), Some(When::Local(day(2026, 4, 4).and_hms_opt(10, 0, 0).unwrap())));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "soon",
            "2026",
            "2026-13-01",
            "2026-02-30",
            "2026-05-02 maybe",
            "12:30",
            "202605021",
            "2026-05-02T",
            "٢٠٢٦-٠٥-٠٢",
        ] {
            assert_eq!(When::parse(text), None, "{text}");
        }
    }

    #[test]
    fn file_names_carry_dates() {
        assert_eq!(When::in_name("2026-05-02-cache.md"), Some(When::Day(day(2026, 5, 2))));
        assert_eq!(When::in_name("2026-05-03_014_count.md"), Some(When::Day(day(2026, 5, 3))));
        assert_eq!(When::in_name("msg-2026-05-24-063000-k3xa.json"), Some(When::Day(day(2026, 5, 24))));
        assert_eq!(When::in_name("20260430T100000Z-x.abc.md"), Some(instant("2026-04-30T10:00:00Z")));
        assert_eq!(When::in_name("TASK-20260515-count.md"), None);
        for name in ["", "d.md", "2026.md", "é2026-05-02", "12026-05-02-x.md", "commit-landed-4be1.md"] {
            assert!(!matches!(When::in_name(name), Some(When::Day(d)) if d.to_string() != "2026-05-02"), "{name}");
        }
    }

    #[test]
    fn a_plain_day_is_the_same_in_every_zone() {
        let now = DateTime::parse_from_rfc3339("2026-05-01T12:00:00Z").unwrap().with_timezone(&Utc);
        let far_west = Clock { now, to_local: |t| t.naive_utc() - chrono::Duration::hours(11) };
        let when = When::parse("2026-04-01").unwrap();
        assert_eq!(far_west.day_of(when), day(2026, 4, 1));
        assert_eq!(far_west.days_since(when), 30);
        assert!(far_west.is_future(When::parse("2026-05-02").unwrap()));
        assert!(!far_west.is_future(When::parse("2026-05-01T12:04:00Z").unwrap()));
    }

    #[test]
    fn ages_and_days_are_days() {
        let today = day(2026, 5, 15);
        assert_eq!(day_or_age("14d", today).unwrap().to_string(), "2026-05-01");
        assert_eq!(day_or_age("2w", today).unwrap().to_string(), "2026-05-01");
        assert_eq!(day_or_age("0d", today).unwrap(), today);
        assert_eq!(day_or_age("2026-01-02", today).unwrap().to_string(), "2026-01-02");
        for bad in ["-3d", "", "d", "3", "soon", "99999999999999999999d", "3 months"] {
            assert!(day_or_age(bad, today).is_err(), "{bad}");
        }
    }
}
