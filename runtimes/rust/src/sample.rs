//! A small, hand-written protocol that replaces the code that polywire generates from a spec.

use std::fmt;

use crate::codec::{Codec, Key, Wire};
use crate::engine::Slots;
use crate::error::UnknownValue;
use crate::json::Json;
use crate::map::{Map, Object};
use crate::out::Out;
use crate::presence::Presence;
use crate::table::{Rule, Scalar, WideKind};
use crate::text::glob;
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
    } Unknown;
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
    };
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
        0 Text (String),
        1 Number (i64),
        2 Null {},
    } wire("Label" 2);
}

/// A literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiteralOne;

literals! { LiteralOne Scalar::Number(1.0); }

/// An inline union with a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum AllOrSome {
    All,
    List(Vec<i64>),
}

kinds! {
    AllOrSome {
        0 All {Scalar::Text("all")},
        1 List (Vec<i64>),
    } wire("AllOrSome" 14);
}

/// A list of lists of the same type.
#[derive(Clone, Debug, PartialEq)]
pub struct Nest(pub Vec<Nest>);

newtype! { Nest "Nest" 15 (Vec<Nest>); }

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
    };
}

/// A tag that is an integer, and a member with values that belong to siblings.
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
    };
}

/// Members with every kind of presence, forms and bounds.
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
    };
}

/// Typed extra content, and an optional tag.
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
    };
}

/// A tag with several values, which accepts unknown values of a form.
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
    };
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
    };
}

/// An open union with a tag.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Ring(Ring),
    Tone(Tone),
    Fault(Fault),
    Framed(Framed),
    Gift(Gift),
    Unknown(UnknownLine),
}

/// An object that matches no variant of [`Line`].
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
    };
}

unknowns! {
    UnknownLine { 7, };
}

trees! {
    /// Entries with ids in several places.
    Wood<Line> {
        id: &[&["id", "from"]],
        parent: &[&["parent"]],
        attached: &[&["at"], &["host"]],
        previous: &[&["before"]],
    }
}

/// A closed union that is distinguished by members.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    Circle(Circle),
    Square(Box<Square>),
}

union! {
    Shape "Shape" 8 {
        0 Circle (Circle),
        1 Square [Square],
    };
}

#[derive(Clone, Debug, PartialEq)]
pub struct Circle {
    pub radius: f64,
    pub extra: Object,
}

records! {
    Circle "Circle" 9 {
        radius,
    };
}

#[derive(Clone, Debug, PartialEq)]
pub struct Square {
    pub side: f64,
    pub extra: Object,
}

records! {
    Square "Square" 10 {
        side,
    };
}

/// A union that is distinguished by a flag, open through [`Line`] only.
#[derive(Clone, Debug, PartialEq)]
pub enum Gift {
    Plain(PlainGift),
    Wrapped(WrappedGift),
}

union! {
    Gift "Gift" 11 {
        0 Plain (PlainGift),
        1 Wrapped (WrappedGift),
    };
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlainGift {
    pub wrapped: Option<bool>,
    pub extra: Object,
}

records! {
    PlainGift "PlainGift" 12 {
        wrapped guarded,
    };
}

#[derive(Clone, Debug, PartialEq)]
pub struct WrappedGift {
    pub paper: String,
    pub extra: Object,
}

records! {
    WrappedGift "WrappedGift" 13 {
        paper,
    };
}

pub use crate::session::Control;

error_data! {
    Label;
    Tone Tone,
    Pitch Pitch,
    ;
    Scalar::Number(7.0) => Pitch Rule::Named(0),
}

controls! {
    Label, ErrorData;
    Ring Sky, (), none;
    Tone both, Tone, one Rule::Named(4);
    Fault Sky, Option<Tone>, option Rule::Named(4), Tone Rule::Named(4);
    Framed Earth, Circle, flat Rule::Named(9);
    PlainGift both, Presence<Pitch>, three PITCH_OR_NULL;
    WrappedGift Earth, Option<Json>, loose Rule::Json;
}

const PITCH_OR_NULL: Rule = Rule::Kinds(&[
    (WideKind::String, 0, Rule::Named(0)),
    (WideKind::Null, 1, Rule::Null),
]);

/// A request in its envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub id: Label,
    pub ask: Line,
    pub extra: Object,
}

/// A response: with a note it is an answer, on the first floor only; a label or an inner ring marks a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub floor: i64,
    pub id: Option<Label>,
    pub note: Presence<Json>,
    pub label: Option<Label>,
    pub told: Option<Line>,
    pub extra: Object,
}

/// The message that cancels a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    pub id: Label,
    pub extra: Object,
}

/// A notification in its envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub news: Shape,
    pub extra: Object,
}

records! {
    Asked "Asked" 18 {
        id,
        ask,
    };
    Reply "Reply" 19 {
        floor,
        id,
        note,
        label,
        told,
    };
    Stop "Stop" 20 {
        id,
    };
    Told "Told" 21 {
        news,
    };
}

