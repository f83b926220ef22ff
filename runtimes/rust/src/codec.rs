//! How values are read and written, and the macros that implement it for generated types.

#![allow(dead_code, unused_macros)] // not every protocol uses all of it

use crate::cursor::{Cursor, FastPathMiss, Read};
use crate::error::Code;
use crate::json::Json;
use crate::map::Map;
use crate::out::{write_integer, write_number, Out};
use crate::presence::Presence;
use crate::validator::Rule;

pub use crate::map::Key;

/// A type that can be read and written: those of the protocol, and those of their members.
pub trait Codec: Sized {
    /// Reads the next value.
    fn read(c: &mut Cursor<'_>) -> Read<Self>;
    /// Writes the value.
    fn write(&self, out: &mut Out);
}

/// A union.
pub trait Choice: Codec {
    /// Reads the next object as a variant; returns `None` if no variant matches and an open union can keep
    /// it: this one, or, if `open` is set, one around it.
    fn choose(c: &mut Cursor<'_>, open: bool) -> Read<Option<Self>>;
}

/// A type that can be decoded and encoded by itself: the types of the protocol, strings, numbers,
/// booleans, [`Json`], and lists, maps and options of these.
///
/// This trait cannot be implemented outside this crate. An alias, such as a list with bounds, is the type
/// that it stands for: strict mode checks the bounds of a list and the format of a string in members of
/// objects, but not where the list or string is the whole document.
pub trait Wire: Codec {
    /// The name in the protocol's specification; of an undeclared type the name of its JSON kind.
    const NAME: &'static str;

    #[doc(hidden)]
    const RULE: Rule;
}

macro_rules! kinds_of_json {
    ($($type:ty, $name:literal $rule:ident;)*) => {
        $(
            impl Wire for $type {
                const NAME: &'static str = $name;
                const RULE: Rule = Rule::$rule;
            }
        )*
    };
}

kinds_of_json! {
    Json, "json" Json;
    String, "string" String;
    bool, "boolean" Boolean;
    i64, "integer" Integer;
    f64, "number" Number;
}

impl<T: Wire> Wire for Vec<T> {
    const NAME: &'static str = "array";
    const RULE: Rule = Rule::List(&T::RULE, 0, usize::MAX);
}

impl<K: Key, V: Wire> Wire for Map<K, V> {
    const NAME: &'static str = "object";
    const RULE: Rule = Rule::Map(&V::RULE, K::ENUM);
}

/// `None` is null.
impl<T: Wire> Wire for Option<T> {
    const NAME: &'static str = T::NAME;
    const RULE: Rule = Rule::Nullable(&T::RULE);
}

impl Codec for String {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        c.string()
    }

    fn write(&self, out: &mut Out) {
        out.string(self);
    }
}

impl Codec for bool {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        c.boolean()
    }

    fn write(&self, out: &mut Out) {
        out.text.push_str(if *self { "true" } else { "false" });
    }
}

impl Codec for i64 {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        c.integer()
    }

    fn write(&self, out: &mut Out) {
        write_integer(*self, out);
    }
}

impl Codec for f64 {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        c.number()
    }

    fn write(&self, out: &mut Out) {
        write_number(*self, out);
    }
}

impl<T: Codec> Codec for Box<T> {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        T::read(c).map(Box::new)
    }

    fn write(&self, out: &mut Out) {
        T::write(self, out);
    }
}

impl<T: Codec> Codec for Option<T> {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        Ok(if c.null()? { None } else { Some(T::read(c)?) })
    }

    fn write(&self, out: &mut Out) {
        match self {
            Some(value) => value.write(out),
            None => out.text.push_str("null"),
        }
    }
}

