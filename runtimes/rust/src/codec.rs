//! Builds values from the slots of a document and writes them, and the macros that implement this for generated
//! types.
//!
//! Validity is decided elsewhere: by `engine` when a document is decoded, by `out` when a value is written.
//! Both use the tables; a type only has its fields in their order.

#![allow(dead_code, unused_macros)] // not every protocol uses all of it

use std::any::Any;

use crate::engine::{Slots, NONE, THERE};
use crate::json::Json;
use crate::map::Map;
use crate::out::{Members, Out};
use crate::presence::Presence;
use crate::table::Rule;

pub use crate::map::Key;

/// A type that can be read and written: the types of the protocol, and those of their members.
pub trait Codec: Sized + 'static {
    /// Builds the next value.
    fn read(slots: &mut Slots<'_>) -> Self;

    /// Writes the value.
    fn write<'a>(&'a self, out: &mut Out<'a>);

    /// Writes the value as the next member of an object.
    fn put<'a>(&'a self, members: &mut Members, out: &mut Out<'a>) {
        out.key(members);
        self.write(out);
    }

    /// Writes the value as the next item of a tuple.
    fn push_to<'a>(&'a self, out: &mut Out<'a>) {
        out.item();
        self.write(out);
    }

    /// Whether the value equals a scalar of the tables, for members that accept only some values.
    fn is(&self, _scalar: &crate::table::Scalar) -> bool {
        false
    }

    /// The text of a string or enum.
    fn as_text(&self) -> Option<&str> {
        None
    }

    /// Whether it is the `None` of an option.
    fn is_none(&self) -> bool {
        false
    }

    /// The value in a box or in the variants of unions; any other value is its own leaf.
    fn leaf(&self) -> &dyn Any {
        self
    }

    /// The same, to change it.
    fn leaf_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// A type that can be decoded and encoded on its own: the types of the protocol, strings, numbers, booleans,
/// [`Json`], and lists, maps and options of these.
///
/// This trait cannot be implemented outside this crate. An alias, such as a list with bounds, is the same as
/// its target type: strict mode checks the bounds of a list and the format of a string in members of objects,
/// but not if the list or string is the whole document.
pub trait Wire: Codec {
    /// The name in the protocol's specification; for an undeclared type, the name of its JSON kind, or its
    /// spelling.
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
    (), "null" Null;
}

impl<T: Wire> Wire for Vec<T> {
    const NAME: &'static str = "array";
    const RULE: Rule = Rule::List(&T::RULE, 0, usize::MAX);
}

impl<K: Key, V: Wire> Wire for Map<K, V> {
    const NAME: &'static str = "object";
    const RULE: Rule = Rule::Map(&V::RULE, K::ENUM);
}

impl<T: Wire> Wire for Box<T> {
    const NAME: &'static str = T::NAME;
    const RULE: Rule = T::RULE;
}

/// `None` is null.
impl<T: Wire> Wire for Option<T> {
    const NAME: &'static str = T::NAME;
    const RULE: Rule = Rule::Nullable(&T::RULE);
}

impl Codec for () {
    fn read(_slots: &mut Slots<'_>) -> Self {}

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        out.null();
    }
}

impl Codec for String {
    fn read(slots: &mut Slots<'_>) -> Self {
        slots.string()
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        out.text(self);
    }

    fn is(&self, scalar: &crate::table::Scalar) -> bool {
        scalar.is_text(self)
    }

    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl Codec for bool {
    fn read(slots: &mut Slots<'_>) -> Self {
        slots.flag()
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        out.boolean(*self);
    }

    fn is(&self, scalar: &crate::table::Scalar) -> bool {
        scalar.is_bool(*self)
    }
}

impl Codec for i64 {
    fn read(slots: &mut Slots<'_>) -> Self {
        slots.bits() as i64
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        out.integer(*self);
    }

    fn is(&self, scalar: &crate::table::Scalar) -> bool {
        scalar.is_number(*self as f64)
    }
}

impl Codec for f64 {
    fn read(slots: &mut Slots<'_>) -> Self {
        f64::from_bits(slots.bits())
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        out.number(*self);
    }