notifications! {
    |news| Shape => Told {
        let extra = Object::new();
        Told { news, extra }
    }
    Circle Earth,
}

envelopes! {
    id Label;
    request |id, ask| Line => Asked {
        let extra = Object::new();
        Asked { id, ask, extra }
    }
    response |id: Label, note| Json => Reply {
        Reply {
            floor: 1,
            id: Some(id),
            note: Presence::Present(note.unwrap_or_else(|| Object::new().into())),
            label: None,
            told: None,
            extra: Object::new(),
        }
    }
    refuse sure |id: Label, refusal: crate::controls::Refusal<Label>| => Reply {
        let told = Framed {
            from: refusal.message,
            shape: Shape::Circle(Circle {
                radius: 0.0,
                extra: Object::new(),
            }),
            extra: Object::new(),
        };
        Reply {
            floor: 0,
            id: Some(id),
            note: refusal.data.map_or(Presence::Absent, Presence::Present),
            label: refusal.code,
            told: Some(told.into()),
            extra: Object::new(),
        }
    }
    cancel |id: Label| => Stop {
        let extra = Object::new();
        Stop { id, extra }
    }
}

plain_envelope! {
    Asked [.id] [.ask] => Reply;
    refuse sure crate::controls::Refusal<Label> => Reply, Label::Number(404);
    cancel => Stop;
}

/// All messages of the peers.
#[derive(Clone, Debug, PartialEq)]
pub enum Talk {
    Asked(Box<Asked>),
    Reply(Box<Reply>),
    Stop(Stop),
    Told(Told),
    Pause(Square),
}

union! {
    Talk "Talk" 22 {
        0 Asked [Asked],
        1 Reply [Reply],
        2 Told (Told),
        3 Stop (Stop),
        4 Pause (Square),
    };
}

sessions! {
    peers {
        Sky "sky",
        Earth "earth",
    }
    types { Label, Line, Shape, Json, Label, ErrorData }
    id Rule::Named(2), integer;
    answer "/answer", Some("{}");
    cancelled false;
    releases [];
    refuse crate::controls::Refusal<Label>, sure, Label::Number(404);
    code Rule::Named(2);
    notify notification_envelope;
    cancel wrap_cancel;
    messages { Talk, Asked, Told, Reply, Stop, }
    responses { Talk, Reply, }
    request Asked [] { id [. id]; payload [. ask]; }
    notification Told [] { payload [. news]; }
    error Reply [when [. floor] Scalar::Number(0.0);] {
        id [? id];
        message [? told { Ring [. id], Framed [. from], }];
        code [? label];
        data [~ note];
    }
    response Reply [when [. floor] Scalar::Number(1.0);] { id [? id]; result [~ note]; }
    cancellation Stop [] { id [. id]; }
}

tools! {
    ToolInput input Object, name;
    Ring(Ring) name == "ring" => Rule::Named(3);
    Any(Json) glob("any_*", name) => Rule::Json;
}