impl<T: Codec> Codec for Presence<T> {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        Option::read(c).map(Presence::from)
    }

    fn write(&self, out: &mut Out) {
        match self {
            Presence::Present(value) => value.write(out),
            Presence::Absent | Presence::Null => out.text.push_str("null"),
        }
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        c.open(b'[')?;
        let mut items = Vec::new();
        let mut fresh = true;
        while c.more(b']', &mut fresh)? {
            items.push(T::read(c)?);
        }
        Ok(items)
    }

    fn write(&self, out: &mut Out) {
        out.text.push('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                out.text.push(',');
            }
            item.write(out);
        }
        out.text.push(']');
    }
}

/// Whether a text matches a pattern, in which `*` stands for any text, the empty one included.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// The code for a tag's value that is not allowed in its place.
pub const STRAY: Code = Code::UnknownValue;

/// The value of a member; a missing one is left to the validator.
pub fn given<T>(slot: Option<T>) -> Read<T> {
    slot.ok_or(FastPathMiss)
}

// Each row of `record!` is a member of an object: the place of its key, the key as JSON spells it, its
// role, the field, and what the role needs to know.

/// Declares the variable of a field while an object is read.
macro_rules! slot {
    (constant $field:ident) => {};
    (number $field:ident) => {};
    (flat $field:ident) => {
        let mut $field = String::new();
    };
    (maybe_flat $field:ident) => {
        let mut $field = String::new();
    };
    ($role:ident $field:ident) => {
        let mut $field = None;
    };
}

/// Reads a member.
macro_rules! fill {
    ($c:ident $extra:ident constant $key:literal $field:ident $value:literal) => {
        $c.constant($value)?
    };
    ($c:ident $extra:ident number $key:literal $field:ident $value:literal) => {
        $c.constant_number($value)?
    };
    ($c:ident $extra:ident mark $key:literal $field:ident $value:literal) => {{
        $c.constant($value)?;
        $field = Some(());
    }};
    ($c:ident $extra:ident optional $key:literal $field:ident) => {
        $c.optional(&mut $field, $key, &mut $extra)?
    };
    ($c:ident $extra:ident claimed $key:literal $field:ident $claimed:expr) => {{
        $c.optional(&mut $field, $key, &mut $extra)?;
        if $field.as_ref().is_some_and($claimed) {
            return Err(FastPathMiss);
        }
    }};
    ($c:ident $extra:ident tag $key:literal $field:ident $fits:expr) => {
        $field = Some(crate::codec::fitting(Codec::read($c)?, $fits)?)
    };
    ($c:ident $extra:ident maybe_tag $key:literal $field:ident $fits:expr) => {
        $field = Some(crate::codec::fitting(Codec::read($c)?, $fits)?)
    };
    ($c:ident $extra:ident flat $key:literal $field:ident) => {
        return Err(FastPathMiss)
    };
    ($c:ident $extra:ident maybe_flat $key:literal $field:ident) => {
        return Err(FastPathMiss)
    };
    ($c:ident $extra:ident $role:ident $key:literal $field:ident) => {
        $c.fill(&mut $field)?
    };
}

/// Accepts a value that passes a test.
pub fn fitting<T>(value: T, fits: fn(&T) -> bool) -> Read<T> {
    if fits(&value) {
        Ok(value)
    } else {
        Err(FastPathMiss)
    }
}

/// The value of a field after the object has been read.
macro_rules! take {
    ($c:ident required $field:ident) => {
        given($field)?
    };
    ($c:ident tag $field:ident) => {
        given($field)?
    };
    ($c:ident presence $field:ident) => {
        $field.unwrap_or(Presence::Absent)
    };
    ($c:ident mark $field:ident) => {
        $field.is_some()
    };
    ($c:ident flat $field:ident) => {
        $c.flattened($field)?
    };
    ($c:ident maybe_flat $field:ident) => {
        if $field.is_empty() {
            None
        } else {
            Some($c.flattened($field)?)
        }
    };
    ($c:ident $role:ident $field:ident) => {
        $field
    };
}

