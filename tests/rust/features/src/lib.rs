//! Features of `serde_json` that change it for a whole program; the tests are in `tests/`.