/// The tables.
pub mod plan {
    use crate::table::{
        keys, Dispatch, Key, Member, Repair, Row, Rule, Scalar, State, Struct, Values, WideKind,
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
                keys![
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
                keys!["kind", "pitch"],
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
                keys!["kind", "why"],
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
                keys!["kind", "from", "\0"],
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
            object(
                keys!["radius"],
                &[Member::Field(State::Required, Rule::Number)],
            ),
        ),
        (
            "Square",
            object(
                keys!["side"],
                &[Member::Field(State::Required, Rule::Number)],
            ),
        ),
        ("Gift", Row::Union(false, GIFT)),
        (
            "PlainGift",
            object(
                keys!["kind", "wrapped"],
                &[
                    Member::Constant(Scalar::Text("gift")),
                    Member::Claimed(State::Optional, Rule::Boolean, &[Scalar::Bool(true)], &[]),
                ],
            ),
        ),
        (
            "WrappedGift",
            object(
                keys!["kind", "wrapped", "paper"],
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
                keys!["may", "word", "note", "list", "\0", "last"],
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
                keys!["n", "name", "other"],
                &[
                    Member::Integer(Scalar::Number(7.0)),
                    Member::Tag(false, Rule::String, Values::Prefix("_"), None),
                    Member::Claimed(State::Optional, Rule::String, &[], &["_"]),
                ],
            ),
        ),
        (
            "Asked",
            object(
                keys!["id", "ask"],
                &[
                    Member::Field(State::Required, Rule::Named(2)),
                    Member::Field(State::Required, Rule::Named(7)),
                ],
            ),
        ),
        (
            "Reply",
            object(
                keys!["floor", "id", "note", "label", "told"],
                &[
                    Member::Field(State::Required, Rule::Integer),
                    Member::Field(State::Maybe, Rule::Named(2)),
                    Member::Field(State::Presence, Rule::Json),
                    Member::Field(State::Maybe, Rule::Named(2)),
                    Member::Field(State::Optional, Rule::Named(7)),
                ],
            ),
        ),
        (
            "Stop",
            object(
                keys!["id"],
                &[Member::Field(State::Required, Rule::Named(2))],
            ),
        ),
        (
            "Told",
            object(
                keys!["news"],
                &[Member::Field(State::Required, Rule::Named(8))],
            ),
        ),
        (
            "Talk",
            Row::Union(
                false,
                Dispatch::Keys {
                    union: 22,
                    cases: &[
                        (&["ask"], &[], 0, Dispatch::Leaf(18)),
                        (&["floor"], &[], 1, Dispatch::Leaf(19)),
                        (&["news"], &[], 2, Dispatch::Leaf(21)),
                        (&["id"], &[], 3, Dispatch::Leaf(20)),
                        (&["side"], &[], 4, Dispatch::Leaf(10)),
                    ],
                },
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

    const fn object(keys: &'static [Key], members: &'static [Member]) -> Row {
        Row::Struct(Struct::of(keys, members, None))
    }
}

/// The launch table of options, which may be any object.
pub mod launches {
    use super::{Circle, Framed, Pitch, PlainGift, Shape, Tone, WrappedGift};
    use crate::{Json, Object};

    pub use crate::answers::Answering;

    pub const RELEASES: &[&str] = &["1.0", "1.1", "2.0"];

    impl crate::launch::Options for Object {
        const TABLE: &'static str = concat!(
            r#"{"arguments":["--first"],"environment":[["FROM","sample"],["NOT",null]],"inherit":"unless_given","#,
            r#""control":"begin","by":"what","options":["#,
            r#"{"name":"model","carry":[{"to":"flag","name":"--model","as":"value"}]},"#,
            r#"{"name":"tools","carry":[{"to":"flag","name":"--tools","as":"join"}]},"#,
            r#"{"name":"skills","carry":[{"to":"flag","name":"--tools","as":"join","wrap":"Skill(*)"}]},"#,
            r#"{"name":"settings","carry":[{"to":"flag","name":"--settings","as":"json","at":[]}]},"#,
            r#"{"name":"sandbox","carry":[{"to":"flag","name":"--settings","as":"json","keep":["empty"],"#,
            r#""at":["sandbox"]}]},"#,
            r#"{"name":"hooks","carry":[{"to":"control","name":"begin","as":"json","keep":["empty"],"at":["hooks"]}]},"#,
            r#"{"name":"decide","carry":[{"to":"flag","name":"--decide","as":"value","value":"stdio"}]},"#,
            r#"{"name":"late","carry":[{"to":"flag","name":"--late","as":"bare","when":[["kind","boolean"]],"#,
            r#""releases":[[2,2]]}]},"#,
            r#"{"name":"halls","carry":[{"to":"flag","name":"--halls","as":"bare","except":[[["off"],true]],"#,
            r#""with":{"option":"model","when":[["is",null],["is","m"]]}}]},"#,
            r#"{"name":"more","carry":[{"to":"flag","name":"--","as":"pairs"}]},"#,
            r#"{"name":"servers","kept":true},{"name":"env","carry":[{"to":"process","name":"environment","as":"value"}]}],"#,
            r#""conflicts":[{"fields":["model","decide"],"message":"Only one of both."}],"functions":["#,
            r#"{"path":["decide"],"control":"tone"},{"path":["also"],"control":"tone"},"#,
            r#"{"path":["hooks","*","*","run"],"control":"framed","list":true,"ids":["ids"],"wrap":"hook_*","#,
            r#""releases":[[1,2]],"id":["from"]},"#,
            r#"{"path":["servers","*","run"],"control":"gift","id":["paper"],"result":["a","b"],"none":[0]},"#,
            r#"{"path":["plain"],"control":"plain"},{"path":["stderr"],"receives":"stderr"},{"path":["ask"]},"#,
            r#"{"path":["signal"],"live":true}]}"#,
        );
    }

    functions! {
        Object;
        /// What decides.
        decide one ["decide"] { answers Tone, [] ([sure Pitch; . pitch]) -> Option<Tone> }
        /// What also decides.
        also one ["also"] { answers Tone, [] () -> Tone }
        /// Hooks.
        hooks list ["hooks" { key String } { index } "run"] {
            answers Framed, [. from] ([whole] [sure Shape; . shape]) -> Circle
        }
        /// Servers.
        servers one ["servers" { floor Pitch } "run"] { answers WrappedGift, [. paper] () -> Option<Json> }
        /// What takes plain gifts.
        plain one ["plain"] { answers PlainGift, [] ([maybe bool; ? wrapped]) -> Option<Pitch> }
        /// What is started in another way.
        ask one ["ask"] { placed }
        /// What receives the standard error.
        stderr one ["stderr"] { receives }
    }
}
