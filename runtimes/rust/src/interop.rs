//! Conversion of all types with serde: any `Deserializer` is recorded on a tape, which the engine decodes like
//! JSON text; a value is recorded as events, which any `Serializer` can serialize.

use std::fmt;

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::api::target;
use crate::codec::{Codec, Wire};
use crate::engine::{decode_tape, Document};
use crate::error::{Code, DecodeError, EncodeError};
use crate::json::{Json, JsonRef, Kind};
use crate::map::{Key, Map};
use crate::out::{Event, MemberKey, Part, Recorded};
use crate::table::Rule;
use crate::tape::{too_deep, Recording, Tape, Token, ROOT};
use crate::text::{unescaped, MAX_DEPTH, MAX_INTEGER};
use crate::Mode;

// --- from a type to a format --------------------------------------------------------------------

/// Serializes the events of a value.
#[allow(dead_code)] // not every protocol declares a type
pub fn serialize<S: Serializer>(
    events: Result<Vec<Event<'_>>, EncodeError>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let events = events.map_err(ser::Error::custom)?;
    match Recorded::first_of(&events) {
        Some(value) => value.serialize(serializer),
        None => serializer.serialize_unit(), // never, as each value has an event
    }
}

impl Serialize for Recorded<'_, '_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.part {
            Part::Null | Part::Key(_) => serializer.serialize_unit(),
            Part::Bool(value) => serializer.serialize_bool(value),
            Part::Integer(number) => serializer.serialize_i64(number),
            Part::Number(number) => serialize_number(number, serializer),
            Part::Text(text) => serializer.serialize_str(text),
            Part::Spelt(text) => serializer.serialize_str(&unescaped(text)),
            Part::Json(json) => json.serialize(serializer),
            Part::Array(count, _) => {
                let mut list = serializer.serialize_seq(Some(count))?;
                for item in self.items() {
                    list.serialize_element(&item)?;
                }
                list.end()
            }
            Part::Object(count, _) => {
                let mut map = serializer.serialize_map(Some(count))?;
                for (key, value) in self.members() {
                    match (key, value.part) {
                        // Most values are strings, for which this is the shortest way.
                        (MemberKey::Plain(key), Part::Text(text)) => {
                            map.serialize_entry(key, text)?;
                        }
                        (MemberKey::Plain(key), _) => map.serialize_entry(key, &value)?,
                        (MemberKey::Spelt(key), _) => {
                            map.serialize_entry(&*unescaped(key), &value)?;
                        }
                    }
                }
                map.end()
            }
        }
    }
}

/// Writes doubles that are integers as integers, as in JSON text.
fn serialize_number<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    let whole = number as i64;
    if whole as f64 == number && whole != 0 && (-MAX_INTEGER..=MAX_INTEGER).contains(&whole) {
        return serializer.serialize_i64(whole);
    }
    if number == 0.0 && number.is_sign_positive() {
        return serializer.serialize_i64(0);
    }
    serializer.serialize_f64(number)
}

/// Integers beyond 128 bits are an error, as serde has no type for them; a format may support fewer.
impl Serialize for JsonRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            Kind::Null => return serializer.serialize_unit(),
            Kind::Bool => return serializer.serialize_bool(self.text() == "true"),
            Kind::String => {
                return serializer.serialize_str(&self.as_str().unwrap_or_default());
            }
            Kind::Integer => return serialize_integer(self.text(), serializer),
            Kind::Number => {
                return serializer.serialize_f64(self.text().parse().unwrap_or_default())
            }
            Kind::Array | Kind::Object => {}
        }
        let tape = Tape::parse(self.text()).map_err(ser::Error::custom)?;
        let value = Untouched {
            tape: &tape,
            at: ROOT,
        };
        value.serialize(serializer)
    }
}

/// A value on a tape of untouched JSON.
#[derive(Clone, Copy)]
struct Untouched<'t, 'a> {
    tape: &'t Tape<'a>,
    at: u32,
}