    fn is(&self, scalar: &crate::table::Scalar) -> bool {
        scalar.is_number(*self)
    }
}

impl Codec for Json {
    fn read(slots: &mut Slots<'_>) -> Self {
        let at = slots.take();
        Json::of_text(slots.tape().json(at))
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        out.json(self.view());
    }
}

impl<T: Codec> Codec for Box<T> {
    fn read(slots: &mut Slots<'_>) -> Self {
        Box::new(T::read(slots))
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        T::write(self, out);
    }

    fn is(&self, scalar: &crate::table::Scalar) -> bool {
        T::is(self, scalar)
    }

    fn leaf(&self) -> &dyn Any {
        T::leaf(self)
    }

    fn leaf_mut(&mut self) -> &mut dyn Any {
        T::leaf_mut(self)
    }
}

impl<T: Codec> Codec for Option<T> {
    fn read(slots: &mut Slots<'_>) -> Self {
        slots.is_there().then(|| T::read(slots))
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        match self {
            Some(value) => value.write(out),
            None => out.null(),
        }
    }

    /// `None` is null if a member may only be null, else absent.
    fn put<'a>(&'a self, members: &mut Members, out: &mut Out<'a>) {
        match self {
            Some(value) => {
                out.key(members);
                value.write(out);
            }
            None => out.none(members),
        }
    }

    fn is(&self, scalar: &crate::table::Scalar) -> bool {
        self.as_ref().is_some_and(|value| value.is(scalar))
    }

    fn as_text(&self) -> Option<&str> {
        self.as_ref().and_then(T::as_text)
    }

    fn is_none(&self) -> bool {
        Option::is_none(self)
    }
}

impl<T: Codec> Codec for Presence<T> {
    fn read(slots: &mut Slots<'_>) -> Self {
        match slots.take() {
            THERE => Presence::Present(T::read(slots)),
            NONE => Presence::Null,
            _ => Presence::Absent,
        }
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        match self {
            Presence::Present(value) => value.write(out),
            Presence::Absent | Presence::Null => out.null(),
        }
    }

    fn put<'a>(&'a self, members: &mut Members, out: &mut Out<'a>) {
        match self {
            Presence::Absent => out.absent(members),
            Presence::Null | Presence::Present(_) => {
                out.key(members);
                self.write(out);
            }
        }
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn read(slots: &mut Slots<'_>) -> Self {
        let length = slots.length();
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(T::read(slots));
        }
        items
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        let list = out.open(false);
        for item in self {
            out.item();
            item.write(out);
        }
        out.close(list);
    }
}

impl<K: Key, V: Codec> Codec for Map<K, V> {
    fn read(slots: &mut Slots<'_>) -> Self {
        let length = slots.length();
        let mut map = Map::with_capacity(length);
        for _ in 0..length {
            let (key, spelt) = slots.key();
            map.push(K::of(key), spelt, V::read(slots));
        }
        map
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        let object = out.open(true);
        for (key, spelt, value) in self.spelt() {
            out.any_key(key, spelt);
            value.write(out);
        }
        out.close(object);
    }
}

/// The items of a tuple after the eleventh, if it has more than twelve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TupleTail<T>(pub T);

/// A field as the unions whose variants share it return it: as it is, or borrowed from what holds it.
pub trait Shared<'a, T> {
    fn shared(&'a self) -> Option<T>;
}

/// What unions return for a field; `None` if it is absent or null.
#[inline]
pub fn shared<'a, T, F: Shared<'a, T>>(field: &'a F) -> Option<T> {
    field.shared()
}

