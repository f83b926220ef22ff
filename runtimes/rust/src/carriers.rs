//! The launch tables (`launches`), which state how each option of a record is passed to the process, and their reader.
//!
//! A table is JSON text without white space, in the format of all bindings. What describes options (their names, paths,
//! and the values that they are compared with) is kept in canonical spelling, as in `table`.

#![allow(dead_code)] // not every protocol uses all of it

use std::sync::Arc;

use crate::json::JsonRef;
use crate::launch::Value;
use crate::text::canonical;

/// The keys on the path to a part of a value.
pub type Way = Vec<String>;

/// Values required at paths: all of them must match. An absent value equals null.
pub type Conditions = Vec<(Way, Value)>;

/// Releases, as the numbers of the first and the last of each range; empty for all releases.
pub type Spans = Vec<(usize, usize)>;

/// How a record starts a process.
pub struct Table {
    /// The arguments that precede all others.
    pub arguments: Vec<String>,
    /// Variables with their default values, which apply if the environment has none; `None` removes the variable.
    pub environment: Vec<(String, Option<String>)>,
    /// Whether the process also gets the client's own environment: `always`, `never` or `unless_given`.
    pub inherit: String,
    /// The request that is sent even if no option contributes to it.
    pub control: Option<String>,
    /// The member of a request that holds the name of its control.
    pub by: Option<String>,
    pub options: Vec<Carried>,
    pub conflicts: Vec<Conflict>,
    pub functions: Vec<Function>,
}

impl Table {
    /// Reads the text of a table.
    pub fn of(text: &str) -> Self {
        let table = JsonRef::trusted(text);
        Table {
            arguments: list(table.get("arguments"), plain),
            environment: list(table.get("environment"), |pair| {
                (word(pair.at(0)), pair.at(1).and_then(maybe))
            }),
            inherit: word(table.get("inherit")),
            control: table.get("control").and_then(maybe),
            by: table.get("by").filter(|by| !by.is_null()).map(key),
            options: list(table.get("options"), |option| Carried {
                name: option.get("name").map(key).unwrap_or_default(),
                kept: is_set(option.get("kept")),
                carry: list(option.get("carry"), Carrier::of),
            }),
            conflicts: list(table.get("conflicts"), |conflict| Conflict {
                fields: list(conflict.get("fields"), key),
                equal: is_set(conflict.get("equal")),
                message: word(conflict.get("message")),
                releases: spans(conflict),
            }),
            functions: list(table.get("functions"), |function| Function {
                path: way(function.get("path")),
                control: function.get("control").and_then(maybe),
                receives: function.get("receives").and_then(maybe),
                live: is_set(function.get("live")),
                has_id: function.get("id").is_some(),
                returned: Arc::new(Returned {
                    result: way(function.get("result")),
                    none: function.get("none").map(|none| none.text().into()),
                }),
                ids: function.get("ids").map(|ids| way(Some(ids))),
                wrap: function.get("wrap").map(plain),
                list: is_set(function.get("list")),
                releases: spans(function),
            }),
        }
    }
}

/// An option and its carriers. An option that is kept is used only by the client.
pub struct Carried {
    pub name: String,
    pub kept: bool,
    pub carry: Vec<Carrier>,
}

/// Two options of which only one can be given, or that must differ.
pub struct Conflict {
    pub fields: Vec<String>,
    pub equal: bool,
    pub message: String,
    pub releases: Spans,
}

/// The location of functions.
pub struct Function {
    /// The path to them, with `*` for any key or index.
    pub path: Way,
    /// The control that they answer.
    pub control: Option<String>,
    /// The output of the process that they receive.
    pub receives: Option<String>,
    /// Whether an object, which is not called, is there instead.
    pub live: bool,
    /// Whether requests have the id of the function to call.
    pub has_id: bool,
    pub returned: Arc<Returned>,
    /// The path from the object that contains them to the member for their ids.
    pub ids: Option<Way>,
    /// The template for an id's number.
    pub wrap: Option<String>,
    /// Whether there is a list of functions.
    pub list: bool,
    /// The releases that accept the ids.
    pub releases: Spans,
}

/// How the value that a function returns becomes the result of a request.
#[derive(Debug, Default, PartialEq)]
pub struct Returned {
    /// The path to it in the result.
    pub result: Way,
    /// What stands for no value, as JSON.
    pub none: Option<String>,
}

impl Returned {
    /// The text of the result, given that of the returned value, where null is no value; `None` if there is none.
    pub fn result_of(&self, returned: &str) -> Option<String> {
        let value = match (returned, &self.none) {
            ("null", none) => none.as_deref()?,
            _ => returned,
        };
        let wrap = |inner: String, key: &String| format!("{{\"{key}\":{inner}}}");
        Some(self.result.iter().rev().fold(value.into(), wrap))
    }
}