/// Writes a member.
macro_rules! put {
    ($self:ident $out:ident $start:ident constant $key:literal $field:ident $value:literal) => {
        $out.constant($key, $value);
    };
    ($self:ident $out:ident $start:ident number $key:literal $field:ident $value:literal) => {
        $out.constant($key, stringify!($value));
    };
    ($self:ident $out:ident $start:ident mark $key:literal $field:ident $value:literal) => {
        if $self.$field {
            $out.constant($key, $value);
        }
    };
    ($self:ident $out:ident $start:ident required $key:literal $field:ident) => {
        $out.member($key, &$self.$field);
    };
    ($self:ident $out:ident $start:ident presence $key:literal $field:ident) => {
        $out.presence($key, &$self.$field);
    };
    ($self:ident $out:ident $start:ident tag $key:literal $field:ident $fits:expr) => {
        let fits = ($fits)(&$self.$field);
        $out.checked($key, &$self.$field, fits, STRAY);
    };
    ($self:ident $out:ident $start:ident maybe_tag $key:literal $field:ident $fits:expr) => {
        if let Some(value) = &$self.$field {
            let fits = ($fits)(value);
            $out.checked($key, value, fits, STRAY);
        }
    };
    ($self:ident $out:ident $start:ident claimed $key:literal $field:ident $claimed:expr) => {
        if let Some(value) = &$self.$field {
            let fits = !($claimed)(value);
            $out.checked($key, value, fits, crate::error::Code::WrongConstant);
        }
    };
    ($self:ident $out:ident $start:ident flat $key:literal $field:ident) => {
        $out.flattened($start, Self::KEYS, &$self.$field);
    };
    ($self:ident $out:ident $start:ident maybe_flat $key:literal $field:ident) => {
        if let Some(value) = &$self.$field {
            $out.flattened($start, Self::KEYS, value);
        }
    };
    ($self:ident $out:ident $start:ident $role:ident $key:literal $field:ident) => {
        $out.optional($key, &$self.$field);
    };
}

/// Keeps a member that is not declared.
macro_rules! rest {
    ($c:ident $members:ident $extra:ident) => {
        $c.extra($members.key, &mut $extra)?
    };
    ($c:ident $members:ident $extra:ident typed $type:ty) => {
        $c.typed_extra::<$type>($members.key, &mut $extra)?
    };
    ($c:ident $members:ident $extra:ident into $field:ident) => {
        $c.part($members.key, &mut $field)?
    };
}

/// The test of extra content.
macro_rules! fits {
    () => {
        crate::out::anything
    };
    (typed $type:ty) => {
        crate::out::is::<$type>
    };
    (into $field:ident) => {
        crate::out::anything
    };
}

/// The codec of a struct.
macro_rules! record {
    (
        $type:ident $name:literal $place:literal { $($at:literal $key:literal $role:ident $field:ident $(($($more:tt)+))?)* }
        needs { $($needed:literal)* }
        fields { $($own:ident $how:ident)* }
        $(extra { $($rest:tt)+ })?
    ) => {
        impl $type {
            const KEYS: &'static [&'static str] = &[$($key),*];
        }

        impl Codec for $type {
            #[allow(unused_mut, unused_variables, unused_assignments, unreachable_code)]
            fn read(c: &mut Cursor<'_>) -> Read<Self> {
                let mut members = Members::open(c, Self::KEYS)?;
                let mut extra = Object::new();
                $(slot!($role $field);)*
                loop {
                    match members.next(c)? {
                        END => break,
                        $($at => fill!(c extra $role $key $field $($($more)+)?),)*
                        _ => rest!(c members extra $($($rest)+)?),
                    }
                }
                if $(!members.has($needed) ||)* false {
                    return Err(FastPathMiss);
                }
                c.distinct(&extra)?;
                Ok(Self { $($own: take!(c $how $own),)* extra })
            }

            #[allow(unused_variables)]
            fn write(&self, out: &mut Out) {
                let start = out.open('{');
                $(put!(self out start $role $key $field $($($more)+)?);)*
                if !self.extra.is_empty() {
                    out.extra(start, Self::KEYS, &self.extra, fits!($($($rest)+)?));
                }
                out.close(start, '}');
            }
        }

        wire! { $type $name $place }
    };
}

