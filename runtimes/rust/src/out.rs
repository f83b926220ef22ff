//! Values → JSON text. Every value is checked as it is written.

#![allow(dead_code)] // not every protocol uses all of it

use std::borrow::Cow;

use crate::codec::Codec;
use crate::cursor::{canonical, plain, push_escaped, unescaped, MAX_DEPTH, MAX_INTEGER};
use crate::error::{Code, EncodeError};
use crate::json::{push_display, push_number, JsonRef, Kind};
use crate::map::{Map, Object};
use crate::presence::Presence;

/// Text that is being written. The first fault is kept with its position, from which its path is computed
/// at the end.
#[derive(Default)]
pub struct Out {
    pub text: String,
    fault: Option<Fault>,
}

struct Fault {
    code: Code,
    message: String,
    /// The position of the value at fault, or of an object around it.
    at: usize,
    /// The path from there to the value.
    below: String,
}

/// The text of a value that was decoded.
pub fn text_of<T: Codec>(value: &T) -> String {
    let mut out = Out::default();
    value.write(&mut out);
    out.text
}

/// Encodes a value.
pub fn encode<T: Codec>(value: &T) -> Result<String, EncodeError> {
    let mut out = Out::default();
    value.write(&mut out);
    if let Some(fault) = out.fault {
        return Err(EncodeError {
            code: fault.code,
            path: pointer_to(&out.text, fault.at) + &fault.below,
            message: fault.message,
        });
    }
    if deep(&out.text) {
        return Err(EncodeError {
            code: Code::TooDeep,
            path: String::new(),
            message: format!("nested deeper than {MAX_DEPTH} levels"),
        });
    }
    Ok(out.text)
}

impl Out {
    pub fn open(&mut self, bracket: char) -> usize {
        self.text.push(bracket);
        self.text.len()
    }

    /// Closes an object or array.
    pub fn close(&mut self, _start: usize, bracket: char) {
        self.text.push(bracket);
    }

    fn comma(&mut self) {
        if !self.text.ends_with(['{', '[']) {
            self.text.push(',');
        }
    }

    /// Writes a key in canonical spelling.
    pub fn key(&mut self, key: &str) {
        self.comma();
        self.text.push('"');
        self.text.push_str(key);
        self.text.push_str("\":");
    }

    /// Writes any key; `spelt` is its spelling where `key` cannot hold it.
    pub fn any_key(&mut self, key: &str, spelt: Option<&str>) {
        if let Some(spelt) = spelt {
            return self.key(spelt);
        }
        self.comma();
        self.string(key);
        self.text.push(':');
    }

    pub fn string(&mut self, text: &str) {
        self.text.push('"');
        push_escaped(&mut self.text, text);
        self.text.push('"');
    }

    /// Records that the next value cannot be written, and writes null in its place.
    pub fn fault(&mut self, code: Code, message: String) {
        self.fault_below(code, String::new(), message);
    }

    fn fault_below(&mut self, code: Code, below: String, message: String) {
        if self.fault.is_none() {
            self.fault = Some(Fault {
                code,
                message,
                at: self.text.len(),
                below,
            });
        }
        self.text.push_str("null");
    }

    pub fn constant(&mut self, key: &str, value: &str) {
        self.key(key);
        self.text.push_str(value);
    }

    pub fn member<T: Codec>(&mut self, key: &str, value: &T) {
        self.key(key);
        value.write(self);
    }

    pub fn optional<T: Codec>(&mut self, key: &str, value: &Option<T>) {
        if let Some(value) = value {
            self.member(key, value);
        }
    }

    pub fn presence<T: Codec>(&mut self, key: &str, value: &Presence<T>) {
        match value {
            Presence::Absent => {}
            Presence::Null => self.constant(key, "null"),
            Presence::Present(value) => self.member(key, value),
        }
    }

    /// Writes a member, or records a fault with this code if its value does not fit.
    pub fn checked<T: Codec>(&mut self, key: &str, value: &T, fits: bool, code: Code) {
        self.key(key);
        if fits {
            value.write(self);
        } else {
            self.fault(code, "this value belongs to another type".into());
        }
    }

    /// Writes undeclared members. One with a declared key is written if that member is absent.
    pub fn extra(&mut self, start: usize, keys: &[&str], extra: &Object, fits: fn(&str) -> bool) {
        for (key, spelt, value) in extra.spelt() {
            let written = written(key);
            let declared = spelt.is_none() && keys.contains(&&*written);
            if declared && self.has(start, &written) {
                continue;
            }
            self.any_key(key, spelt);
            if declared || fits(value.text()) {
                value.write(self);
            } else {
                self.fault(Code::WrongType, "extra content is of the wrong type".into());
            }
        }
    }

    /// Whether the object that begins at `start` already has a member.
    fn has(&self, start: usize, key: &str) -> bool {
        let object = ["{", &self.text[start..], "}"].concat();
        let found = JsonRef::of_text(&object)
            .parts()
            .any(|(each, _)| each == key);
        found
    }

