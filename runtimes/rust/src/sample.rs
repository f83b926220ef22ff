//! A small protocol, written by hand in place of what polywire generates for a spec.

use std::fmt;

use crate::codec::{given, glob, Choice, Codec, Key, Wire, STRAY};
use crate::controls::AnswerError;
use crate::cursor::{Cursor, FastPathMiss, Members, Read, END};
use crate::error::{DecodeError, EncodeError, UnknownValue};
use crate::json::Json;
use crate::map::{Map, Object};
use crate::out::{text_of, write_integer, write_unknown, Out};
use crate::presence::Presence;
use crate::validator::Rule;

/// An open enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pitch {
    Low,
    High,
    Unknown(String),
}

texts! {
    Pitch "Pitch" 0 {
        Low "low"
        High "high"
    } Unknown
}

/// A closed enum of integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Floor {
    Cellar,
    Ground,
}

numbers! {
    Floor "Floor" 1 {
        Cellar -1
        Ground 0
    }
}

/// An inline union.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    Text(String),
    Number(i64),
    Null,
}

kinds! {
    Label {
        Text(b'"')
        Number(b'-' | b'0'..=b'9')
    } null Null
}

wire! { Label "Label" 2 }

/// Members of every presence, forms and bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    pub id: String,
    pub sizes: Vec<i64>,
    pub at: Option<String>,
    pub note: Presence<String>,
    pub ratio: Option<f64>,
    pub floors: Option<Map<Pitch, Floor>>,
    pub label: Option<Label>,
    pub inner: Option<Box<Line>>,
    pub extra: Object,
}

record! {
    Ring "Ring" 3 {
        0 "kind" constant _none ("\"ring\"")
        1 "version" number _none (2.0)
        2 "id" required id
        3 "sizes" required sizes
        4 "at" optional at
        5 "note" presence note
        6 "ratio" optional ratio
        7 "floors" optional floors
        8 "label" maybe label
        9 "inner" optional inner
    }
    needs {0 1}
    fields {
        id required
        sizes required
        at optional
        note presence
        ratio optional
        floors optional
        label maybe
        inner optional
    }
}

/// Typed extra content, and a tag that may be left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Tone {
    pub kind: bool,
    pub pitch: Pitch,
    pub extra: Object,
}

record! {
    Tone "Tone" 4 {
        0 "kind" mark kind ("\"tone\"")
        1 "pitch" required pitch
    }
    needs {}
    fields {
        kind mark
        pitch required
    }
    extra {typed i64}
}

/// A tag that varies, and takes unknown values of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub kind: String,
    pub why: Option<String>,
    pub extra: Object,
}

record! {
    Fault "Fault" 5 {
        0 "kind" tag kind (|value: &String| *value == "fault_lost" || glob("fault_*", value))
        1 "why" optional why
    }
    needs {}
    fields {
        kind tag
        why optional
    }
}

/// A flattened object.
#[derive(Clone, Debug, PartialEq)]
pub struct Framed {
    pub from: String,
    pub shape: Shape,
    pub extra: Object,
}

record! {
    Framed "Framed" 6 {
        0 "kind" constant _none ("\"framed\"")
        1 "from" required from
        2 "\u{0}" flat shape
    }
    needs {0}
    fields {
        from required
        shape flat
    }
    extra {into shape}
}

/// An open union by a tag.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Ring(Ring),
    Tone(Tone),
    Fault(Fault),
    Framed(Framed),
    Gift(Gift),
    Unknown(UnknownLine),
}

/// An object that no variant of [`Line`] has.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownLine {
    pub raw: Json,
}

union! {
    Line "Line" 7 {
        Ring
        Tone
        Fault
        Framed
        Gift
    } unknown UnknownLine
    |c, open| {
        let Some(tag) = c.tag("kind")? else {
            return c.leaf(Self::Tone);
        };
        match &*tag {
            "ring" => c.leaf(Self::Ring),
            "tone" => c.leaf(Self::Tone),
            "fault_lost" => c.leaf(Self::Fault),
            "framed" => c.leaf(Self::Framed),
            "gift" => c.nested(open, Self::Gift),
            tag if glob("fault_*", tag) => c.catch_all(Self::Fault),
            _ => Ok(None),
        }
    }
}