/// Implements `Wire` and serde's traits for a declared type.
macro_rules! wire {
    ($type:ident $name:literal $place:literal) => {
        impl Wire for $type {
            const NAME: &'static str = $name;
            const RULE: Rule = Rule::Named($place);
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::convert::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::convert::deserialize(deserializer)
            }
        }
    };
}

/// The codec of a union: its variants, its Unknown if it is open, and how a variant is chosen.
macro_rules! union {
    (
        $type:ident $name:literal $place:literal { $($variant:ident)* } $(unknown $unknown:ident)?
        |$c:ident, $open:ident| $choose:expr
    ) => {
        impl Choice for $type {
            #[allow(unused_variables)]
            fn choose($c: &mut Cursor<'_>, open: bool) -> Read<Option<Self>> {
                let $open = open $(|| { stringify!($unknown); true })?;
                $choose
            }
        }

        impl Codec for $type {
            fn read(c: &mut Cursor<'_>) -> Read<Self> {
                match Self::choose(c, false)? {
                    Some(value) => Ok(value),
                    $(None if { stringify!($unknown); true } => Ok($type::Unknown($unknown { raw: c.json()? })),)?
                    None => Err(FastPathMiss),
                }
            }

            fn write(&self, out: &mut Out) {
                match self {
                    $($type::$variant(value) => value.write(out),)*
                    $($type::Unknown($unknown { raw }) => write_unknown::<$type>(raw.view(), out),)?
                }
            }
        }

        wire! { $type $name $place }
    };
}