impl Serialize for Untouched<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Untouched { tape, at } = *self;
        match tape.token(at) {
            Token::Null | Token::Link => serializer.serialize_unit(),
            Token::False => serializer.serialize_bool(false),
            Token::True => serializer.serialize_bool(true),
            Token::Text => serializer.serialize_str(&tape.text(at)),
            Token::Number => serializer.serialize_f64(tape.digits(at).parse().unwrap_or_default()),
            Token::Integer => serialize_integer(tape.digits(at), serializer),
            Token::Array => {
                let (mut items, mut count) = (tape.items(at), tape.items(at));
                let mut length = 0;
                while count.item(tape).is_some() {
                    length += 1;
                }
                let mut list = serializer.serialize_seq(Some(length))?;
                while let Some(at) = items.item(tape) {
                    list.serialize_element(&Untouched { tape, at })?;
                }
                list.end()
            }
            Token::Object => {
                let (mut members, mut count) = (tape.members(at), tape.members(at));
                let mut length = 0;
                while count.member(tape).is_some() {
                    length += 1;
                }
                let mut map = serializer.serialize_map(Some(length))?;
                while let Some((key, at)) = members.member(tape) {
                    map.serialize_entry(&tape.text(key), &Untouched { tape, at })?;
                }
                map.end()
            }
        }
    }
}

fn serialize_integer<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(number) = text.parse() {
        serializer.serialize_i64(number)
    } else if let Ok(number) = text.parse() {
        serializer.serialize_u64(number)
    } else if let Ok(number) = text.parse() {
        serializer.serialize_i128(number)
    } else {
        let message = format!("serde has no type for an integer of {} digits", text.len());
        Err(ser::Error::custom(message))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view().serialize(serializer)
    }
}

impl<K: Key, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key.as_key(), value)?;
        }
        map.end()
    }
}

// --- from a format to a type --------------------------------------------------------------------

/// Decodes the data of a deserializer with a rule, in lenient mode.
pub fn deserialize<'de, D: Deserializer<'de>>(
    rule: &Rule,
    deserializer: D,
) -> Result<Document<'static>, D::Error> {
    let mut recording = Recording::new();
    let recorder = Recorder {
        to: &mut recording,
        depth: 0,
    };
    recorder.deserialize(deserializer)?;
    let tape = recording.finish();
    tape.and_then(|tape| decode_tape(target(rule, Mode::Lenient), tape))
        .map_err(de::Error::custom)
}

impl<'de> de::Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(&Rule::Json, deserializer).map(|document| Codec::read(&mut document.slots()))
    }
}

impl<'de, K: Key, V: Wire> de::Deserialize<'de> for Map<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(&Self::RULE, deserializer).map(|document| Codec::read(&mut document.slots()))
    }
}

/// Records the values of any format.
struct Recorder<'a> {
    to: &'a mut Recording,
    depth: usize,
}

/// Records the key of a member.
struct KeyRecorder<'a>(&'a mut Recording);

/// How a format passed a text.
#[derive(Clone, Copy, PartialEq)]
enum Passed {
    Borrowed,
    Lent,
    Owned,
    /// It was another value.
    NoText,
}

/// The only key of the map with which serde_json passes a number if its feature `arbitrary_precision` is
/// enabled. Documents may have this key as well; there it has no special meaning.
const EXACT_NUMBER: &str = "$serde_json::private::Number";

/// Whether a map whose first key is [`EXACT_NUMBER`] is such a number: serde_json passes its key as borrowed text, and
/// its digits as an owned string. A key of a document is borrowed only together with its value, but for a value with
/// escapes, which the parser lends.
///
/// The types that `untagged`, `flatten` and tags need hold values in a buffer, which owns what was lent to it and lends
/// what it owns. Such a map has a length, unlike those of serde_json. In a buffer, only an object that has this key and
/// digits spelt with escapes cannot be told from a number.
fn is_exact_number(is_buffered: bool, key: Passed, digits: Passed) -> bool {
    let is_owned = digits == Passed::Owned || is_buffered && digits == Passed::Lent;
    key == Passed::Borrowed && is_owned
}

