//! What the tables of launches (`launches`) are made of: how each option of a record travels to the process.
//!
//! Keys and places are in canonical spelling, as in `table`; values are JSON texts without white space.

#![allow(dead_code)] // not every protocol uses all of it

/// The keys on the way to a part of a value.
pub type Way = &'static [&'static str];

/// Values at places: all of them have to be there. Null is also what is not there.
pub type Conditions = &'static [(Way, &'static str)];

/// Releases as the numbers of the first and the last of each row of them; nothing for all.
pub type Spans = &'static [(usize, usize)];

/// How a record starts a process.
pub struct Table {
    /// The arguments before all others.
    pub arguments: &'static [&'static str],
    /// Variables, each with its text where the environment has none; without one it is taken out.
    pub environment: &'static [(&'static str, Option<&'static str>)],
    pub inherit: Inherit,
    /// The request that is sent even if no option has a part in it.
    pub control: Option<&'static str>,
    /// The member of a request that holds the name of its control.
    pub by: Option<&'static str>,
    pub options: &'static [Carried],
    pub conflicts: &'static [Conflict],
    pub functions: &'static [Function],
}

/// Whether the process has the client's own environment as well.
#[derive(Clone, Copy, PartialEq)]
pub enum Inherit {
    Always,
    UnlessGiven,
    Never,
}

/// An option and its carriers. One that is kept is for the client alone.
pub struct Carried {
    pub name: &'static str,
    pub kept: bool,
    pub carry: &'static [Carrier],
}

/// Two options of which only one can be given, or that cannot be equal.
pub struct Conflict {
    pub fields: [&'static str; 2],
    pub equal: bool,
    pub message: &'static str,
    pub releases: Spans,
}

/// Where functions stand.
pub struct Function {
    /// The way to them, with `*` for any key or index.
    pub path: Way,
    /// The control that they answer.
    pub control: Option<&'static str>,
    /// The way from their object to the member that holds their ids, and what stands around the number of one.
    pub ids: Option<(Way, Option<&'static str>)>,
    /// Whether there is a list of them.
    pub list: bool,
    /// The releases that take the ids.
    pub releases: Spans,
}

/// One way in which an option travels.
pub struct Carrier {
    pub to: To,
    /// The flag, the variable, the part of a process or the control.
    pub name: &'static str,
    pub form: Form,
    /// The part that travels, of the value or of each of its items.
    pub from: Way,
    /// The conditions of items and entries that travel, and of those that do not.
    pub only: Conditions,
    pub except: Conditions,
    /// Members that are left out of items and entries.
    pub omit: &'static [&'static str],
    /// What stands around a text, in place of `*`.
    pub wrap: Option<&'static str>,
    /// It applies if the value is one of these; any value if there are none.
    pub when: &'static [When],
    /// The option that must not travel, and the one that has to.
    pub unless: Option<&'static str>,
    pub with: Option<&'static str>,
    /// Whether empty values travel, and 0.
    pub keeps_empty: bool,
    pub keeps_zero: bool,
    pub releases: Spans,
    /// The place in the payload of a request, or in the object that a flag takes.
    pub at: Option<Way>,
    /// What travels in place of the value, and where the option is not given.
    pub value: Option<&'static str>,
    pub absent: Option<&'static str>,
}

impl Carrier {
    /// One that says nothing beyond its name.
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

/// What a carrier takes a value to.
#[derive(Clone, Copy, PartialEq)]
pub enum To {
    Flag,
    Env,
    Control,
    Process,
}

/// The form in which a value travels.
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

/// What a value is: a scalar, of a kind, or an object with values at places.
pub enum When {
    Is(&'static str),
    Kind(&'static str),
    At(Conditions),
}