/// The codec and conversions of an enum of strings.
macro_rules! texts {
    ($type:ident $name:literal $place:literal { $($value:ident $text:literal)* } $($open:ident)?) => {
        impl $type {
            /// Every known value.
            pub const ALL: &'static [$type] = &[$($type::$value),*];

            /// The value on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $($type::$value => $text,)*
                    $($type::$open(text) => text,)?
                }
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl PartialEq<str> for $type {
            fn eq(&self, text: &str) -> bool {
                self.as_str() == text
            }
        }

        impl PartialEq<&str> for $type {
            fn eq(&self, text: &&str) -> bool {
                self.as_str() == *text
            }
        }

        impl Codec for $type {
            fn read(c: &mut Cursor<'_>) -> Read<Self> {
                let text = c.text()?;
                <$type as Key>::from_key(&text).ok_or(FastPathMiss)
            }

            fn write(&self, out: &mut Out) {
                out.string(self.as_str());
            }
        }

        impl Key for $type {
            const ENUM: Option<usize> = Some($place);

            fn from_key(text: &str) -> Option<Self> {
                match text {
                    $($text => Some($type::$value),)*
                    $(text => Some($type::$open(text.into())),)?
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }

            fn as_key(&self) -> &str {
                self.as_str()
            }
        }

        texts! { @ $type $($open)? }
        wire! { $type $name $place }
    };
    (@ $type:ident) => {
        impl std::str::FromStr for $type {
            type Err = UnknownValue;

            fn from_str(text: &str) -> Result<Self, UnknownValue> {
                <$type as Key>::from_key(text).ok_or_else(|| UnknownValue(text.into()))
            }
        }

        impl TryFrom<&str> for $type {
            type Error = UnknownValue;

            fn try_from(text: &str) -> Result<Self, UnknownValue> {
                text.parse()
            }
        }
    };
    (@ $type:ident $open:ident) => {
        impl $type {
            /// Whether this is one of the known values.
            #[must_use]
            pub fn is_known(&self) -> bool {
                !matches!(self, $type::$open(_))
            }
        }

        impl From<&str> for $type {
            fn from(text: &str) -> Self {
                <$type as Key>::from_key(text).unwrap_or_else(|| $type::$open(text.into()))
            }
        }

        impl From<String> for $type {
            fn from(text: String) -> Self {
                $type::from(text.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(text.into())
            }
        }
    };
}

/// The codec and conversions of an enum of integers.
macro_rules! numbers {
    ($type:ident $name:literal $place:literal { $($value:ident $number:literal)* } $($open:ident)?) => {
        impl $type {
            /// Every known value.
            pub const ALL: &'static [$type] = &[$($type::$value),*];

            /// The value on the wire.
            #[must_use]
            pub const fn as_i64(&self) -> i64 {
                match self {
                    $($type::$value => $number,)*
                    $($type::$open(number) => *number,)?
                }
            }

            fn of(number: i64) -> Option<Self> {
                match number {
                    $($number => Some($type::$value),)*
                    $(number => Some($type::$open(number)),)?
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.as_i64().fmt(f)
            }
        }

        impl std::str::FromStr for $type {
            type Err = UnknownValue;

            fn from_str(text: &str) -> Result<Self, UnknownValue> {
                let number = text.parse().ok();
                number.and_then($type::of).ok_or_else(|| UnknownValue(text.into()))
            }
        }

        impl From<$type> for i64 {
            fn from(value: $type) -> i64 {
                value.as_i64()
            }
        }

        impl Codec for $type {
            fn read(c: &mut Cursor<'_>) -> Read<Self> {
                $type::of(c.integer()?).ok_or(FastPathMiss)
            }

            fn write(&self, out: &mut Out) {
                write_integer(self.as_i64(), out);
            }
        }

        numbers! { @ $type $($open)? }
        wire! { $type $name $place }
    };
    (@ $type:ident) => {
        impl TryFrom<i64> for $type {
            type Error = UnknownValue;

            fn try_from(number: i64) -> Result<Self, UnknownValue> {
                $type::of(number).ok_or_else(|| UnknownValue(number.to_string()))
            }
        }
    };
    (@ $type:ident $open:ident) => {
        impl $type {
            /// Whether this is one of the known values.
            #[must_use]
            pub const fn is_known(&self) -> bool {
                !matches!(self, $type::$open(_))
            }
        }

        impl From<i64> for $type {
            fn from(number: i64) -> Self {
                $type::of(number).unwrap_or($type::$open(number))
            }
        }
    };
}

/// The codec of an inline union: each variant with the bytes that its values begin with.
macro_rules! kinds {
    ($type:ident { $($variant:ident($($byte:pat_param)|+))* } $(null $null:ident)?) => {
        impl Codec for $type {
            fn read(c: &mut Cursor<'_>) -> Read<Self> {
                match c.peek() {
                    $($($byte)|+ => Codec::read(c).map($type::$variant),)*
                    $(b'n' if { stringify!($null); c.null()? } => Ok($type::$null),)?
                    _ => Err(FastPathMiss),
                }
            }

            fn write(&self, out: &mut Out) {
                match self {
                    $($type::$variant(value) => value.write(out),)*
                    $($type::$null => out.text.push_str("null"),)?
                }
            }
        }
    };
}

/// Conversions into a union.
macro_rules! from {
    ($($from:ty => $type:ident |$value:ident| $made:expr;)*) => {
        $(
            impl From<$from> for $type {
                fn from($value: $from) -> Self {
                    $made
                }
            }
        )*
    };
}

/// Reads the input or output of a tool as the type for the tool's name, if there is one.
macro_rules! tools {
    ($name:ident $text:ident; $($when:expr => $variant:ident $rule:expr;)*) => {
        $(
            if $when {
                return crate::validator::decode($rule, $text, crate::Mode::Lenient)
                    .map(Self::$variant)
                    .map(Some);
            }
        )*
        Ok(None)
    };
}