impl Recorder<'_> {
    fn deeper(&mut self) -> Recorder<'_> {
        Recorder {
            depth: self.depth + 1,
            to: self.to,
        }
    }

    fn check_depth<E: de::Error>(&self, most: usize) -> Result<(), E> {
        if self.depth >= most {
            return Err(E::custom(too_deep()));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Recorder<'_> {
    type Value = Passed;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Passed, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Records a text, and returns how it was passed.
macro_rules! visit_texts {
    (|$self:ident, $text:ident| $record:expr;) => {
        fn visit_borrowed_str<E>($self, $text: &'de str) -> Result<Passed, E> {
            $record;
            Ok(Passed::Borrowed)
        }

        fn visit_str<E>($self, $text: &str) -> Result<Passed, E> {
            $record;
            Ok(Passed::Lent)
        }

        fn visit_string<E>($self, $text: String) -> Result<Passed, E> {
            let $text = &$text;
            $record;
            Ok(Passed::Owned)
        }
    };
}

macro_rules! visit_integers {
    ($($name:ident $type:ty;)*) => {
        $(
            fn $name<E>(self, number: $type) -> Result<Passed, E> {
                self.to.integer(number);
                Ok(Passed::NoText)
            }
        )*
    };
}

impl<'de> Visitor<'de> for Recorder<'_> {
    type Value = Passed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Passed, E> {
        self.to.null();
        Ok(Passed::NoText)
    }

    fn visit_none<E: de::Error>(self) -> Result<Passed, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Passed, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Passed, D::Error> {
        self.deserialize(inner)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Passed, E> {
        self.to.boolean(value);
        Ok(Passed::NoText)
    }

    visit_integers! {
        visit_i64 i64;
        visit_u64 u64;
        visit_i128 i128;
        visit_u128 u128;
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Passed, E> {
        if !number.is_finite() {
            return Err(E::custom("expected a finite number"));
        }
        self.to.double(number);
        Ok(Passed::NoText)
    }

    visit_texts! { |self, text| self.to.text(text); }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Passed, A::Error> {
        self.check_depth(MAX_DEPTH)?;
        let list = self.to.open(Token::Array);
        while items.next_element_seed(self.deeper())?.is_some() {}
        self.to.close(list);
        Ok(Passed::NoText)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Passed, A::Error> {
        self.check_depth(MAX_DEPTH + 1)?; // which an exact number may reach, as it is no object
        let is_buffered = members.size_hint().is_some();
        let object = self.to.open(Token::Object);
        let mut key = members.next_key_seed(KeyRecorder(self.to))?;
        if let (Some(passed), true) = (key, self.to.ends_with(EXACT_NUMBER)) {
            let digits = members.next_value_seed(self.deeper())?;
            key = members.next_key_seed(KeyRecorder(self.to))?;
            if key.is_none()
                && is_exact_number(is_buffered, passed, digits)
                && self.to.make_number(object).map_err(de::Error::custom)?
            {
                return Ok(Passed::NoText);
            }
        }
        self.check_depth(MAX_DEPTH)?;
        while key.is_some() {
            members.next_value_seed(self.deeper())?;
            key = members.next_key_seed(KeyRecorder(self.to))?;
        }
        self.to.close(object);
        Ok(Passed::NoText)
    }
}

impl<'de> DeserializeSeed<'de> for KeyRecorder<'_> {
    type Value = Passed;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Passed, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeyRecorder<'_> {
    type Value = Passed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string as the key of a member")
    }

    visit_texts! { |self, text| self.0.text(text); }
}

// --- untouched JSON as a format -----------------------------------------------------------------

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        DecodeError {
            code: Code::WrongType,
            path: String::new(),
            message: message.to_string(),
        }
    }
}

/// Implements a deserializer by the value on a tape.
macro_rules! deserializer {
    ($(#[$doc:meta])* $type:ty: $value:ident => $untouched:expr) => {
        $(#[$doc])*
        impl<'de> Deserializer<'de> for $type {
            type Error = DecodeError;

            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
                let $value = self;
                $untouched.visit(visitor)
            }

            fn deserialize_option<V: Visitor<'de>>(
                self,
                visitor: V,
            ) -> Result<V::Value, DecodeError> {
                if self.is_null() {
                    visitor.visit_none()
                } else {
                    visitor.visit_some(self)
                }
            }

            fn deserialize_newtype_struct<V: Visitor<'de>>(
                self,
                _name: &'static str,
                visitor: V,
            ) -> Result<V::Value, DecodeError> {
                visitor.visit_newtype_struct(self)
            }

            fn deserialize_enum<V: Visitor<'de>>(
                self,
                _name: &'static str,
                _variants: &'static [&'static str],
                visitor: V,
            ) -> Result<V::Value, DecodeError> {
                let $value = self;
                visitor.visit_enum($untouched.variant()?)
            }

            serde::forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
                unit_struct seq tuple tuple_struct map struct identifier ignored_any
            }
        }
    };
}

deserializer! {
    /// Deserializes any serde type from the value. Its errors have no path.
    JsonRef<'de>: json => Untouched { tape: &Tape::parse(json.text())?, at: ROOT }
}
deserializer! {
    /// Deserializes any serde type from the value. Its errors have no path.
    &'de Json: json => Untouched { tape: &Tape::parse(json.text())?, at: ROOT }
}
deserializer! {
    Untouched<'_, 'de>: value => value
}