/// A closed union by members.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Circle(Circle),
    Square(Square),
}

union! {
    Shape "Shape" 8 {
        Circle
        Square
    }
    |c, open| {
        match c.present(&["radius", "side"])?[..] {
            [true, false] => c.leaf(Self::Circle),
            [_, true] => c.leaf(Self::Square),
            _ => Err(FastPathMiss),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Circle {
    pub radius: f64,
    pub extra: Object,
}

record! {
    Circle "Circle" 9 {
        0 "radius" required radius
    }
    needs {}
    fields {
        radius required
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Square {
    pub side: f64,
    pub extra: Object,
}

record! {
    Square "Square" 10 {
        0 "side" required side
    }
    needs {}
    fields {
        side required
    }
}

/// A union by a flag, open through [`Line`] only.
#[derive(Clone, Debug, PartialEq)]
pub enum Gift {
    Plain(PlainGift),
    Wrapped(WrappedGift),
}

union! {
    Gift "Gift" 11 {
        Plain
        Wrapped
    }
    |c, open| {
        if let Some(value) = c.likely(Self::Plain, |value: &PlainGift| value.extra.lacks("wrapped")) {
            return Ok(Some(value));
        }
        match c.flag("wrapped")? {
            Some(true) => c.leaf(Self::Wrapped),
            _ => c.leaf(Self::Plain),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlainGift {
    pub wrapped: Option<bool>,
    pub extra: Object,
}

record! {
    PlainGift "PlainGift" 12 {
        0 "kind" constant _none ("\"gift\"")
        1 "wrapped" claimed wrapped (|value: &bool| *value)
    }
    needs {0}
    fields {
        wrapped claimed
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct WrappedGift {
    pub paper: String,
    pub extra: Object,
}

record! {
    WrappedGift "WrappedGift" 13 {
        0 "kind" constant _none ("\"gift\"")
        1 "wrapped" constant _none ("true")
        2 "paper" required paper
    }
    needs {0 1}
    fields {
        paper required
    }
}

from! {
    Ring => Line |value| Line::Ring(value);
    Tone => Line |value| Line::Tone(value);
    Fault => Line |value| Line::Fault(value);
    Framed => Line |value| Line::Framed(value);
}

controls! {
    Line, Object, "/answer";
    Ring (), none;
    Tone Tone, one Rule::Named(4);
    Fault Option<Tone>, option Rule::Named(4);
    Framed Circle, flat Rule::Named(9);
}

/// What tools take.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolInput {
    Ring(Ring),
    Any(Json),
}

impl ToolInput {
    pub fn decode(name: &str, input: &Object) -> Result<Option<Self>, DecodeError> {
        Self::read(name, &text_of(input))
    }

    fn read(name: &str, text: &str) -> Result<Option<Self>, DecodeError> {
        tools! {
            name text;
            name == "ring" => Ring Rule::Named(3);
            glob("any_*", name) => Any Rule::Json;
        }
    }
}

/// The tables.
pub mod plan {
    use crate::validator::{Dispatch, Field, Row, Rule, Scalar, Struct, Tag, Values, WideKind};

    pub static PLAN: &[(&str, Row)] = &[
        (
            "Pitch",
            Row::Enum(false, true, &[Scalar::Text("low"), Scalar::Text("high")]),
        ),
        (
            "Floor",
            Row::Enum(true, false, &[Scalar::Number(-1.0), Scalar::Number(0.0)]),
        ),
        (
            "Label",
            Row::Alias(Rule::Kinds(&[
                (WideKind::String, Rule::String),
                (WideKind::Number, Rule::Integer),
                (WideKind::Null, Rule::Null),
            ])),
        ),
        (
            "Ring",
            Row::Struct(Struct {
                tags: &[tag("kind", Scalar::Text("ring"))],
                consts: &[("version", Scalar::Number(2.0))],
                fields: &[
                    required("id", Rule::Uuid),
                    required("sizes", Rule::List(&Rule::Integer, 1, 3)),
                    optional("at", Rule::Timestamp),
                    Field {
                        nullable: true,
                        ..optional("note", Rule::String)
                    },
                    optional("ratio", Rule::Number),
                    optional("floors", Rule::Map(&Rule::Named(1), Some(0))),
                    optional("label", Rule::Named(2)),
                    optional("inner", Rule::Named(7)),
                ],
                extra: None,
            }),
        ),
        (
            "Tone",
            Row::Struct(Struct {
                tags: &[Tag {
                    optional: true,
                    ..tag("kind", Scalar::Text("tone"))
                }],
                consts: &[],
                fields: &[required("pitch", Rule::Named(0))],
                extra: Some(Rule::Integer),
            }),
        ),
        (
            "Fault",
            Row::Struct(Struct {
                tags: &[Tag {
                    key: "kind",
                    optional: false,
                    values: Values::List(&[Scalar::Text("fault_lost")]),
                    others: Some("fault_*"),
                }],
                consts: &[],
                fields: &[optional("why", Rule::String)],
                extra: None,
            }),
        ),
        (
            "Framed",
            Row::Struct(Struct {
                tags: &[tag("kind", Scalar::Text("framed"))],
                consts: &[],
                fields: &[
                    required("from", Rule::String),
                    Field {
                        flatten: true,
                        ..required("\0", Rule::Named(8))
                    },
                ],
                extra: None,
            }),
        ),
        (
            "Line",
            Row::Union(
                true,
                Dispatch::Switch {
                    union: 7,
                    key: "kind",
                    cases: &[
                        (Scalar::Text("ring"), Dispatch::Leaf(3)),
                        (Scalar::Text("tone"), Dispatch::Leaf(4)),
                        (Scalar::Text("fault_lost"), Dispatch::Leaf(5)),
                        (Scalar::Text("framed"), Dispatch::Leaf(6)),
                        (Scalar::Text("gift"), GIFT),
                    ],
                    others: &[("fault_*", 5)],
                    absent: Some(&Dispatch::Leaf(4)),
                },
            ),
        ),
        (
            "Shape",
            Row::Union(
                false,
                Dispatch::Keys {
                    union: 8,
                    cases: &[
                        (&["radius"], &["side"], Dispatch::Leaf(9)),
                        (&["side"], &[], Dispatch::Leaf(10)),
                    ],
                },
            ),
        ),
        ("Circle", object(&[required("radius", Rule::Number)])),
        ("Square", object(&[required("side", Rule::Number)])),
        ("Gift", Row::Union(false, GIFT)),
        (
            "PlainGift",
            Row::Struct(Struct {
                tags: &[tag("kind", Scalar::Text("gift"))],
                consts: &[],
                fields: &[Field {
                    claimed: &[Scalar::Bool(true)],
                    ..optional("wrapped", Rule::Boolean)
                }],
                extra: None,
            }),
        ),
        (
            "WrappedGift",
            Row::Struct(Struct {
                tags: &[
                    tag("kind", Scalar::Text("gift")),
                    tag("wrapped", Scalar::Bool(true)),
                ],
                consts: &[],
                fields: &[required("paper", Rule::String)],
                extra: None,
            }),
        ),
    ];

    const GIFT: Dispatch = Dispatch::Switch {
        union: 11,
        key: "wrapped",
        cases: &[(Scalar::Bool(true), Dispatch::Leaf(13))],
        others: &[],
        absent: Some(&Dispatch::Leaf(12)),
    };

    const fn tag(key: &'static str, constant: Scalar) -> Tag {
        Tag {
            key,
            optional: false,
            values: Values::Constant(constant),
            others: None,
        }
    }

    const fn required(key: &'static str, rule: Rule) -> Field {
        Field {
            key,
            rule,
            required: true,
            nullable: false,
            flatten: false,
            claimed: &[],
        }
    }

    const fn optional(key: &'static str, rule: Rule) -> Field {
        Field {
            required: false,
            ..required(key, rule)
        }
    }

    const fn object(fields: &'static [Field]) -> Row {
        Row::Struct(Struct {
            tags: &[],
            consts: &[],
            fields,
            extra: None,
        })
    }
}
