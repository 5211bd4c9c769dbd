//! How old a message is, in a few characters: `3m`, `2h`, `5d`, `6w`, `2y`.

use crate::model::date::{Clock, When};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The age of a date, seen from the clock.
///
/// A plain day has no hours: it is `today` or a number of days. A time within the five minutes that
/// clocks may differ by is `now`; anything later is no age but the day itself with a mark, such as
/// `2031-01-01!`.
pub fn age(clock: &Clock, when: When) -> String {
    if clock.is_future(when) {
        return format!("{}!", clock.day_of(when));
    }
    let seconds = match when {
        When::Day(_) => {
            return match clock.days_since(when) {
                ..=0 => "today".to_owned(),
                days => in_days(days),
            };
        }
        When::Local(time) => (clock.local_now() - time).num_seconds(),
        When::Instant(instant) => (clock.now - instant).num_seconds(),
    };
    match seconds {
        ..MINUTE => "now".to_owned(),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        _ => in_days(seconds / DAY),
    }
}

/// Days up to a fortnight, weeks up to a year, then years: two digits at most for a long time.
fn in_days(days: i64) -> String {
    match days {
        ..14 => format!("{days}d"),
        14..365 => format!("{}w", days / 7),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples::{clock, when};

    #[test]
    fn times_are_told_in_the_largest_unit_that_fits() {
        // The clock of the samples stands at 2026-05-01T12:00:00Z.
        for (date, expected) in [
            ("2026-05-01T12:04:00Z", "now"),
            ("2026-05-01T11:59:30Z", "now"),
            ("2026-05-01T11:59:00Z", "1m"),
            ("2026-05-01T11:57:00Z", "3m"),
            ("2026-05-01 10:00", "2h"),
            ("2026-04-30T12:00:01Z", "23h"),
            ("2026-04-30T12:00:00Z", "1d"),
            ("2026-04-26 11:00", "5d"),
            ("2026-03-20T00:00:00Z", "6w"),
            ("2024-05-01T00:00:00Z", "2y"),
        ] {
            assert_eq!(age(&clock(), when(date)), expected, "{date}");
        }
    }

    #[test]
    fn a_plain_day_is_never_given_hours() {
        for (date, expected) in [
            ("2026-05-01", "today"),
            ("2026-04-30", "1d"),
            ("2026-04-18", "13d"),
            ("2026-04-17", "2w"),
            ("2025-05-02", "52w"),
            ("2025-05-01", "1y"),
            ("0001-01-01", "2026y"),
        ] {
            assert_eq!(age(&clock(), when(date)), expected, "{date}");
        }
    }

    #[test]
    fn a_future_date_is_the_date_with_a_mark() {
        for (date, expected) in
            [("2031-01-01", "2031-01-01!"), ("2026-05-01T12:06:00Z", "2026-05-01!"), ("2026-05-01 13:00", "2026-05-01!")]
        {
            assert_eq!(age(&clock(), when(date)), expected, "{date}");
        }
    }
}