macro_rules! shared {
    (@ $of:ty => $type:ty, |$field:ident| $value:expr $(, $parameter:ident)?) => {
        impl<'a $(, $parameter)?> Shared<'a, $type> for $of {
            #[inline]
            fn shared(&'a self) -> Option<$type> {
                let $field = self;
                $value
            }
        }
    };
    ($($holder:ident $get:ident,)*) => {
        $(
            shared! { @ $holder<bool> => bool, |field| field.$get().copied() }
            shared! { @ $holder<i64> => i64, |field| field.$get().copied() }
            shared! { @ $holder<f64> => f64, |field| field.$get().copied() }
            shared! { @ $holder<String> => &'a str, |field| field.$get().map(String::as_str) }
            shared! { @ $holder<Box<T>> => &'a T, |field| field.$get().map(|value| &**value), T }
            shared! { @ $holder<T> => &'a T, |field| field.$get(), T }
        )*
    };
}

shared! { Option as_ref, Presence value, }
shared! { @ bool => bool, |field| Some(*field) }
shared! { @ i64 => i64, |field| Some(*field) }
shared! { @ f64 => f64, |field| Some(*field) }
shared! { @ String => &'a str, |field| Some(field) }
shared! { @ Box<T> => &'a T, |field| Some(&**field), T }
shared! { @ T => &'a T, |field| Some(field), T }

/// Items that are written in sequence.
pub trait Items: Sized + 'static {
    fn read_all(slots: &mut Slots<'_>) -> Self;
    fn write_all<'a>(&'a self, out: &mut Out<'a>);
}

impl<T: Items> Codec for TupleTail<T> {
    fn read(slots: &mut Slots<'_>) -> Self {
        TupleTail(T::read_all(slots))
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        self.0.write_all(out);
    }

    fn push_to<'a>(&'a self, out: &mut Out<'a>) {
        self.0.write_all(out);
    }
}

macro_rules! tuples {
    ($($item:ident $number:tt,)*) => { tuples! { @ [] $($item $number,)* } };
    (@ [$($item:ident $number:tt,)*]) => { tuples! { @@ $($item $number,)* } };
    (@ [$($item:ident $number:tt,)*] $next:ident $at:tt, $($rest:tt)*) => {
        tuples! { @@ $($item $number,)* }
        tuples! { @ [$($item $number,)* $next $at,] $($rest)* }
    };
    (@@) => {};
    (@@ $($item:ident $number:tt,)*) => {
        impl<$($item: Codec),*> Items for ($($item,)*) {
            fn read_all(slots: &mut Slots<'_>) -> Self {
                ($($item::read(slots),)*)
            }

            fn write_all<'a>(&'a self, out: &mut Out<'a>) {
                $(self.$number.push_to(out);)*
            }
        }

        impl<$($item: Codec),*> Codec for ($($item,)*) {
            fn read(slots: &mut Slots<'_>) -> Self {
                Items::read_all(slots)
            }

            fn write<'a>(&'a self, out: &mut Out<'a>) {
                let list = out.open(false);
                self.write_all(out);
                out.close(list);
            }
        }

        impl<$($item: Wire),*> Wire for ($($item,)*) {
            const NAME: &'static str = "array";
            const RULE: Rule = Rule::Tuple(&[$($item::RULE),*]);
        }
    };
}

tuples! { A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, }

// `records!` has the fields of each struct in the order of the tables, with their roles if these affect how
// they are written.

/// Writes a field.
macro_rules! put {
    ($self:ident $members:ident $out:ident $field:ident) => {
        Codec::put(&$self.$field, &mut $members, $out)
    };
    ($self:ident $members:ident $out:ident $field:ident mark) => {
        $out.mark(&mut $members, $self.$field)
    };
    ($self:ident $members:ident $out:ident $field:ident $role:ident) => {
        $out.$role(&mut $members, &$self.$field)
    };
}

/// The codecs of structs.
macro_rules! records {
    ($($type:ident $name:literal $place:tt { $($field:ident $($role:ident)?,)* };)*) => {
        $(
            impl Codec for $type {
                fn read(slots: &mut Slots<'_>) -> Self {
                    Self {
                        $($field: Codec::read(slots),)*
                        extra: Codec::read(slots),
                    }
                }

                fn write<'a>(&'a self, out: &mut Out<'a>) {
                    #[allow(unused_mut)]
                    let mut members = out.object($place, &self.extra);
                    $(put!(self members out $field $($role)?);)*
                    out.end(members, &self.extra);
                }
            }

            wire! { $type $name $place }
            wanted! { $type Declared($place) }
        )*
    };
}

/// Lets readers be limited to a type.
macro_rules! wanted {
    ($type:ident $kind:ident($value:expr)) => {
        impl crate::filter::Wanted for $type {
            const KIND: crate::filter::Kind = crate::filter::Kind::$kind($value);
        }
    };
}

/// The methods of Unknowns, each of some unions, to which readers can be limited.
macro_rules! unknowns {
    ($($type:ident { $($place:tt,)* };)*) => {
        $(
            impl $type {
                /// A member of the object, such as its type.
                #[must_use]
                pub fn get(&self, key: &str) -> Option<crate::JsonRef<'_>> {
                    self.raw.get(key)
                }

                #[allow(dead_code)] // not every discriminator is a string
                pub(crate) fn text(&self, key: &str) -> std::borrow::Cow<'_, str> {
                    self.get(key).and_then(crate::JsonRef::as_str).unwrap_or_default()
                }
            }

            wanted! { $type Unknown(&[$($place),*]) }
        )*
    };
}

