//! The fuzz targets' laws over their seeds and small changes of them: what CI runs on stable.

use std::fs;
use std::path::Path;

use crate::crash::Dice;
use crate::harness;

/// The seed corpus: every fixture, and one folder a target.
pub fn seeds(name: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("fuzz/seeds").join(name)];
    if matches!(name, "header" | "neutral") {
        folders.push(root.join("tests/fixtures/messages"));
    }
    let mut out = Vec::new();
    for folder in folders {
        for entry in walkdir::WalkDir::new(&folder).sort_by_file_name() {
            let entry = entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
            if entry.file_type().is_file() && entry.metadata().unwrap().len() < 16 * 1024 {
                out.push(fs::read(entry.path()).unwrap());
            }
        }
    }
    assert!(!out.is_empty(), "no seeds for {name}");
    out
}

/// One small change, as fuzzers make them.
fn mutate(dice: &mut Dice, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..=dice.roll(3) {
        let at = usize::try_from(dice.roll(out.len() as u64 + 1)).unwrap();
        match dice.roll(6) {
            0 => out.truncate(at),
            1 => out.insert(at, b"\n\r-:#'\"[]{}|&*! \t\0\xff"[usize::try_from(dice.roll(19)).unwrap()]),
            2 if at < out.len() => drop(out.remove(at)),
            3 if at < out.len() => out[at] = u8::try_from(dice.roll(256)).unwrap(),
            4 => {
                let tail = out.split_off(at);
                out.extend_from_slice(&tail[..tail.len().min(9)]);
                out.extend_from_slice(&tail);
            }
            _ => {
                let cut = usize::try_from(dice.roll(other.len() as u64 + 1)).unwrap();
                out.truncate(at);
                out.extend_from_slice(&other[cut..]);
            }
        }
    }
    out
}

#[test]
fn the_laws_hold_for_the_seeds_and_around_them() {
    let mut runs = 0;
    for (name, harness) in harness::ALL {
        let seeds = seeds(name);
        let mut dice = Dice(0x2545_f491_4f6c_dd1d);
        for (n, seed) in seeds.iter().enumerate() {
            harness(seed);
            for _ in 0..40 {
                let other = &seeds[(n + usize::try_from(dice.roll(seeds.len() as u64)).unwrap()) % seeds.len()];
                let input = mutate(&mut dice, seed, other);
                if let Err(panic) = std::panic::catch_unwind(|| harness(&input)) {
                    eprintln!("{name}: {:?}", String::from_utf8_lossy(&input));
                    std::panic::resume_unwind(panic);
                }
                runs += 1;
            }
        }
    }
    println!("{runs} inputs");
}
