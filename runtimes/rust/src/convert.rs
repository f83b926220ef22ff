//! Serialization of all types through serde.
//!
//! Deserialization goes through JSON text and the same decoder as everything else, so the same rules
//! apply, whatever the format is.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::codec::{Codec, Wire};
use crate::cursor::{push_escaped, MAX_DEPTH};
use crate::json::{push_display, push_number, Json, JsonRef, Kind};
use crate::map::{Key, Map};
use crate::out::encode;
use crate::validator::decode;
use crate::Mode;

// --- from a type to a format --------------------------------------------------------------------

pub fn serialize<T: Codec, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let text = encode(value).map_err(ser::Error::custom)?;
    JsonRef::of_text(&text).serialize(serializer)
}

/// Integers beyond 128 bits are an error, as serde has no type for them; a format may support fewer.
impl Serialize for JsonRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool => serializer.serialize_bool(self.text() == "true"),
            Kind::String => serializer.serialize_str(&self.as_str().unwrap_or_default()),
            Kind::Number => serializer.serialize_f64(self.as_f64().unwrap_or_default()),
            Kind::Integer => serialize_integer(self.text(), serializer),
            Kind::Array => {
                let mut list = serializer.serialize_seq(Some(self.items().count()))?;
                for item in self.items() {
                    list.serialize_element(&item)?;
                }
                list.end()
            }
            Kind::Object => {
                let mut map = serializer.serialize_map(Some(self.parts().count()))?;
                for (key, value) in self.members() {
                    map.serialize_entry(&*key, &value)?;
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

pub fn deserialize<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut text = String::new();
    let transcriber = Transcriber {
        to: &mut text,
        depth: 0,
    };
    transcriber.deserialize(deserializer)?;
    decode(T::RULE, &text, Mode::Lenient).map_err(de::Error::custom)
}

impl<'de> de::Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

impl<'de, K: Key, V: Wire> de::Deserialize<'de> for Map<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

/// Writes the values of any format as JSON text.
struct Transcriber<'a> {
    to: &'a mut String,
    depth: usize,
}

/// The only key of the map in which serde_json passes a number where a build enables its feature
/// `arbitrary_precision`.
const EXACT_NUMBER: &str = "$serde_json::private::Number";

impl Transcriber<'_> {
    fn deeper(&mut self) -> Transcriber<'_> {
        Transcriber {
            depth: self.depth + 1,
            to: self.to,
        }
    }

    fn string(&mut self, text: &str) {
        self.to.push('"');
        push_escaped(self.to, text);
        self.to.push('"');
    }

    fn check_depth<E: de::Error>(&self) -> Result<(), E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Transcriber<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! visit_integers {
    ($($name:ident $type:ty;)*) => {
        $(
            fn $name<E>(self, number: $type) -> Result<(), E> {
                push_display(self.to, number);
                Ok(())
            }
        )*
    };
}

impl<'de> Visitor<'de> for Transcriber<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.to.push_str("null");
        Ok(())
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        self.deserialize(inner)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.to.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    visit_integers! {
        visit_i64 i64;
        visit_u64 u64;
        visit_i128 i128;
        visit_u128 u128;
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<(), E> {
        if !number.is_finite() {
            return Err(E::custom("expected a finite number"));
        }
        push_number(self.to, number);
        Ok(())
    }

    fn visit_str<E>(mut self, text: &str) -> Result<(), E> {
        self.string(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.check_depth()?;
        self.to.push('[');
        let start = self.to.len();
        loop {
            let end = self.to.len();
            if end > start {
                self.to.push(',');
            }
            if items.next_element_seed(self.deeper())?.is_none() {
                self.to.truncate(end);
                break;
            }
        }
        self.to.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.check_depth()?;
        self.to.push('{');
        let start = self.to.len();
        while let Some(key) = members.next_key::<String>()? {
            if key == EXACT_NUMBER && self.to.len() == start {
                self.to.truncate(start - 1);
                self.to.push_str(&members.next_value::<String>()?);
                return Ok(());
            }
            if self.to.len() > start {
                self.to.push(',');
            }
            self.string(&key);
            self.to.push(':');
            members.next_value_seed(self.deeper())?;
        }
        self.to.push('}');
        Ok(())
    }
}