/// Implements `Wire` for a type of a rule.
macro_rules! ruled {
    ($type:ident ($name:expr) $rule:expr) => {
        impl Wire for $type {
            const NAME: &'static str = $name;
            const RULE: Rule = $rule;
        }
    };
}

/// Implements `Wire` and serde's traits for a declared type.
macro_rules! wire {
    ($type:ident $name:literal $place:tt) => {
        wire! { $type ($name) Rule::Named($place) }
    };
    ($type:ident ($name:expr) $rule:expr) => {
        ruled! { $type ($name) $rule }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::interop::serialize(crate::out::record(self), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::interop::deserialize(&<Self as Wire>::RULE, deserializer)
                    .map(|document| Codec::read(&mut document.slots()))
            }
        }
    };
}

/// A conversion.
macro_rules! from {
    ($from:ty => $type:ident |$value:ident| $made:expr) => {
        impl From<$from> for $type {
            fn from($value: $from) -> Self {
                $made
            }
        }
    };
}

/// The codecs of unions, and conversions into them: the variants by number with the types that they hold, in
/// brackets if boxed, the Unknown of an open one, and the types that the variants hold in turn.
macro_rules! union {
    ($(
        $type:ident $name:literal $place:tt { $($at:literal $variant:ident $held:tt,)* }
        $(unknown $unknown:ident)?
        $(nested { $($inner:ident $outer:ident,)* })?;
    )*) => {
        $(
            impl Codec for $type {
                fn read(slots: &mut Slots<'_>) -> Self {
                    match slots.take() {
                        $($at => $type::$variant(Codec::read(slots)),)*
                        $(crate::engine::UNKNOWN => $type::Unknown($unknown { raw: Codec::read(slots) }),)?
                        other => crate::engine::mismatch(other),
                    }
                }

                fn write<'a>(&'a self, out: &mut Out<'a>) {
                    match self {
                        $($type::$variant(value) => value.write(out),)*
                        $($type::Unknown($unknown { raw }) => out.unknown($place, raw.view()),)?
                    }
                }

                #[inline] // few unions are looked into
                fn leaf(&self) -> &dyn std::any::Any {
                    match self {
                        $($type::$variant(value) => value.leaf(),)*
                        $($type::Unknown(value @ $unknown { .. }) => value,)?
                    }
                }

                #[inline]
                fn leaf_mut(&mut self) -> &mut dyn std::any::Any {
                    match self {
                        $($type::$variant(value) => value.leaf_mut(),)*
                        $($type::Unknown(value @ $unknown { .. }) => value,)?
                    }
                }
            }

            $(union! { @ $type $variant $held })*

            $(from! { $unknown => $type |value| $type::Unknown(value) })?
            $($(from! { $inner => $type |value| $type::$outer(value.into()) })*)?

            wire! { $type $name $place }
            wanted! { $type Declared($place) }
        )*
    };
    (@ $type:ident $variant:ident [$held:ident]) => {
        from! { $held => $type |value| $type::$variant(Box::new(value)) }
    };
    (@ $type:ident $variant:ident ($held:ident)) => {
        from! { $held => $type |value| $type::$variant(value) }
    };
}

