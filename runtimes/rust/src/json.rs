//! Untouched JSON: values that no declared type describes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::error::DecodeError;
use crate::map::{Key, Map};
use crate::out::text_of;
use crate::text::{code_points, finite, plain, push_escaped, push_number, unescaped};

/// The kind of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without fraction and exponent.
    Integer,
    /// Any other number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Any JSON value, untouched: it preserves integers of up to 4,300 digits, the order of members and lone surrogates.
/// The value is stored as its text, without white space between tokens, and parsed on access. Two values
/// are equal if they are the same JSON value: of the same kind, numbers compared as doubles, members in
/// any order.
///
/// ```
/// use polywire_runtime::Json;
///
/// let json = Json::parse(r#"{ "path": ["a", 12345678901234567890] }"#)?;
/// assert_eq!(json.to_string(), r#"{"path":["a",12345678901234567890]}"#);
/// let path = json.get("path").unwrap();
/// assert_eq!(path.at(0).unwrap().as_str().as_deref(), Some("a"));
/// # Ok::<(), polywire_runtime::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct Json(Cow<'static, str>);

impl Json {
    /// `null`.
    pub const NULL: Json = Json(Cow::Borrowed("null"));

    pub(crate) fn of_text(text: String) -> Self {
        Json(Cow::Owned(text))
    }

    /// Parses one JSON text.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON, nests deeper than 128 levels, or has a number that overflows a double
    /// or an integer of more than 4,300 digits.
    pub fn parse(text: &str) -> Result<Self, DecodeError> {
        crate::decode(text)
    }

    /// The value, borrowed.
    #[must_use]
    pub fn view(&self) -> JsonRef<'_> {
        JsonRef(&self.0)
    }

    /// The JSON text, without white space between tokens.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The kind of the value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.view().kind()
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.view().is_null()
    }

    /// The value of `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        self.view().as_bool()
    }

    /// The value of an integer, if it fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.view().as_i64()
    }

    /// The nearest double of a number.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.view().as_f64()
    }

    /// The value of a string; a lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        self.view().as_str()
    }

    /// The member of an object under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<JsonRef<'_>> {
        self.view().get(key)
    }

    /// The item of an array at an index.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<JsonRef<'_>> {
        self.view().at(index)
    }

    /// The members of an object in order; empty for other kinds.
    pub fn members(&self) -> impl Iterator<Item = (Cow<'_, str>, JsonRef<'_>)> {
        self.view().members()
    }

    /// The items of an array in order; empty for other kinds.
    pub fn items(&self) -> impl Iterator<Item = JsonRef<'_>> {
        self.view().items()
    }
}

/// A part of a [`Json`], which it borrows.
#[derive(Clone, Copy)]
pub struct JsonRef<'a>(&'a str);

impl<'a> JsonRef<'a> {
    /// Wraps a text that is known to be JSON without white space between tokens.
    #[allow(dead_code)] // used only by launches
    pub(crate) const fn trusted(text: &'a str) -> Self {
        JsonRef(text)
    }

    /// The JSON text, without white space between tokens.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.0
    }

    /// The kind of the value.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.0.as_bytes()[0] {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Bool,
            b'"' => Kind::String,
            b'[' => Kind::Array,
            b'{' => Kind::Object,
            _ if self.0.contains(['.', 'e', 'E']) => Kind::Number,
            _ => Kind::Integer,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The value of `true` or `false`.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        self.0.parse().ok()
    }

    /// The value of an integer that fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The nearest double of a number.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.kind() {
            Kind::Integer | Kind::Number => self.0.parse().ok(),
            _ => None,
        }
    }

    /// The value of a string; a lone surrogate becomes U+FFFD.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::String).then(|| unescaped(between(self.0)))
    }

    /// The member of an object under a key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<JsonRef<'a>> {
        let wanted = |raw: &str| {
            if raw.contains('\\') {
                code_points(raw).eq(key.chars().map(u32::from))
            } else {
                raw == key
            }
        };
        self.parts()
            .find(|(raw, _)| wanted(raw))
            .map(|(_, value)| value)
    }

    /// The item of an array at an index.
    #[must_use]
    pub fn at(self, index: usize) -> Option<JsonRef<'a>> {
        self.items().nth(index)
    }

    /// The members of an object in order; empty for other kinds.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, JsonRef<'a>)> {
        self.parts().map(|(key, value)| (unescaped(key), value))
    }

    /// The items of an array in order; empty for other kinds.
    pub fn items(self) -> impl Iterator<Item = JsonRef<'a>> {
        let list = if self.kind() == Kind::Array {
            self.0
        } else {
            "[]"
        };
        Parts::of(list).map(|(_, value)| value)
    }

    /// The members of an object, with keys as spelt in the text.
    pub(crate) fn parts(self) -> impl Iterator<Item = (&'a str, JsonRef<'a>)> {
        Parts::of(if self.kind() == Kind::Object {
            self.0
        } else {
            "{}"
        })
    }

    /// Whether the value nests deeper than the given number of levels.
    pub(crate) fn is_deeper(self, than: usize) -> bool {
        // Counting brackets is faster. Only if there are enough of them is it necessary to skip those within strings.
        // A byte holds the count of a chunk, which lets compilers count several at once.
        let bracket = |c: &u8| u8::from(matches!(c, b'[' | b'{'));
        let brackets = |bytes: &[u8]| {
            bytes
                .chunks(255)
                .map(|chunk| usize::from(chunk.iter().map(bracket).sum::<u8>()))
                .sum::<usize>()
        };
        self.0.len() / 2 > than && brackets(self.0.as_bytes()) > than && self.depth(than) > than
    }

    /// The nesting depth of the value, counted up to just above a limit.
    fn depth(self, most: usize) -> usize {
        let (mut depth, mut deepest) = (0_usize, 0);
        for (_, c) in Marks::of(self.0) {
            match c {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            deepest = deepest.max(depth);
            if deepest > most {
                break;
            }
        }
        deepest
    }

    /// A copy of the value that borrows nothing.
    #[must_use]
    pub fn to_owned(self) -> Json {
        Json::of_text(self.0.into())
    }
}

