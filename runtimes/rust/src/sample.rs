//! A small protocol, written by hand in place of what polywire generates for a spec.

use std::fmt;

use crate::codec::{glob, Codec, Key, Wire};
use crate::engine::Slots;
use crate::error::{DecodeError, UnknownValue};
use crate::json::Json;
use crate::map::{Map, Object};
use crate::out::{text_of, Out};
use crate::presence::Presence;
use crate::table::{Rule, Scalar, WideKind};
use crate::undeclared::Undeclared;

/// An open enum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pitch {
    Low,
    High,
    Unknown(Undeclared<Pitch>),
}

texts! {
    Pitch "Pitch" 0 {
        Low "low",
        High "high",
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
        Cellar -1,
        Ground 0,
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
        0 Text,
        1 Number,
    } null 2 Null
}

wire! { Label "Label" 2 }

/// A literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiteralOne;

literals! { LiteralOne Scalar::Number(1.0), }

/// An inline union with a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum AllOrSome {
    All,
    List(Vec<i64>),
}

kinds! {
    AllOrSome {
        0 All = Scalar::Text("all"),
        1 List,
    }
}

wire! { AllOrSome "AllOrSome" 14 }

/// A list of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Nest(pub Vec<Nest>);

newtype! { Nest "Nest" 15 }

/// Members that lenient mode repairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Mended {
    pub may: Option<i64>,
    pub word: String,
    pub note: Presence<bool>,
    pub list: Vec<i64>,
    pub rest: Option<Object>,
    pub last: Option<Vec<bool>>,
    pub extra: Object,
}

records! {
    Mended "Mended" 16 {
        may,
        word,
        note,
        list,
        rest flat,
        last,
    }
}

/// A tag that is an integer, and a member that siblings claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbered {
    pub name: String,
    pub other: Option<String>,
    pub extra: Object,
}

records! {
    Numbered "Numbered" 17 {
        name guarded,
        other guarded,
    }
}

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

records! {
    Ring "Ring" 3 {
        id,
        sizes,
        at,
        note,
        ratio,
        floors,
        label,
        inner,
    }
}

/// Typed extra content, and a tag that may be left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Tone {
    pub kind: bool,
    pub pitch: Pitch,
    pub extra: Object,
}

records! {
    Tone "Tone" 4 {
        kind mark,
        pitch,
    }
}

/// A tag that varies, and takes unknown values of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub kind: String,
    pub why: Option<String>,
    pub extra: Object,
}

records! {
    Fault "Fault" 5 {
        kind guarded,
        why,
    }
}

/// A flattened object.
#[derive(Clone, Debug, PartialEq)]
pub struct Framed {
    pub from: String,
    pub shape: Shape,
    pub extra: Object,
}

records! {
    Framed "Framed" 6 {
        from,
        shape flat,
    }
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
        0 Ring (Ring),
        1 Tone (Tone),
        2 Fault (Fault),
        3 Framed (Framed),
        4 Gift (Gift),
    } unknown UnknownLine nested {
        PlainGift Gift,
        WrappedGift Gift,
    }
}

/// A closed union by members.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Circle(Circle),
    Square(Box<Square>),
}