    /// Writes the members of a flattened object, except those with declared keys.
    pub fn flattened<T: Codec>(&mut self, start: usize, keys: &[&str], value: &T) {
        let here = self.text.len();
        value.write(self);
        let object = self.text.split_off(here);
        if let Some(fault) = &mut self.fault {
            if fault.at >= here {
                fault
                    .below
                    .insert_str(0, &pointer_to(&object, fault.at - here));
                fault.at = start - 1;
            }
        }
        let object = JsonRef::of_text(&object);
        if object.kind() != Kind::Object {
            self.comma();
            return self.fault(Code::WrongType, "expected object".into());
        }
        for (key, value) in object.parts() {
            let key = canonical(key);
            if !keys.contains(&&*key) {
                self.constant(&key, value.text());
            }
        }
    }
}

/// The pointer to the value that begins at a position of JSON text, which may be incomplete.
fn pointer_to(text: &str, place: usize) -> String {
    enum Step {
        Item(usize),
        Member(String),
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut at = 0;
    while at < place {
        match text.as_bytes()[at] {
            b'"' => {
                let end = string_end(text, at);
                if text.as_bytes().get(end) == Some(&b':') {
                    steps.pop();
                    let key = unescaped(&text[at + 1..end - 1]);
                    steps.push(Step::Member(escape_step(&key)));
                }
                at = end;
                continue;
            }
            b'{' => steps.push(Step::Member(String::new())),
            b'[' => steps.push(Step::Item(0)),
            b'}' | b']' => {
                steps.pop();
            }
            b',' => {
                if let Some(Step::Item(index)) = steps.last_mut() {
                    *index += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    let step = |step| match step {
        Step::Item(index) => format!("/{index}"),
        Step::Member(key) => format!("/{key}"),
    };
    steps.into_iter().map(step).collect()
}

/// The position after the string that begins at `at`.
fn string_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    at = plain(bytes, at + 1);
    while at < bytes.len() && bytes[at] == b'\\' {
        at = plain(bytes, (at + 2).min(bytes.len()));
    }
    (at + 1).min(bytes.len())
}

/// The canonical spelling of a key.
fn written(key: &str) -> Cow<'_, str> {
    if plain(key.as_bytes(), 0) == key.len() {
        return Cow::Borrowed(key);
    }
    let mut written = String::with_capacity(key.len() + 8);
    push_escaped(&mut written, key);
    Cow::Owned(written)
}

/// A key as a step of a JSON Pointer.
pub fn escape_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Whether JSON text nests deeper than [`MAX_DEPTH`].
pub fn deep(text: &str) -> bool {
    let brackets = text.bytes().filter(|c| matches!(c, b'[' | b'{')).count();
    brackets > MAX_DEPTH && depth(text) > MAX_DEPTH
}

/// How deep JSON text nests.
fn depth(text: &str) -> usize {
    let (mut depth, mut most, mut at) = (0_usize, 0, 0);
    while at < text.len() {
        match text.as_bytes()[at] {
            b'"' => {
                at = string_end(text, at);
                continue;
            }
            b'[' | b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    most
}

// --- what is written without help ---------------------------------------------------------------

/// Writes an integer, which must be exact as a double.
pub fn write_integer(number: i64, out: &mut Out) {
    if !(-MAX_INTEGER..=MAX_INTEGER).contains(&number) {
        let message = format!("expected an integer within ±{MAX_INTEGER}, got {number}");
        return out.fault(Code::OutOfRange, message);
    }
    push_display(&mut out.text, number);
}

/// Writes a number, which must be finite.
pub fn write_number(number: f64, out: &mut Out) {
    if !number.is_finite() {
        return out.fault(
            Code::OutOfRange,
            format!("expected a finite number, got {number}"),
        );
    }
    push_number(&mut out.text, number);
}

/// Writes the value of an Unknown, which must be one that the union keeps as that.
pub fn write_unknown<T>(raw: JsonRef<'_>, out: &mut Out)
where
    T: crate::codec::Choice + crate::codec::Wire,
{
    if !crate::cursor::attempt_unknown::<T>(raw.text()) {
        if let Err(error) = crate::validator::validate(T::RULE, raw.text(), crate::Mode::Lenient) {
            return out.fault_below(error.code, error.path, error.message);
        }
    }
    out.text.push_str(raw.text());
}

/// The test of extra content that may be anything.
pub fn anything(_: &str) -> bool {
    true
}

/// Whether a text is that of a value of the type.
pub fn is<T: Codec>(text: &str) -> bool {
    crate::cursor::attempt::<T>(text, true).is_ok()
}

impl<K: crate::map::Key, V> Map<K, V> {
    /// Whether the map has no entry under a key, spelt in whatever way.
    pub(crate) fn lacks(&self, key: &str) -> bool {
        !self.keys().any(|each| each.as_key() == key)
    }
}