/// The codecs of inline unions, and conversions into them: the variants by number with the types that they hold, in
/// brackets if boxed; braces have the scalar of a literal, and nothing for null. The macro at the end, with its
/// arguments, implements `Wire`.
macro_rules! kinds {
    ($($type:ident { $($at:literal $variant:ident $held:tt,)* } $wire:ident($($rule:tt)*);)*) => {
        $(
            impl Codec for $type {
                fn read(slots: &mut Slots<'_>) -> Self {
                    match slots.take() {
                        $($at => kinds!(@ read slots $type $variant $held),)*
                        other => crate::engine::mismatch(other),
                    }
                }

                fn write<'a>(&'a self, out: &mut Out<'a>) {
                    match self {
                        $(kinds!(@ pattern value $type $variant $held) => kinds!(@ write value out $held),)*
                    }
                }

                fn is(&self, scalar: &crate::table::Scalar) -> bool {
                    match self {
                        $(kinds!(@ pattern value $type $variant $held) => kinds!(@ is value scalar $held),)*
                    }
                }
            }

            $(kinds! { @ from $type $variant $held })*

            $wire! { $type $($rule)* }
        )*
    };
    (@ read $slots:ident $type:ident $variant:ident {$($scalar:expr)?}) => { $type::$variant };
    (@ read $slots:ident $type:ident $variant:ident $held:tt) => { $type::$variant(Codec::read($slots)) };
    (@ pattern $value:ident $type:ident $variant:ident {$($scalar:expr)?}) => { $type::$variant };
    (@ pattern $value:ident $type:ident $variant:ident $held:tt) => { $type::$variant($value) };
    (@ write $value:ident $out:ident {}) => { $out.null() };
    (@ write $value:ident $out:ident {$scalar:expr}) => { $out.scalar(&$scalar) };
    (@ write $value:ident $out:ident $held:tt) => { $value.write($out) };
    (@ is $value:ident $other:ident {}) => { false };
    (@ is $value:ident $other:ident {$scalar:expr}) => { $scalar == *$other };
    (@ is $value:ident $other:ident $held:tt) => { Codec::is($value, $other) };
    (@ from $type:ident $variant:ident {$($scalar:expr)?}) => {};
    (@ from $type:ident $variant:ident (String)) => {
        from! { String => $type |value| $type::$variant(value) }
        from! { &str => $type |value| $type::$variant(value.into()) }
    };
    (@ from $type:ident $variant:ident ($held:ty)) => {
        from! { $held => $type |value| $type::$variant(value) }
    };
    (@ from $type:ident $variant:ident [$held:ty]) => {
        from! { $held => $type |value| $type::$variant(Box::new(value)) }
    };
}