/// The text without its first and last byte.
fn between(text: &str) -> &str {
    &text[1..text.len() - 1]
}

/// The parts of an array or object, which is valid JSON without white space.
struct Parts<'a> {
    rest: &'a str,
    keyed: bool,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        Parts {
            rest: between(text),
            keyed: text.starts_with('{'),
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest.get(1..).unwrap_or_default();
        taken
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = (&'a str, JsonRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let key = if self.keyed {
            let length = span(self.rest);
            between(self.take(length))
        } else {
            ""
        };
        let length = span(self.rest);
        Some((key, JsonRef(self.take(length))))
    }
}

/// The length of the value at the start of a JSON text.
fn span(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in Marks::of(text) {
        match c {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b',' | b':' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The bytes of JSON text that are not within strings, with their positions; a string is its opening quote. The text is
/// known to be valid as far as it goes.
pub(crate) struct Marks<'a> {
    bytes: &'a [u8],
    /// The position of the next one, which for a string is after its closing quote.
    pub(crate) at: usize,
}

impl<'a> Marks<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Marks { bytes, at: 0 }
    }
}

impl Iterator for Marks<'_> {
    type Item = (usize, u8);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let c = *self.bytes.get(at)?;
        if c == b'"' {
            self.at = plain(self.bytes, at + 1);
            while self.bytes.get(self.at) == Some(&b'\\') {
                self.at = plain(self.bytes, self.at + 2);
            }
        }
        self.at += 1;
        Some((at, c))
    }
}

impl PartialEq for JsonRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.0 == other.0 {
            return true;
        }
        match (self.kind(), other.kind()) {
            (Kind::Integer | Kind::Number, Kind::Integer | Kind::Number) => {
                // Numbers that overflow are equal only if their texts are.
                finite(self.0).is_some() && finite(self.0) == finite(other.0)
            }
            (Kind::String, Kind::String) => same_text(between(self.0), between(other.0)),
            (Kind::Array, Kind::Array) => self.items().eq(other.items()),
            (Kind::Object, Kind::Object) => same_members(*self, *other),
            _ => false,
        }
    }
}

fn same_text(one: &str, other: &str) -> bool {
    code_points(one).eq(code_points(other))
}

fn same_members(one: JsonRef<'_>, other: JsonRef<'_>) -> bool {
    fn sorted(object: JsonRef<'_>) -> Vec<(Vec<u32>, JsonRef<'_>)> {
        let mut members: Vec<_> = object
            .parts()
            .map(|(key, value)| (code_points(key).collect(), value))
            .collect();
        members.sort_by(|one: &(Vec<u32>, _), other| one.0.cmp(&other.0));
        members
    }
    sorted(one) == sorted(other)
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl fmt::Display for JsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for JsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Default for Json {
    fn default() -> Self {
        Json::NULL
    }
}

impl FromStr for Json {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        Json::parse(text)
    }
}

impl From<()> for Json {
    fn from((): ()) -> Self {
        Json::NULL
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json(Cow::Borrowed(if value { "true" } else { "false" }))
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        let mut made = String::with_capacity(text.len() + 2);
        made.push('"');
        push_escaped(&mut made, text);
        made.push('"');
        Json::of_text(made)
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::from(text.as_str())
    }
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(
            impl From<$type> for Json {
                fn from(number: $type) -> Self {
                    Json::of_text(number.to_string())
                }
            }
        )*
    };
}

integers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

/// NaN and infinity have no JSON representation and become `null`.
impl From<f64> for Json {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            let mut text = String::new();
            push_number(&mut text, number);
            Json::of_text(text)
        } else {
            Json::NULL
        }
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::NULL, Into::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut text = String::from("[");
        for item in items {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(item.into().text());
        }
        text.push(']');
        Json::of_text(text)
    }
}

impl<K: Key> From<Map<K, Json>> for Json {
    fn from(map: Map<K, Json>) -> Self {
        Json::of_text(text_of(&map))
    }
}

impl TryFrom<Json> for Map<String, Json> {
    type Error = Json;

    /// Converts an object to its members; other kinds are returned as the error.
    fn try_from(json: Json) -> Result<Self, Json> {
        crate::decode(json.text()).map_err(|_| json)
    }
}