/// One of the ways in which an option is passed.
pub struct Carrier {
    /// The target: `flag`, `env`, `control` or `process`.
    pub to: String,
    /// The flag, the variable, the part of a process or the control.
    pub name: String,
    /// The form: `value`, `bare`, `join`, `repeat`, `json`, `pairs`, `keys` or `list`.
    pub form: String,
    /// The part that is passed, of the value or of each of its items.
    pub from: Way,
    /// The conditions for items and entries to be passed, and to be left out.
    pub only: Conditions,
    pub except: Conditions,
    /// Members that are left out of items and entries.
    pub omit: Vec<String>,
    /// The delimiters of a text, which replaces `*`.
    pub wrap: Option<String>,
    /// The values to which the carrier applies; any value if empty.
    pub when: Vec<When>,
    /// The option that must not meet its conditions for the carrier to apply, and the one that must.
    pub unless: Option<OtherOption>,
    pub with: Option<OtherOption>,
    /// Whether empty values are passed, and 0.
    pub keeps_empty: bool,
    pub keeps_zero: bool,
    pub releases: Spans,
    /// The path in the payload of a request, or in the object that a flag takes.
    pub at: Option<Way>,
    /// What is passed instead of the value, and what is passed if the option is not given.
    pub value: Option<Value>,
    pub absent: Option<Value>,
}

impl Carrier {
    fn of(carrier: JsonRef<'_>) -> Self {
        let keep = list(carrier.get("keep"), plain);
        Carrier {
            to: word(carrier.get("to")),
            name: word(carrier.get("name")),
            form: word(carrier.get("as")),
            from: way(carrier.get("from")),
            only: conditions(carrier.get("only")),
            except: conditions(carrier.get("except")),
            omit: list(carrier.get("omit"), key),
            wrap: carrier.get("wrap").map(plain),
            when: list(carrier.get("when"), When::of),
            unless: carrier.get("unless").map(OtherOption::of),
            with: carrier.get("with").map(OtherOption::of),
            keeps_empty: keep.iter().any(|each| each == "empty"),
            keeps_zero: keep.iter().any(|each| each == "zero"),
            releases: spans(carrier),
            at: carrier.get("at").map(|at| way(Some(at))),
            value: carrier.get("value").map(Value::of),
            absent: carrier.get("absent").map(Value::of),
        }
    }
}

/// An option that has to meet one of the conditions, or to be passed if there are none.
pub struct OtherOption {
    pub option: String,
    pub when: Vec<When>,
}

impl OtherOption {
    fn of(other: JsonRef<'_>) -> Self {
        OtherOption {
            option: other.get("option").map(key).unwrap_or_default(),
            when: list(other.get("when"), When::of),
        }
    }
}

/// A condition on a value: a scalar, a kind, or an object with values at paths.
pub enum When {
    Is(Value),
    Kind(String),
    At(Conditions),
}

impl When {
    fn of(when: JsonRef<'_>) -> Self {
        match &*word(when.at(0)) {
            "at" => When::At(conditions(when.at(1))),
            "kind" => When::Kind(word(when.at(1))),
            _ => When::Is(value(when.at(1))),
        }
    }
}

fn list<'t, T>(items: Option<JsonRef<'t>>, of: impl Fn(JsonRef<'t>) -> T) -> Vec<T> {
    items.into_iter().flat_map(JsonRef::items).map(of).collect()
}

fn way(keys: Option<JsonRef<'_>>) -> Way {
    list(keys, key)
}

fn conditions(pairs: Option<JsonRef<'_>>) -> Conditions {
    list(pairs, |pair| (way(pair.at(0)), value(pair.at(1))))
}

fn spans(entry: JsonRef<'_>) -> Spans {
    let number = |json: Option<JsonRef<'_>>| json.and_then(|json| json.text().parse().ok());
    list(entry.get("releases"), |span| {
        let (first, last) = (number(span.at(0)), number(span.at(1)));
        (first.unwrap_or_default(), last.unwrap_or_default())
    })
}

fn value(json: Option<JsonRef<'_>>) -> Value {
    json.map_or(Value::Null, Value::of)
}

fn is_set(flag: Option<JsonRef<'_>>) -> bool {
    flag.and_then(JsonRef::as_bool).unwrap_or_default()
}

/// A text in canonical spelling.
fn key(text: JsonRef<'_>) -> String {
    let text = text.text();
    canonical(&text[1..text.len() - 1]).into()
}

fn maybe(text: JsonRef<'_>) -> Option<String> {
    text.as_str().map(Into::into)
}

fn plain(text: JsonRef<'_>) -> String {
    maybe(text).unwrap_or_default()
}

fn word(text: Option<JsonRef<'_>>) -> String {
    text.map(plain).unwrap_or_default()
}