/// The methods of an Unknown for its possible members: each with its key, type and rule.
macro_rules! views {
    ($of:ident; $($(#[$about:meta])* $name:ident $key:literal $type:ty = $rule:expr;)*) => {
        impl $of {
            $(
                $(#[$about])*
                #[must_use]
                pub fn $name(&self) -> Option<$type> {
                    crate::api::view(&self.raw, $key, &$rule)
                }
            )*
        }
    };
}

/// The codecs of aliases that are structs, and conversions from the types that they hold.
macro_rules! newtype {
    ($($type:ident $name:literal $place:tt ($held:ty);)*) => {
        $(
            impl Codec for $type {
                fn read(slots: &mut Slots<'_>) -> Self {
                    $type(Codec::read(slots))
                }

                fn write<'a>(&'a self, out: &mut Out<'a>) {
                    self.0.write(out);
                }
            }

            from! { $held => $type |value| $type(value) }
            wire! { $type $name $place }
        )*
    };
}

/// The codecs of literals.
macro_rules! literals {
    ($($type:ident $scalar:expr;)*) => {
        $(
            impl Codec for $type {
                fn read(_slots: &mut Slots<'_>) -> Self {
                    $type
                }

                fn write<'a>(&'a self, out: &mut Out<'a>) {
                    out.scalar(&$scalar);
                }

                fn is(&self, scalar: &crate::table::Scalar) -> bool {
                    $scalar == *scalar
                }
            }

            wire! { $type (crate::table::Scalar::name(&$scalar)) Rule::Literal(&$scalar) }
        )*
    };
}

/// The codecs and conversions of enums of strings.
macro_rules! texts {
    ($($type:ident $name:literal $place:tt { $($value:ident $text:literal,)* } $($open:ident)?;)*) => {
        $(
            impl $type {
                /// Every known value.
                pub const ALL: &'static [$type] = &[$($type::$value),*];

                /// The value on the wire.
                #[must_use]
                pub fn as_str(&self) -> &str {
                    match self {
                        $($type::$value => $text,)*
                        $($type::$open(text) => text.as_str(),)?
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
                fn read(slots: &mut Slots<'_>) -> Self {
                    match slots.length() {
                        at if at < $type::ALL.len() => $type::ALL[at].clone(),
                        $(_ if { stringify!($open); true } => $type::$open(Undeclared::new(slots.string())),)?
                        at => crate::engine::mismatch(at as u32),
                    }
                }

                fn write<'a>(&'a self, out: &mut Out<'a>) {
                    out.text(self.as_str());
                }

                fn is(&self, scalar: &crate::table::Scalar) -> bool {
                    scalar.is_text(self.as_str())
                }

                fn as_text(&self) -> Option<&str> {
                    Some(self.as_str())
                }
            }

            impl Key for $type {
                const ENUM: Option<usize> = Some($place);

                fn from_key(text: &str) -> Option<Self> {
                    match text {
                        $($text => Some($type::$value),)*
                        $(text => Some($type::$open(Undeclared::new(text.into()))),)?
                        #[allow(unreachable_patterns)]
                        _ => None,
                    }
                }

                fn of(text: String) -> Self {
                    match <$type as Key>::from_key(&text) {
                        Some(key) => key,
                        None => crate::engine::mismatch(0),
                    }
                }

                fn as_key(&self) -> &str {
                    self.as_str()
                }
            }

            texts! { @ $type $($open)? }
            wire! { $type $name $place }
        )*
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
                <$type as Key>::from_key(text).expect("an open enum has every value")
            }
        }

        impl From<String> for $type {
            fn from(text: String) -> Self {
                $type::from(text.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, std::convert::Infallible> {
                Ok(text.into())
            }
        }
    };
}

/// The codecs and conversions of enums of integers.
macro_rules! numbers {
    ($($type:ident $name:literal $place:tt { $($value:ident $number:literal,)* } $($open:ident)?;)*) => {
        $(
            impl $type {
                /// Every known value.
                pub const ALL: &'static [$type] = &[$($type::$value),*];

                /// The value on the wire.
                #[must_use]
                pub const fn as_i64(&self) -> i64 {
                    match self {
                        $($type::$value => $number,)*
                        $($type::$open(number) => number.as_i64(),)?
                    }
                }

                fn of(number: i64) -> Option<Self> {
                    match number {
                        $($number => Some($type::$value),)*
                        $(number => Some($type::$open(Undeclared::new(number))),)?
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
                fn read(slots: &mut Slots<'_>) -> Self {
                    match slots.length() {
                        at if at < $type::ALL.len() => $type::ALL[at].clone(),
                        $(_ if { stringify!($open); true } => $type::$open(Undeclared::new(slots.bits() as i64)),)?
                        at => crate::engine::mismatch(at as u32),
                    }
                }

                fn write<'a>(&'a self, out: &mut Out<'a>) {
                    out.integer(self.as_i64());
                }

                fn is(&self, scalar: &crate::table::Scalar) -> bool {
                    scalar.is_number(self.as_i64() as f64)
                }
            }

            numbers! { @ $type $($open)? }
            wire! { $type $name $place }
        )*
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
                $type::of(number).expect("an open enum has every value")
            }
        }
    };
}

/// Declares the inputs, or outputs, of tools: an enum with a variant for each tool, its type, the condition on the
/// name, and the rule. The first line names the enum, what it holds, and the variable of the name in conditions.
#[allow(unused_macros)] // not every protocol has tools
macro_rules! tools {
    (
        $tools:ident $what:ident $untyped:ty, $name:ident;
        $($(#[$about:meta])* $variant:ident($type:ty) $when:expr => $rule:expr;)*
    ) => {
        #[doc = concat!("The ", stringify!($what), " of a tool in the type declared for the tool's name.")]
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $tools {
            $($(#[$about])* $variant($type),)*
        }

        impl $tools {
            #[doc = concat!("Decodes the ", stringify!($what), " of a tool; returns `None` for an unknown tool.")]
            ///
            /// # Errors
            ///
            #[doc = concat!("Returns the first fault in the ", stringify!($what), ", with its path.")]
            pub fn decode($name: &str, $what: &$untyped) -> Result<Option<Self>, crate::DecodeError> {
                let text = tools!(@ $what $what);
                $(
                    if $when {
                        return crate::api::decode_as(&$rule, text.as_bytes(), crate::Mode::Lenient)
                            .map(Self::$variant)
                            .map(Some);
                    }
                )*
                Ok(None)
            }
        }
    };
    (@ input $object:ident) => { crate::out::text_of($object) };
    (@ output $json:ident) => { $json.text() };
}