impl<'de> IntoDeserializer<'de, DecodeError> for &'de Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'t, 'de> Untouched<'t, 'de> {
    fn is_null(&self) -> bool {
        self.tape.token(self.at) == Token::Null
    }

    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Untouched { tape, at } = self;
        match tape.token(at) {
            Token::Null | Token::Link => visitor.visit_unit(),
            Token::False => visitor.visit_bool(false),
            Token::True => visitor.visit_bool(true),
            Token::Text => match tape.borrowed(at) {
                Some(text) => visitor.visit_borrowed_str(text),
                None => visitor.visit_str(&tape.text(at)), // lent, as `is_exact_number` expects of a parser
            },
            Token::Number => visitor.visit_f64(tape.digits(at).parse().unwrap_or_default()),
            Token::Integer => visit_integer(tape.digits(at), visitor),
            Token::Array => {
                let mut items = Items {
                    tape,
                    places: tape.items(at),
                    value: at,
                };
                let value = visitor.visit_seq(&mut items)?;
                items.end().map(|()| value)
            }
            Token::Object => {
                let mut members = Items {
                    tape,
                    places: tape.members(at),
                    value: at,
                };
                let value = visitor.visit_map(&mut members)?;
                members.end().map(|()| value)
            }
        }
    }

    /// A variant is a string, or the only member of an object.
    fn variant(self) -> Result<Variant<'t, 'de>, DecodeError> {
        let Untouched { tape, at } = self;
        if tape.token(at) == Token::Object {
            let mut members = tape.members(at);
            if let (Some((key, value)), None) = (members.member(tape), members.member(tape)) {
                let value = Some(value);
                return Ok(Variant { tape, key, value });
            }
        }
        if tape.token(at) == Token::Text {
            let (key, value) = (at, None);
            return Ok(Variant { tape, key, value });
        }
        let message = format!("expected a variant, got {}", tape.kind(at));
        Err(de::Error::custom(message))
    }
}

fn visit_integer<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, DecodeError> {
    if let Ok(number) = text.parse() {
        visitor.visit_i64(number)
    } else if let Ok(number) = text.parse() {
        visitor.visit_u64(number)
    } else if let Ok(number) = text.parse() {
        visitor.visit_i128(number)
    } else if let Ok(number) = text.parse() {
        visitor.visit_u128(number)
    } else {
        let message = format!("serde has no type for an integer of {} digits", text.len());
        Err(de::Error::custom(message))
    }
}

/// The items of an array, or the members of an object.
struct Items<'t, 'de> {
    tape: &'t Tape<'de>,
    places: crate::tape::Places,
    /// The value of the current member.
    value: u32,
}

impl Items<'_, '_> {
    /// Rejects items beyond those that a type accepts.
    fn end(mut self) -> Result<(), DecodeError> {
        match self.places.item(self.tape) {
            None => Ok(()),
            Some(_) => Err(de::Error::custom("expected fewer items")),
        }
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let tape = self.tape;
        match self.places.item(tape) {
            Some(at) => seed.deserialize(Untouched { tape, at }).map(Some),
            None => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for &mut Items<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        let tape = self.tape;
        let Some((at, value)) = self.places.member(tape) else {
            return Ok(None);
        };
        self.value = value;
        seed.deserialize(Untouched { tape, at }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        seed.deserialize(Untouched {
            tape: self.tape,
            at: self.value,
        })
    }
}

/// A variant of an enum, and its content.
struct Variant<'t, 'de> {
    tape: &'t Tape<'de>,
    key: u32,
    value: Option<u32>,
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), DecodeError> {
        let name = seed.deserialize(Untouched {
            tape: self.tape,
            at: self.key,
        })?;
        Ok((name, self))
    }
}

impl<'t, 'de> Variant<'t, 'de> {
    fn held(self) -> Result<Untouched<'t, 'de>, DecodeError> {
        let tape = self.tape;
        match self.value {
            Some(at) => Ok(Untouched { tape, at }),
            None => Err(de::Error::custom("expected a variant with a value")),
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.value {
            None => Ok(()),
            Some(_) => de::Deserialize::deserialize(self.held()?),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, DecodeError> {
        seed.deserialize(self.held()?)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.held()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.held()?.deserialize_any(visitor)
    }
}