union! {
    Shape "Shape" 8 {
        0 Circle (Circle),
        1 Square [Square],
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Circle {
    pub radius: f64,
    pub extra: Object,
}

records! {
    Circle "Circle" 9 {
        radius,
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Square {
    pub side: f64,
    pub extra: Object,
}

records! {
    Square "Square" 10 {
        side,
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
        0 Plain (PlainGift),
        1 Wrapped (WrappedGift),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlainGift {
    pub wrapped: Option<bool>,
    pub extra: Object,
}

records! {
    PlainGift "PlainGift" 12 {
        wrapped guarded,
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct WrappedGift {
    pub paper: String,
    pub extra: Object,
}

records! {
    WrappedGift "WrappedGift" 13 {
        paper,
    }
}

pub type ControlError = crate::controls::ControlError<Label, ErrorData>;

error_data! {
    Label;
    Tone Tone,
    Pitch Pitch,
    ;
    Scalar::Number(7.0) => Pitch Rule::Named(0),
}

controls! {
    Line, Json, "/answer", Some("{}");
    ControlError, Label, ErrorData::by_code;
    Ring Line::Ring(_), (), none;
    Tone Line::Tone(_), Tone, one Rule::Named(4);
    Fault Line::Fault(_), Option<Tone>, option Rule::Named(4), ErrorData::Tone Rule::Named(4);
    Framed Line::Framed(_), Circle, flat Rule::Named(9);
    PlainGift Line::Gift(Gift::Plain(_)), Presence<Pitch>, three PITCH_OR_NULL;
    WrappedGift Line::Gift(Gift::Wrapped(_)), Option<Json>, loose Rule::Json;
}

const PITCH_OR_NULL: Rule = Rule::Kinds(&[
    (WideKind::String, 0, Rule::Named(0)),
    (WideKind::Null, 1, Rule::Null),
]);

/// A response: with a note it is an answer, of the first floor only; a label or an inner ring says that it failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub floor: i64,
    pub note: Presence<Json>,
    pub label: Option<Label>,
    pub told: Option<Line>,
    pub extra: Object,
}

impl Codec for Reply {
    fn read(_slots: &mut Slots<'_>) -> Self {
        unimplemented!("it is only written")
    }

    fn write<'a>(&'a self, out: &mut Out<'a>) {
        out.integer(self.floor);
    }
}

responses! {
    Json, Label;
    Reply {
        error {
            when [. floor] Scalar::Number(0.0);
            message [? told { Line::Ring(held) => held [. id], Line::Framed(held) => held [. from], }];
            code [? label];
            data [~ note];
        }
        answer {
            when [. floor] Scalar::Number(1.0);
            result [held ~ note];
        }
    };
}

notifications! {
    Line;
    Gift,
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
    use crate::table::{
        Dispatch, Member, Repair, Row, Rule, Scalar, State, Struct, Values, WideKind,
    };

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
                (WideKind::String, 0, Rule::String),
                (WideKind::Number, 1, Rule::Integer),
                (WideKind::Null, 2, Rule::Null),
            ])),
        ),
        (
            "Ring",
            Row::Struct(Struct::of(
                &[
                    "kind", "version", "id", "sizes", "at", "note", "ratio", "floors", "label",
                    "inner",
                ],
                &[
                    Member::Constant(Scalar::Text("ring")),
                    Member::Constant(Scalar::Number(2.0)),
                    Member::Field(State::Required, Rule::Uuid),
                    Member::Field(State::Required, Rule::List(&Rule::Integer, 1, 3)),
                    Member::Field(State::Optional, Rule::Timestamp),
                    Member::Field(State::Presence, Rule::String),
                    Member::Field(State::Optional, Rule::Number),
                    Member::Field(State::Optional, Rule::Map(&Rule::Named(1), Some(0))),
                    Member::Field(State::Maybe, Rule::Named(2)),
                    Member::Field(State::Optional, Rule::Named(7)),
                ],
                None,
            )),
        ),
        (
            "Tone",
            Row::Struct(Struct::of(
                &["kind", "pitch"],
                &[
                    Member::Mark(Scalar::Text("tone")),
                    Member::Field(State::Required, Rule::Named(0)),
                ],
                Some(Rule::Integer),
            )),
        ),
        (
            "Fault",
            Row::Struct(Struct::of(
                &["kind", "why"],
                &[
                    Member::Tag(
                        false,
                        Rule::String,
                        Values::List(&[Scalar::Text("fault_lost")]),
                        Some("fault_*"),
                    ),
                    Member::Field(State::Optional, Rule::String),
                ],
                None,
            )),
        ),
        (
            "Framed",
            Row::Struct(Struct::of(
                &["kind", "from", "\0"],
                &[
                    Member::Constant(Scalar::Text("framed")),
                    Member::Field(State::Required, Rule::String),
                    Member::Flat(false, Rule::Named(8)),
                ],
                None,
            )),
        ),
        (
            "Line",
            Row::Union(
                true,
                Dispatch::Switch {
                    union: 7,
                    key: "kind",
                    cases: &[
                        (Scalar::Text("ring"), 0, Dispatch::Leaf(3)),
                        (Scalar::Text("tone"), 1, Dispatch::Leaf(4)),
                        (Scalar::Text("fault_lost"), 2, Dispatch::Leaf(5)),
                        (Scalar::Text("framed"), 3, Dispatch::Leaf(6)),
                        (Scalar::Text("gift"), 4, GIFT),
                    ],
                    prefixes: &[],
                    others: &[("fault_*", 2, 5)],
                    absent: Some(&(1, Dispatch::Leaf(4))),
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
                        (&["radius"], &["side"], 0, Dispatch::Leaf(9)),
                        (&["side"], &[], 1, Dispatch::Leaf(10)),
                    ],
                },
            ),
        ),
        (
            "Circle",
            object(&["radius"], &[Member::Field(State::Required, Rule::Number)]),
        ),
        (
            "Square",
            object(&["side"], &[Member::Field(State::Required, Rule::Number)]),
        ),
        ("Gift", Row::Union(false, GIFT)),
        (
            "PlainGift",
            object(
                &["kind", "wrapped"],
                &[
                    Member::Constant(Scalar::Text("gift")),
                    Member::Claimed(State::Optional, Rule::Boolean, &[Scalar::Bool(true)], &[]),
                ],
            ),
        ),
        (
            "WrappedGift",
            object(
                &["kind", "wrapped", "paper"],
                &[
                    Member::Constant(Scalar::Text("gift")),
                    Member::Constant(Scalar::Bool(true)),
                    Member::Field(State::Required, Rule::String),
                ],
            ),
        ),
        (
            "AllOrSome",
            Row::Alias(Rule::Kinds(&[
                (WideKind::String, 0, Rule::Literal(&Scalar::Text("all"))),
                (
                    WideKind::Array,
                    1,
                    Rule::List(&Rule::Integer, 0, usize::MAX),
                ),
            ])),
        ),
        (
            "Nest",
            Row::Alias(Rule::List(&Rule::Named(15), 0, usize::MAX)),
        ),
        (
            "Mended",
            object(
                &["may", "word", "note", "list", "\0", "last"],
                &[
                    Member::Repaired(State::Optional, Rule::Integer, Repair::Absent),
                    Member::Repaired(State::Required, Rule::String, Repair::Value("\"none\"")),
                    Member::Repaired(State::Presence, Rule::Boolean, Repair::Value("null")),
                    Member::Repaired(
                        State::Required,
                        Rule::List(&Rule::Integer, 0, 3),
                        Repair::Skip,
                    ),
                    Member::Flat(true, Rule::Object),
                    Member::Repaired(
                        State::Optional,
                        Rule::List(&Rule::Boolean, 0, usize::MAX),
                        Repair::SkipAbsent,
                    ),
                ],
            ),
        ),
        (
            "Numbered",
            object(
                &["n", "name", "other"],
                &[
                    Member::Integer(Scalar::Number(7.0)),
                    Member::Tag(false, Rule::String, Values::Prefix("_"), None),
                    Member::Claimed(State::Optional, Rule::String, &[], &["_"]),
                ],
            ),
        ),
    ];

    const GIFT: Dispatch = Dispatch::Switch {
        union: 11,
        key: "wrapped",
        cases: &[(Scalar::Bool(true), 1, Dispatch::Leaf(13))],
        prefixes: &[],
        others: &[],
        absent: Some(&(0, Dispatch::Leaf(12))),
    };

    const fn object(keys: &'static [&'static str], members: &'static [Member]) -> Row {
        Row::Struct(Struct::of(keys, members, None))
    }
}
