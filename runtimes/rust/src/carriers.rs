//! The building blocks of the launch tables (`launches`), which state how each option of a record is passed to the
//! process.
//!
//! Keys and paths are in canonical spelling, as in `table`; values are JSON texts without white space.

#![allow(dead_code)] // not every protocol uses all of it

/// The keys on the path to a part of a value.
pub type Way = &'static [&'static str];

/// Values required at paths: all of them must match. An absent value equals null.
pub type Conditions = &'static [(Way, &'static str)];

/// Releases, as the numbers of the first and the last of each range; empty for all releases.
pub type Spans = &'static [(usize, usize)];

/// How a record starts a process.
pub struct Table {
    /// The arguments that precede all others.
    pub arguments: &'static [&'static str],
    /// Variables with their default values, which apply if the environment has none; `None` removes the variable.
    pub environment: &'static [(&'static str, Option<&'static str>)],
    pub inherit: Inherit,
    /// The request that is sent even if no option contributes to it.
    pub control: Option<&'static str>,
    /// The member of a request that holds the name of its control.
    pub by: Option<&'static str>,
    pub options: &'static [Carried],
    pub conflicts: &'static [Conflict],
    pub functions: &'static [Function],
}

/// Whether the process also gets the client's own environment.
#[derive(Clone, Copy, PartialEq)]
pub enum Inherit {
    Always,
    UnlessGiven,
    Never,
}

/// An option and its carriers. An option that is kept is used only by the client.
pub struct Carried {
    pub name: &'static str,
    pub kept: bool,
    pub carry: &'static [Carrier],
}

/// Two options of which only one can be given, or that must differ.
pub struct Conflict {
    pub fields: [&'static str; 2],
    pub equal: bool,
    pub message: &'static str,
    pub releases: Spans,
}

/// The location of functions.
pub struct Function {
    /// The path to them, with `*` for any key or index.
    pub path: Way,
    /// The control that they answer.
    pub control: Option<&'static str>,
    /// The path from the object that contains them to the member for their ids, and the template for an id's number.
    pub ids: Option<(Way, Option<&'static str>)>,
    /// Whether there is a list of functions.
    pub list: bool,
    /// The releases that accept the ids.
    pub releases: Spans,
}

/// One of the ways in which an option is passed.
pub struct Carrier {
    pub to: To,
    /// The flag, the variable, the part of a process or the control.
    pub name: &'static str,
    pub form: Form,
    /// The part that is passed, of the value or of each of its items.
    pub from: Way,
    /// The conditions for items and entries to be passed, and to be left out.
    pub only: Conditions,
    pub except: Conditions,
    /// Members that are left out of items and entries.
    pub omit: &'static [&'static str],
    /// The delimiters of a text, which replaces `*`.
    pub wrap: Option<&'static str>,
    /// The values to which the carrier applies; any value if empty.
    pub when: &'static [When],
    /// The option that must not be passed for the carrier to apply, and the one that must be.
    pub unless: Option<&'static str>,
    pub with: Option<&'static str>,
    /// Whether empty values are passed, and 0.
    pub keeps_empty: bool,
    pub keeps_zero: bool,
    pub releases: Spans,
    /// The path in the payload of a request, or in the object that a flag takes.
    pub at: Option<Way>,
    /// What is passed instead of the value, and what is passed if the option is not given.
    pub value: Option<&'static str>,
    pub absent: Option<&'static str>,
}

impl Carrier {
    /// A carrier with default settings.
    pub const fn new(to: To, name: &'static str, form: Form) -> Self {
        Carrier {
            to,
            name,
            form,
            from: &[],
            only: &[],
            except: &[],
            omit: &[],
            wrap: None,
            when: &[],
            unless: None,
            with: None,
            keeps_empty: false,
            keeps_zero: false,
            releases: &[],
            at: None,
            value: None,
            absent: None,
        }
    }
}

/// The target of a carrier.
#[derive(Clone, Copy, PartialEq)]
pub enum To {
    Flag,
    Env,
    Control,
    Process,
}

/// The form in which a value is passed.
#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    Value,
    Bare,
    Join,
    Repeat,
    Json,
    Pairs,
    Keys,
    List,
}

/// A condition on a value: a scalar, a kind, or an object with values at paths.
pub enum When {
    Is(&'static str),
    Kind(&'static str),
    At(Conditions),
}
