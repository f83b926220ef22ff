//! Runs the lints of cargo-semver-checks on two versions of a crate, which rustdoc has described as JSON, and exits with
//! status 100 if the new version breaks code that uses the old one.
//!
//! ```text
//! semver_checks OLD.json NEW.json
//! ```
//!
//! This program, instead of the one of cargo-semver-checks, makes `Cargo.lock` apply to all that is compiled.

use std::env;
use std::error::Error;
use std::process::exit;

use cargo_semver_checks::{Check, GlobalConfig, ReleaseType, Rustdoc};

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = env::args().skip(1).collect();
    let [old, new] = &files[..] else {
        return Err("expected: semver_checks OLD.json NEW.json".into());
    };
    let mut check = Check::new(Rustdoc::from_path(new));
    check.set_baseline(Rustdoc::from_path(old));
    check.set_release_type(ReleaseType::Minor);
    let mut config = GlobalConfig::new();
    config.set_log_level(Some(log::Level::Info));
    let report = check.check_release(&mut config)?;
    exit(if report.success() { 0 } else { 100 });
}
