//! Test vectors of the rules, shared with implementations in other languages.

use serde::Serialize;
use std::{format, fs, path::Path, string::String};

/// Compares `vectors/<file>` with the results of the rule; writes it instead when
/// `WRITE_VECTORS` is set.
pub fn compare<T: Serialize>(file: &str, made: &T) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(file);
    let made = format!("{}\n", serde_json::to_string_pretty(made).expect("vectors as JSON"));
    if std::env::var_os("WRITE_VECTORS").is_some() {
        fs::write(&path, &made).expect("vectors written");
    }
    let stored: String = fs::read_to_string(&path).expect("vectors are there");
    assert!(stored == made, "{file} differs; set WRITE_VECTORS=1 if the rule was meant to change");
}
