//! Converts options into a description of how to start a process with them: arguments, environment, working
//! directory, requests.
//!
//! [`launch()`] reads no file, no environment and no clock.

// The conversion follows the table of a record, which is part of the generated module `launches`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::carriers::{
    Carrier, Conflict, Function as Row, OtherOption, Returned, Table, Way, When,
};
use crate::codec::Wire;
use crate::error::EncodeError;
use crate::json::{Json, JsonRef, Kind};
use crate::launches::{Answering, RELEASES};
use crate::map::Map;
use crate::text::{canonical, finite, has_surrogate, push_escaped, unescaped};

/// A record of options that start a process.
///
/// This trait cannot be implemented outside this crate.
pub trait Options: Wire {
    #[doc(hidden)]
    const TABLE: &'static str;
}

/// Describes how to start a process of a release with options.
///
/// # Errors
///
/// Fails for options that conflict or cannot be passed to the process.
pub fn launch<O: Options>(options: &O, release: Release) -> Result<Launch, LaunchError> {
    launch_with(options, Functions::new(), release)
}

/// Describes how to start a process of a release with options, and with functions that belong to them.
///
/// # Errors
///
/// Fails for options that conflict or cannot be passed to the process, and for a function at a location that the
/// options do not have.
pub fn launch_with<O: Options>(
    options: &O,
    functions: Functions<O>,
    release: Release,
) -> Result<Launch, LaunchError> {
    let text = crate::out::encode(options)?;
    follow(&Table::of(O::TABLE), &text, functions.found, release.0)
}

/// A description of how to start a process.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Launch {
    /// The arguments, without the program.
    pub arguments: Vec<String>,
    /// The environment variables.
    pub environment: Environment,
    /// The working directory, if the options specify one.
    pub cwd: Option<String>,
    /// The program, if the options specify one.
    pub program: Option<String>,
    /// Arguments of the program that precede the script.
    pub program_arguments: Vec<String>,
    /// The script that the program runs, if the options specify one.
    pub script: Option<String>,
    /// The payloads of requests to send at the start, by control.
    pub requests: Map<String, Json>,
    /// The functions in the options, in the order of the document for each kind.
    pub functions: Vec<LaunchFunction>,
}

/// A function in options, and when it is called. Clones share the function, and are equal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LaunchFunction {
    /// Its location in the options, as a JSON Pointer.
    pub place: String,
    /// The control whose requests it answers.
    pub control: Option<String>,
    /// The id in a request that selects it; `None` if it answers all requests of the control.
    pub id: Option<String>,
    /// The output of the process with which it is called.
    pub receives: Option<String>,
    /// Whether it is an object that is not called.
    pub live: bool,
    pub(crate) function: Function,
    pub(crate) returned: Arc<Returned>,
}

/// A function as a process calls it.
#[derive(Clone, Debug, PartialEq)]
#[allow(dead_code)] // not every record has functions of each kind
pub(crate) enum Function {
    Answers(Answering),
    Receives(Receiver),
    /// Only its location is known.
    Placed,
}

/// A function that is called with an output of the process.
#[derive(Clone)]
pub(crate) struct Receiver(Arc<Mutex<Receive>>);

type Receive = dyn FnMut(&str) + Send;

#[allow(dead_code)] // not every record has such functions, and only processes call them
impl Receiver {
    pub(crate) fn new(function: impl FnMut(&str) + Send + 'static) -> Self {
        Receiver(Arc::new(Mutex::new(function)))
    }

    pub(crate) fn call(&self, text: &str) {
        let mut function = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (*function)(text);
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}

impl PartialEq for Receiver {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The environment variables of a process.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Environment {
    /// Whether the process also gets the client's own environment.
    pub inherit: bool,
    /// The variables to set.
    pub set: Map<String, String>,
    /// The variables to set if the environment has no such variable, or an empty one.
    pub defaults: Map<String, String>,
    /// The variables to remove from the environment.
    pub unset: Vec<String>,
}

impl Environment {
    /// The complete environment of the process for a client whose environment is `own`, such as
    /// [`std::env::vars_os`].
    pub fn over(
        &self,
        own: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> BTreeMap<OsString, OsString> {
        let mut found = BTreeMap::new();
        if self.inherit {
            found.extend(own);
        }
        for (name, text) in &self.set {
            found.insert(name.into(), text.into());
        }
        for (name, text) in &self.defaults {
            let there = found.entry(name.into()).or_default();
            if there.is_empty() {
                *there = text.into();
            }
        }
        for name in &self.unset {
            found.remove(OsString::from(name).as_os_str());
        }
        found
    }
}

/// The reason why a process cannot be started with the given options.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchError {
    /// Two options of which only one can be given.
    #[non_exhaustive]
    Conflict {
        /// The locations of both, as JSON Pointers.
        paths: [String; 2],
        /// A human-readable description.
        message: String,
    },
    /// An option, or a part of one, that cannot be passed to the process.
    #[non_exhaustive]
    CannotTravel {
        /// Its location, as a JSON Pointer.
        path: String,
        /// A human-readable description.
        message: String,
    },
    /// A release that the crate does not describe.
    #[non_exhaustive]
    UnknownRelease {
        /// The requested release.
        release: String,
    },
    /// The options are invalid.
    Encode(EncodeError),
}

impl LaunchError {
    /// The name of the kind of error, which is the same in all bindings.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            LaunchError::Conflict { .. } => "conflict",
            LaunchError::CannotTravel { .. } => "cannot_travel",
            LaunchError::UnknownRelease { .. } => "unknown_release",
            LaunchError::Encode(error) => error.code.as_str(),
        }
    }

    /// The locations of the options concerned, as JSON Pointers into the options.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let found: &[String] = match self {
            LaunchError::Conflict { paths, .. } => paths,
            LaunchError::CannotTravel { path, .. } => std::slice::from_ref(path),
            LaunchError::UnknownRelease { .. } => &[],
            LaunchError::Encode(error) => std::slice::from_ref(&error.path),
        };
        found.iter().map(String::as_str)
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Conflict { paths, message } => {
                write!(f, "conflict at {} and {}: {message}", paths[0], paths[1])
            }
            LaunchError::CannotTravel { path, message } => {
                write!(f, "cannot_travel at {path}: {message}")
            }
            LaunchError::UnknownRelease { release } => {
                let known = RELEASES.join(", ");
                write!(f, "there is no release {release:?}; known are {known}")
            }
            LaunchError::Encode(error) => error.fmt(f),
        }
    }
}

/// `Display` is that of the source, if there is one.
impl std::error::Error for LaunchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LaunchError::Encode(error) => Some(error),
            _ => None,
        }
    }
}

impl From<EncodeError> for LaunchError {
    fn from(error: EncodeError) -> Self {
        LaunchError::Encode(error)
    }
}

/// A release of the protocol that the crate describes, parsed from its name. The default is the newest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(usize);

impl Release {
    /// The oldest release.
    pub const OLDEST: Release = Release(0);

    /// The newest release.
    pub const NEWEST: Release = Release(RELEASES.len() - 1);

    /// Every release, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Release> + ExactSizeIterator {
        (0..RELEASES.len()).map(Release)
    }

    /// The name of the release.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        RELEASES[self.0]
    }
}

impl Default for Release {
    fn default() -> Self {
        Release::NEWEST
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Release({})", self.as_str())
    }
}

impl FromStr for Release {
    type Err = LaunchError;

    fn from_str(name: &str) -> Result<Self, LaunchError> {
        let found = RELEASES.iter().position(|each| *each == name);
        found
            .map(Release)
            .ok_or_else(|| LaunchError::UnknownRelease {
                release: name.into(),
            })
    }
}

// --- functions ----------------------------------------------------------------------------------

/// Functions that belong to options of type `O`, by their locations in the options. It has a method for each kind of
/// location. Clones share the functions.
#[derive(Clone, Debug)]
pub struct Functions<O> {
    found: Given,
    of: PhantomData<fn() -> O>,
}

/// Functions at a location, and below it by key or index.
#[derive(Clone, Debug, Default)]
struct Given {
    here: Vec<Function>,
    below: HashMap<String, Given>,
}

impl Given {
    fn at(&mut self, way: impl IntoIterator<Item = String>) -> &mut Vec<Function> {
        let mut at = self;
        for step in way {
            at = at.below.entry(step).or_default();
        }
        &mut at.here
    }

    fn count(&self) -> usize {
        self.here.len() + self.below.values().map(Given::count).sum::<usize>()
    }

    /// The pointer to the first location that has functions.
    fn first(&self) -> Option<String> {
        if !self.here.is_empty() {
            return Some(String::new());
        }
        let mut steps: Vec<_> = self.below.iter().collect();
        steps.sort_unstable_by_key(|(step, _)| *step);
        steps.into_iter().find_map(|(step, given)| {
            let rest = given.first()?;
            let mut found = String::new();
            push_step(&mut found, step);
            Some(found + &rest)
        })
    }
}

impl<O> Functions<O> {
    /// Creates an empty set of functions.
    #[must_use]
    pub fn new() -> Self {
        Functions {
            found: Given::default(),
            of: PhantomData,
        }
    }

    /// Puts a function at a location, in place of an earlier one, or adds it to a list.
    #[allow(dead_code)] // not every record has functions
    pub(crate) fn put<const N: usize>(
        mut self,
        way: [String; N],
        is_list: bool,
        function: Function,
    ) -> Self {
        let here = self.found.at(way);
        if !is_list {
            here.clear();
        }
        if here.is_empty() {
            here.reserve_exact(1); // most lists have one item
        }
        here.push(function);
        self
    }

    /// For conformance tests: puts a number of functions, which cannot be called, at the location given by a JSON
    /// Pointer.
    #[cfg(feature = "__conformance")]
    #[doc(hidden)]
    #[must_use]
    pub fn put_at(mut self, pointer: &str, count: usize) -> Self {
        let steps = pointer.split('/').skip(1);
        let way = steps.map(|step| step.replace("~1", "/").replace("~0", "~"));
        *self.found.at(way) = vec![Function::Placed; count];
        self
    }
}

impl<O> Default for Functions<O> {
    fn default() -> Self {
        Functions::new()
    }
}

/// Declares the methods that add functions for options. Each row has the name of a method, `one` or `list`, the path to
/// the function, and what calls it. On the path, braces enclose a parameter instead of a key: a name, and the type of
/// the key unless it is an index.
///
/// An output of the process is passed to the functions that it `receives`. Of functions that nothing here calls, only
/// the location is `placed`. Others answer a request: its type, the path
/// to the id of the function, as in `reach`; the values that it takes, each either the `whole` request or a type and
/// the path to a value that there is for `sure` or `maybe`; and the type that it returns.
#[allow(unused_macros)] // not every protocol has functions in options
macro_rules! functions {
    ($of:ty; $($(#[$about:meta])* $name:ident $how:ident [$($step:tt)*] $what:tt)*) => {
        impl crate::launch::Functions<$of> {
            $(functions! { @ method [$(#[$about])*] $name $how $what [] [] $($step)* })*
        }
    };
    (@ method $about:tt $name:ident $how:ident $what:tt [$($taken:tt)*] [$($way:expr,)*] $key:literal $($rest:tt)*) => {
        functions! { @ method $about $name $how $what [$($taken)*] [$($way,)* $key.into(),] $($rest)* }
    };
    (@ method $about:tt $name:ident $how:ident $what:tt [$($taken:tt)*] [$($way:expr,)*] { $index:ident } $($rest:tt)*) => {
        functions! {
            @ method $about $name $how $what [$($taken)* $index: usize,] [$($way,)* $index.to_string(),] $($rest)*
        }
    };
    (@ method $about:tt $name:ident $how:ident $what:tt [$($taken:tt)*] [$($way:expr,)*] { $key:ident $type:ty } $($rest:tt)*) => {
        functions! {
            @ method $about $name $how $what [$($taken)* $key: impl Into<$type>,]
            [$($way,)* Into::<$type>::into($key).as_str().into(),] $($rest)*
        }
    };
    (@ method [$($about:tt)*] $name:ident $how:ident { receives } [$($taken:tt)*] [$($way:expr,)*]) => {
        $($about)*
        #[must_use]
        pub fn $name(self, $($taken)* function: impl FnMut(&str) + Send + 'static) -> Self {
            let function = crate::launch::Receiver::new(function);
            let function = crate::launch::Function::Receives(function);
            self.put([$($way),*], functions!(@ is $how), function)
        }
    };
    (@ method [$($about:tt)*] $name:ident $how:ident { placed } [$($taken:tt)*] [$($way:expr,)*]) => {
        $($about)*
        #[must_use]
        pub fn $name(self, $($taken)*) -> Self {
            self.put([$($way),*], functions!(@ is $how), crate::launch::Function::Placed)
        }
    };
    (
        @ method [$($about:tt)*] $name:ident $how:ident
        { answers $request:ty, [$($id:tt)*] ($([$kind:ident $($value:tt)*])*) -> $returns:ty }
        [$($taken:tt)*] [$($way:expr,)*]
    ) => {
        $($about)*
        #[allow(deprecated)] // parameters may be deprecated members
        #[must_use]
        pub fn $name<A, E, F>(
            self,
            $($taken)*
            function: impl Fn($(functions!(@ type $kind $request, $($value)*)),*) -> F + Send + Sync + 'static,
        ) -> Self
        where
            A: Into<$returns> + Send + 'static,
            E: Into<crate::session::AnyRefusal> + Send + 'static,
            F: std::future::Future<Output = Result<A, E>> + Send + 'static,
        {
            let function = crate::answers::Answering::new::<$request, $returns, A, E, F>(
                |request| {
                    let asked = <$request as crate::pairs::Control>::find(request)?;
                    Some(functions!(@ id asked $($id)*))
                },
                move |asked: $request| {
                    let _ = &asked; // in case that the function takes nothing
                    function($(functions!(@ value $kind asked $($value)*)),*)
                },
            );
            let function = crate::launch::Function::Answers(function);
            self.put([$($way),*], functions!(@ is $how), function)
        }
    };
    (@ is one) => { false };
    (@ is list) => { true };
    (@ type whole $request:ty,) => { $request };
    (@ type sure $request:ty, $type:ty; $($way:tt)*) => { $type };
    (@ type maybe $request:ty, $type:ty; $($way:tt)*) => { Option<$type> };
    (@ id $asked:ident) => {{
        let _ = $asked;
        String::new()
    }};
    (@ id $asked:ident $($way:tt)+) => {
        reach!($asked [$($way)+]).map(crate::controls::told).unwrap_or_default()
    };
    (@ value whole $asked:ident) => { $asked.clone() };
    (@ value sure $asked:ident $type:ty; $($way:tt)*) => {
        functions!(@ value maybe $asked $type; $($way)*).expect("a required value is there")
    };
    (@ value maybe $asked:ident $type:ty; $($way:tt)*) => {
        reach!($asked [$($way)*]).map(|value| {
            let value: &$type = value; // not its box
            value.clone()
        })
    };
}

// --- values -------------------------------------------------------------------------------------

/// A JSON value. Numbers keep their spelling; texts and keys are in canonical spelling.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    pub(crate) fn of(json: JsonRef<'_>) -> Self {
        let text = json.text();
        match json.kind() {
            Kind::Null => Value::Null,
            Kind::Bool => Value::Bool(text == "true"),
            Kind::Integer | Kind::Number => Value::Number(text.into()),
            Kind::String => Value::Text(canonical(&text[1..text.len() - 1]).into()),
            Kind::Array => Value::List(json.items().map(Value::of).collect()),
            Kind::Object => {
                let members = json.parts();
                Value::Object(
                    members
                        .map(|(key, value)| (canonical(key).into(), Value::of(value)))
                        .collect(),
                )
            }
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::List(_) => "list",
            Value::Object(_) => "object",
        }
    }

    fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => {
                let mut same = members.iter().filter(|(name, _)| name == key);
                same.next().map(|(_, value)| value)
            }
            _ => None,
        }
    }

    fn part(&self, way: &[String]) -> Option<&Value> {
        way.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Sets the value at a path. Anything on the path that is not an object is replaced by one.
    fn put(&mut self, way: &[String], what: Value) {
        let Some((key, rest)) = way.split_first() else {
            *self = what;
            return;
        };
        if !matches!(self, Value::Object(_)) {
            *self = Value::Object(Vec::new());
        }
        if let Value::Object(members) = self {
            let at = members.iter().position(|(name, _)| name == key);
            let at = at.unwrap_or_else(|| {
                members.push((key.clone(), Value::Null));
                members.len() - 1
            });
            members[at].1.put(rest, what);
        }
    }

    /// Whether two values are equal; an absent value equals null.
    fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
        match (one.unwrap_or(&Value::Null), other.unwrap_or(&Value::Null)) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::Number(one), Value::Number(other)) => double(one) == double(other),
            (Value::Text(one), Value::Text(other)) => one == other,
            (Value::List(one), Value::List(other)) => {
                one.len() == other.len()
                    && (one.iter().zip(other))
                        .all(|(one, other)| Value::same(Some(one), Some(other)))
            }
            (Value::Object(one), Value::Object(other)) => {
                let members: HashMap<_, _> =
                    other.iter().map(|(key, value)| (key, value)).collect();
                let is_there = |(key, value): &(String, Value)| {
                    (members.get(key)).is_some_and(|other| Value::same(Some(value), Some(other)))
                };
                one.len() == other.len() && one.iter().all(is_there)
            }
            _ => false,
        }
    }

    fn meets(&self, conditions: &[(Way, Value)]) -> bool {
        (conditions.iter()).all(|(way, wanted)| Value::same(self.part(way), Some(wanted)))
    }

    fn push_json(&self, to: &mut String) {
        match self {
            Value::Null => to.push_str("null"),
            Value::Bool(true) => to.push_str("true"),
            Value::Bool(false) => to.push_str("false"),
            Value::Number(digits) => to.push_str(digits),
            Value::Text(raw) => push_quoted(to, raw),
            Value::List(items) => {
                to.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        to.push(',');
                    }
                    item.push_json(to);
                }
                to.push(']');
            }
            Value::Object(members) => {
                to.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        to.push(',');
                    }
                    push_quoted(to, key);
                    to.push(':');
                    value.push_json(to);
                }
                to.push('}');
            }
        }
    }

    fn json(&self) -> String {
        let mut text = String::new();
        self.push_json(&mut text);
        text
    }

    /// The path from here to the first number that overflows a double, as a pointer.
    fn overflow(&self) -> Option<String> {
        match self {
            Value::Number(digits) => finite(digits).is_none().then(String::new),
            Value::List(items) => {
                let mut found = items.iter().enumerate();
                found.find_map(|(at, item)| Some(format!("/{at}{}", item.overflow()?)))
            }
            Value::Object(members) => {
                (members.iter()).find_map(|(key, value)| Some(below("", key) + &value.overflow()?))
            }
            _ => None,
        }
    }
}

fn push_quoted(to: &mut String, raw: &str) {
    to.push('"');
    to.push_str(raw);
    to.push('"');
}

fn double(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::INFINITY)
}

/// Formats a number as ECMAScript does.
fn spelling(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let text = format!("{:e}", number.abs());
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (digits, power) = (mantissa.replace('.', ""), power.parse().unwrap_or(0_i32));
    let whole = usize::try_from(power + 1).unwrap_or(0); // the number of digits before the decimal point
    if (0..21).contains(&power) {
        if digits.len() <= whole {
            return format!("{sign}{digits:0<whole$}");
        }
        return format!("{sign}{}.{}", &digits[..whole], &digits[whole..]);
    }
    if (-6..0).contains(&power) {
        let zeros = "0".repeat(power.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    }
    let direction = if power > 0 { '+' } else { '-' };
    format!("{sign}{mantissa}e{direction}{}", power.unsigned_abs())
}

/// Appends a step to a JSON Pointer.
fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    for c in step.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(c),
        }
    }
}

/// The pointer to a member, whose key is in canonical spelling.
fn below(pointer: &str, raw: &str) -> String {
    let mut found = String::from(pointer);
    push_step(&mut found, &unescaped(raw));
    found
}

/// The pointer to a path.
fn pointer(way: &[String]) -> String {
    way.iter()
        .fold(String::new(), |found, key| below(&found, key))
}

fn cannot_travel(path: String, message: impl Into<String>) -> LaunchError {
    LaunchError::CannotTravel {
        path,
        message: message.into(),
    }
}

fn wrong_kind(expected: &str, value: &Value, path: String) -> LaunchError {
    let kind = value.kind();
    cannot_travel(
        path,
        format!("a {expected} was expected, this is of kind {kind}"),
    )
}

/// Text in canonical spelling, in the form for an argument or a variable.
fn plain_text(raw: &str, path: impl FnOnce() -> String) -> Result<String, LaunchError> {
    if has_surrogate(raw) {
        return Err(cannot_travel(
            path(),
            "an argument cannot contain a lone surrogate",
        ));
    }
    let text = unescaped(raw);
    if text.contains('\0') {
        return Err(cannot_travel(
            path(),
            "an argument or variable cannot contain U+0000",
        ));
    }
    Ok(text.into())
}

/// A value in the form for an argument or a variable.
fn argument(value: &Value, path: impl FnOnce() -> String) -> Result<String, LaunchError> {
    match value {
        Value::Text(raw) => plain_text(raw, path),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Number(digits) => match finite(digits) {
            Some(number) => Ok(spelling(number)),
            None => Err(cannot_travel(path(), "this number overflows a double")),
        },
        _ => Err(wrong_kind("text", value, path())),
    }
}

/// JSON in the form for an argument or a variable: lone surrogates are escaped, other characters are not.
fn json_text(value: &Value, path: &str) -> Result<String, LaunchError> {
    check_finite(value, path)?;
    Ok(value.json())
}

fn check_finite(value: &Value, path: &str) -> Result<(), LaunchError> {
    match value.overflow() {
        Some(way) => Err(cannot_travel(
            format!("{path}{way}"),
            "JSON has no spelling for this number",
        )),
        None => Ok(()),
    }
}

fn members<'v>(value: &'v Value, path: &str) -> Result<&'v [(String, Value)], LaunchError> {
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(wrong_kind("map", value, path.into())),
    }
}

fn wrapped(wrap: Option<&str>, text: String) -> String {
    match wrap {
        Some(wrap) => wrap.replacen('*', &text, 1),
        None => text,
    }
}

/// Whether a text can be delimited unambiguously, also in a list with commas.
fn can_be_wrapped(wrap: &str, text: &str) -> bool {
    let (before, after) = wrap.split_once('*').unwrap_or((wrap, ""));
    let (last, first) = (before.chars().next_back(), after.chars().next());
    let ends = |c: char| c < ' ' || c == ',' || Some(c) == last || Some(c) == first;
    !text.is_empty() && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains(ends)
}

/// A flag and its value; a value that looks like a flag itself goes into the same argument.
fn flagged(flag: &str, text: String) -> Vec<String> {
    match text.len() > 1 && text.starts_with('-') {
        true => vec![format!("{flag}={text}")],
        false => vec![flag.into(), text],
    }
}

// --- carriers -----------------------------------------------------------------------------------

impl When {
    fn holds(&self, value: &Value) -> bool {
        match self {
            When::Is(wanted) => Value::same(Some(value), Some(wanted)),
            When::Kind(kind) => value.kind() == kind,
            When::At(conditions) => value.meets(conditions),
        }
    }
}

impl Carrier {
    fn is_empty(&self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => false,
            Value::Number(digits) => !self.keeps_zero && double(digits) == 0.0,
            Value::Text(raw) => !self.keeps_empty && raw.is_empty(),
            Value::List(items) => !self.keeps_empty && items.is_empty(),
            Value::Object(members) => !self.keeps_empty && members.is_empty(),
        }
    }

    /// The items or entries to pass, reduced to the parts that are passed.
    fn chosen(&self, value: Value) -> Value {
        if self.only.is_empty() && self.except.is_empty() && self.omit.is_empty() {
            return value;
        }
        match value {
            Value::List(items) => Value::List(
                items
                    .into_iter()
                    .filter_map(|item| self.left(item))
                    .collect(),
            ),
            Value::Object(members) => Value::Object(
                (members.into_iter())
                    .filter_map(|(key, value)| Some((key, self.left(value)?)))
                    .collect(),
            ),
            other => other,
        }
    }

    fn left(&self, mut item: Value) -> Option<Value> {
        if !item.meets(&self.only) || !self.except.is_empty() && item.meets(&self.except) {
            return None;
        }
        if let (Value::Object(members), false) = (&mut item, self.omit.is_empty()) {
            members.retain(|(key, _)| !self.omit.contains(key));
            if members.is_empty() {
                return None;
            }
        }
        Some(item)
    }

    fn text(&self, value: &Value, path: impl Fn() -> String) -> Result<String, LaunchError> {
        let text = argument(value, &path)?;
        match self.wrap.as_deref() {
            Some(wrap) if !can_be_wrapped(wrap, &text) => Err(cannot_travel(
                path(),
                format!(
                    "this cannot be part of {wrap}: it is empty, starts or ends with a space, or contains a separator"
                ),
            )),
            wrap => Ok(wrapped(wrap, text)),
        }
    }

    /// The parts of a value as texts.
    fn items(&self, value: &Value, path: &str) -> Result<Vec<String>, LaunchError> {
        if self.form == "keys" {
            let keys = members(value, path)?.iter();
            return keys
                .map(|(key, _)| plain_text(key, || below(path, key)))
                .collect();
        }
        let items = match value {
            Value::List(items) => items,
            one => std::slice::from_ref(one),
        };
        let parts = items.iter().enumerate();
        parts
            .filter_map(|(at, item)| Some((at, item.part(&self.from)?)))
            .map(|(at, part)| self.text(part, || format!("{path}/{at}")))
            .collect()
    }

    fn formed(&self, value: &Value, path: &str) -> Result<String, LaunchError> {
        match &*self.form {
            "join" | "keys" => Ok(self.items(value, path)?.join(",")),
            "json" => json_text(value, path),
            _ => self.text(value, || path.into()),
        }
    }
}

// --- the run ------------------------------------------------------------------------------------

/// A value that an option adds to the object of a flag.
struct Placed<'t> {
    at: &'t [String],
    value: Value,
    path: String,
}

/// Arguments to which several carriers may contribute.
enum Slot<'t> {
    Ready(Vec<String>),
    Joined(&'t str, Vec<String>),
    Shared {
        flag: String,
        path: String,
        whole: Option<Value>,
        members: Vec<Placed<'t>>,
    },
}

impl Slot<'_> {
    fn arguments(self) -> Result<Vec<String>, LaunchError> {
        let (flag, path, whole, members) = match self {
            Slot::Ready(arguments) => return Ok(arguments),
            Slot::Joined(flag, items) => return Ok(flagged(flag, items.join(","))),
            Slot::Shared {
                flag,
                path,
                whole,
                members,
            } => (flag, path, whole, members),
        };
        let mut found = match whole {
            Some(Value::Text(raw)) if members.is_empty() => {
                return Ok(flagged(&flag, plain_text(&raw, || path)?));
            }
            Some(Value::Text(raw)) => object(&raw, &path)?,
            Some(value) => value,
            None => Value::Object(Vec::new()),
        };
        for each in &members {
            if found.part(each.at).is_some() {
                let place = pointer(each.at);
                return Err(LaunchError::Conflict {
                    paths: [path, each.path.clone()],
                    message: format!("both give {place} of {flag}"),
                });
            }
        }
        check_finite(&found, &path)?;
        for each in members {
            check_finite(&each.value, &each.path)?;
            found.put(each.at, each.value);
        }
        Ok(flagged(&flag, found.json()))
    }
}

/// Parses the text of an option as an object, as other options add members to it.
fn object(raw: &str, path: &str) -> Result<Value, LaunchError> {
    let found = Json::parse(&unescaped(raw)).ok();
    let found = found.filter(|json| json.kind() == Kind::Object);
    let found = found.map(|json| Value::of(json.view()));
    (found.filter(|value| value.overflow().is_none())).ok_or_else(|| {
        cannot_travel(
            path.into(),
            "other options have a place in this, so it must be the text of a JSON object",
        )
    })
}

/// A place in options.
#[derive(Default)]
struct Place {
    pointer: String,
    /// The last key of a map on the path to it.
    key: Option<String>,
}

impl Place {
    /// The place of a member, whose key is in canonical spelling.
    fn below(&self, raw: &str) -> Self {
        Place {
            pointer: below(&self.pointer, raw),
            key: self.key.clone(),
        }
    }
}

struct Run<'t> {
    table: &'t Table,
    release: usize,
    /// The options as an object.
    options: Value,
    /// The indexes of the options in that object, by name.
    places: HashMap<String, usize>,
    /// Options that are functions.
    given: HashSet<&'t str>,
    /// The carriers of each option for the release.
    carriers: HashMap<&'t str, Vec<&'t Carrier>>,
    slots: Vec<Slot<'t>>,
    late: Vec<String>,
    bare: HashSet<&'t str>,
    /// The indexes of slots by their flags, and whether they are joined.
    shared: HashMap<(String, bool), usize>,
    requests: Vec<(&'t str, Value)>,
    /// The number of ids that functions have.
    ids: usize,
    launch: Launch,
}

/// Applies a table to options given as JSON text.
fn follow(
    table: &Table,
    text: &str,
    functions: Given,
    release: usize,
) -> Result<Launch, LaunchError> {
    let mut run = Run {
        table,
        release,
        options: Value::of(JsonRef::trusted(text)),
        places: HashMap::new(),
        given: HashSet::new(),
        carriers: HashMap::new(),
        slots: Vec::new(),
        late: Vec::new(),
        bare: HashSet::new(),
        shared: HashMap::new(),
        requests: Vec::new(),
        ids: 0,
        launch: Launch {
            arguments: Vec::new(),
            environment: Environment::default(),
            cwd: None,
            program: None,
            program_arguments: Vec::new(),
            script: None,
            requests: Map::new(),
            functions: Vec::new(),
        },
    };
    run.take(functions)?;
    run.prepare();
    run.check_known()?;
    run.check_conflicts()?;
    run.carry_all()?;
    run.finish()
}

impl<'t> Run<'t> {
    fn is_there(&self, releases: &[(usize, usize)]) -> bool {
        let mut spans = releases.iter();
        releases.is_empty() || spans.any(|(first, last)| (*first..=*last).contains(&self.release))
    }

    fn prepare(&mut self) {
        self.slots
            .extend((self.table.arguments.iter()).map(|each| Slot::Ready(vec![each.clone()])));
        for option in &self.table.options {
            let there = option.carry.iter();
            let there = there.filter(|carrier| self.is_there(&carrier.releases));
            let there = there.collect();
            self.carriers.insert(&option.name, there);
        }
        if let Value::Object(members) = &self.options {
            let names = members.iter().enumerate();
            self.places = names.map(|(at, (name, _))| (name.clone(), at)).collect();
        }
    }

    // Functions.

    /// Inserts the ids of functions into the options.
    fn take(&mut self, mut functions: Given) -> Result<(), LaunchError> {
        self.launch.functions.reserve_exact(functions.count());
        let mut options = mem::replace(&mut self.options, Value::Null);
        for entry in &self.table.functions {
            if let [name] = &*entry.path {
                let given = functions.below.get(&*unescaped(name));
                if given.is_some_and(|given| !given.here.is_empty()) {
                    self.given.insert(name);
                }
            }
            let at = Place::default();
            self.descend(&mut options, entry, &entry.path, &at, &mut functions)?;
        }
        self.options = options;
        match functions.first() {
            None => Ok(()),
            Some(path) => Err(cannot_travel(
                path,
                "the options have no place for a function here",
            )),
        }
    }

    /// Looks for functions along the rest of a path, in the order of the document.
    fn descend(
        &mut self,
        value: &mut Value,
        row: &'t Row,
        way: &[String],
        at: &Place,
        functions: &mut Given,
    ) -> Result<(), LaunchError> {
        let Some((step, rest)) = way.split_first() else {
            return Ok(());
        };
        if rest.is_empty() {
            let found = functions.below.get_mut(&*unescaped(step));
            let found = found.map(|given| mem::take(&mut given.here));
            return match found {
                Some(found) if !found.is_empty() => self.give(value, row, &at.below(step), found),
                _ => Ok(()),
            };
        }
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    if step == "*" || step == key {
                        if let Some(given) = functions.below.get_mut(&*unescaped(key)) {
                            let mut at = at.below(key);
                            if step == "*" {
                                at.key = Some(unescaped(key).into());
                            }
                            self.descend(value, row, rest, &at, given)?;
                        }
                    }
                }
            }
            Value::List(items) if step == "*" => {
                for (index, item) in items.iter_mut().enumerate() {
                    let index = index.to_string();
                    if let Some(given) = functions.below.get_mut(&index) {
                        self.descend(item, row, rest, &at.below(&index), given)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds functions to the launch. If requests refer to them by ids, the object that contains them gets the ids.
    fn give(
        &mut self,
        object: &mut Value,
        row: &'t Row,
        at: &Place,
        found: Vec<Function>,
    ) -> Result<(), LaunchError> {
        let ids = row.ids.as_ref().filter(|_| self.is_there(&row.releases));
        let mut given = Vec::new();
        for (index, function) in found.into_iter().enumerate() {
            let id = match (ids, row.has_id) {
                (Some(_), _) => {
                    self.ids += 1;
                    Some(wrapped(row.wrap.as_deref(), (self.ids - 1).to_string()))
                }
                (None, true) => at.key.clone(),
                (None, false) => None,
            };
            given.extend(ids.and(id.as_ref()).map(|id| {
                let mut raw = String::new();
                push_escaped(&mut raw, id);
                Value::Text(raw)
            }));
            self.launch.functions.push(LaunchFunction {
                place: match row.list {
                    true => format!("{}/{index}", at.pointer),
                    false => at.pointer.clone(),
                },
                control: (row.control.clone()).filter(|_| row.ids.is_none() || ids.is_some()),
                id,
                receives: row.receives.clone(),
                live: row.live,
                function,
                returned: row.returned.clone(),
            });
        }
        let Some(way) = ids else {
            return Ok(());
        };
        if !matches!(object, Value::Object(_)) {
            let message = "the function belongs to a value that is no object";
            return Err(cannot_travel(at.pointer.clone(), message));
        }
        object.put(way, Value::List(given));
        Ok(())
    }

    // Values to pass.

    fn option(&self, name: &str) -> Option<&Value> {
        let at = *self.places.get(name)?;
        match &self.options {
            Value::Object(members) => members.get(at).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Fails for an option that cannot be passed.
    fn check_known(&self) -> Result<(), LaunchError> {
        let kept = self.table.options.iter().filter(|each| each.kept);
        let kept: HashSet<_> = kept.map(|each| &*each.name).collect();
        let Value::Object(members) = &self.options else {
            return Ok(());
        };
        for (name, _) in members {
            let carried = self.carriers.get(name.as_str());
            if !kept.contains(name.as_str()) && carried.is_none_or(Vec::is_empty) {
                let message = "nothing carries this option at that release";
                return Err(cannot_travel(below("", name), message));
            }
        }
        Ok(())
    }

    fn check_conflicts(&self) -> Result<(), LaunchError> {
        for Conflict {
            fields,
            equal,
            message,
            releases,
        } in &self.table.conflicts
        {
            let [first, second] = &fields[..] else {
                continue;
            };
            if !self.is_there(releases) || !self.travels(first) || !self.travels(second) {
                continue;
            }
            if !equal || Value::same(self.option(first), self.option(second)) {
                return Err(LaunchError::Conflict {
                    paths: [below("", first), below("", second)],
                    message: message.clone(),
                });
            }
        }
        Ok(())
    }

    /// Whether an option is given and would be passed.
    fn travels(&self, name: &str) -> bool {
        let is_given = self.option(name).is_some() || self.given.contains(name);
        let mut carriers = self.carriers.get(name).into_iter().flatten();
        is_given && carriers.any(|carrier| self.value(name, carrier).is_some())
    }

    fn is_blocked(&self, carrier: &Carrier) -> bool {
        (carrier.unless.as_ref()).is_some_and(|other| self.meets(other))
            || (carrier.with.as_ref()).is_some_and(|other| !self.meets(other))
    }

    fn meets(&self, OtherOption { option, when }: &OtherOption) -> bool {
        if when.is_empty() {
            return self.travels(option);
        }
        let value = self.option(option).unwrap_or(&Value::Null);
        when.iter().any(|each| each.holds(value))
    }

    /// The part of an option that a carrier passes, if the carrier applies.
    fn value(&self, name: &str, carrier: &Carrier) -> Option<Value> {
        let value = if let Some(value) = self.option(name) {
            let mut when = carrier.when.iter();
            let applies = if carrier.when.is_empty() {
                carrier.form != "bare" || !matches!(value, Value::Bool(false))
            } else {
                when.any(|each| each.holds(value))
            };
            if !applies {
                return None;
            }
            let part = match &*carrier.form {
                "join" | "repeat" | "keys" => value,
                _ => value.part(&carrier.from)?,
            };
            carrier.value.as_ref().unwrap_or(part).clone()
        } else if self.given.contains(name) {
            carrier.value.clone()?
        } else {
            carrier.absent.clone()?
        };
        if carrier.form == "bare" && carrier.only.is_empty() && carrier.except.is_empty() {
            return Some(value);
        }
        let value = carrier.chosen(value);
        (!carrier.is_empty(&value)).then_some(value)
    }

    fn carry_all(&mut self) -> Result<(), LaunchError> {
        if let Some(control) = &self.table.control {
            self.request(control);
        }
        for option in &self.table.options {
            let carriers = self.carriers.get(&*option.name).cloned();
            for carrier in carriers.unwrap_or_default() {
                match self.value(&option.name, carrier) {
                    Some(value) if !self.is_blocked(carrier) => {
                        self.carry(carrier, value, below("", &option.name))?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn carry(
        &mut self,
        carrier: &'t Carrier,
        value: Value,
        path: String,
    ) -> Result<(), LaunchError> {
        match &*carrier.to {
            "flag" => self.flag(carrier, value, path),
            "process" => self.process(&carrier.name, &value, &path),
            "control" => self.place(carrier, value, &path),
            _ => {
                let text = carrier.formed(&value, &path)?;
                let name = carrier.name.clone();
                self.launch.environment.set.insert(name, text);
                Ok(())
            }
        }
    }

    // Flags.

    fn flag(
        &mut self,
        carrier: &'t Carrier,
        value: Value,
        path: String,
    ) -> Result<(), LaunchError> {
        let flag = &*carrier.name;
        match (&*carrier.form, &carrier.at) {
            ("bare", _) => {
                if self.bare.insert(flag) {
                    self.slots.push(Slot::Ready(vec![flag.into()]));
                }
            }
            ("pairs", _) => self.pairs(flag, value, &path)?,
            ("json", Some(at)) => self.member(flag.into(), at, value, path)?,
            ("join" | "keys", _) => {
                let items = carrier.items(&value, &path)?;
                self.join(flag, items);
            }
            ("repeat", _) => {
                let items = carrier.items(&value, &path)?.into_iter();
                self.slots
                    .extend(items.map(|item| Slot::Ready(flagged(flag, item))));
            }
            _ => {
                let text = carrier.formed(&value, &path)?;
                self.slots.push(Slot::Ready(flagged(flag, text)));
            }
        }
        Ok(())
    }

    /// The index of the slot of a flag; adds a new slot if there is none.
    fn slot(&mut self, flag: String, is_joined: bool, new: impl FnOnce() -> Slot<'t>) -> usize {
        let slots = &mut self.slots;
        *self.shared.entry((flag, is_joined)).or_insert_with(|| {
            slots.push(new());
            slots.len() - 1
        })
    }

    /// Adds the items that no other carrier has added to the list of a flag.
    fn join(&mut self, flag: &'t str, items: Vec<String>) {
        let at = self.slot(flag.into(), true, || Slot::Joined(flag, Vec::new()));
        if let Slot::Joined(_, found) = &mut self.slots[at] {
            let there: HashSet<String> = found.iter().cloned().collect();
            found.extend(items.into_iter().filter(|item| !there.contains(item)));
        }
    }

    /// Adds a value to the object of a flag; a value without a path is the whole object.
    fn member(
        &mut self,
        flag: String,
        at: &'t [String],
        value: Value,
        path: String,
    ) -> Result<(), LaunchError> {
        let number = self.slot(flag.clone(), false, || Slot::Shared {
            flag,
            path: path.clone(),
            whole: None,
            members: Vec::new(),
        });
        let Slot::Shared {
            flag,
            path: of,
            whole,
            members,
        } = &mut self.slots[number]
        else {
            return Ok(());
        };
        if !at.is_empty() {
            members.push(Placed { at, value, path });
            return Ok(());
        }
        if whole.is_some() {
            return Err(LaunchError::Conflict {
                paths: [mem::take(of), path],
                message: format!("both give the whole of {flag}"),
            });
        }
        (*whole, *of) = (Some(value), path);
        Ok(())
    }

    /// Turns each entry into a flag of its own.
    fn pairs(&mut self, flag: &str, value: Value, path: &str) -> Result<(), LaunchError> {
        let carriers = self.carriers.values().flatten();
        let objects = carriers.filter(|each| each.to == "flag" && each.at.is_some());
        let objects: HashSet<_> = objects.map(|each| &*each.name).collect();
        let Value::Object(entries) = value else {
            return Err(wrong_kind("map", &value, path.into()));
        };
        for (key, value) in entries {
            let here = || below(path, &key);
            let name = format!("{flag}{}", plain_text(&key, here)?);
            match value {
                Value::Null => self.late.push(name),
                value if objects.contains(name.as_str()) => {
                    let path = here();
                    self.member(name, &[], value, path)?;
                }
                value => {
                    let text = argument(&value, here)?;
                    self.late.extend(flagged(&name, text));
                }
            }
        }
        Ok(())
    }

    // Process and requests.

    fn process(&mut self, part: &str, value: &Value, path: &str) -> Result<(), LaunchError> {
        let launch = &mut self.launch;
        match part {
            "environment" => {
                for (key, value) in members(value, path)? {
                    let here = || below(path, key);
                    let name = plain_text(key, here)?;
                    if name.is_empty() || name.contains('=') {
                        let message = "this cannot be the name of a variable";
                        return Err(cannot_travel(here(), message));
                    }
                    let text = argument(value, here)?;
                    launch.environment.set.insert(name, text);
                }
            }
            "program_arguments" => {
                let Value::List(items) = value else {
                    return Err(wrong_kind("list", value, path.into()));
                };
                let items = items.iter().enumerate();
                launch.program_arguments = items
                    .map(|(at, item)| argument(item, || format!("{path}/{at}")))
                    .collect::<Result<_, _>>()?;
            }
            _ => {
                let text = argument(value, || path.into())?;
                match part {
                    "cwd" => launch.cwd = Some(text),
                    "program" => launch.program = Some(text),
                    _ => launch.script = Some(text),
                }
            }
        }
        Ok(())
    }

    /// The payload of a request, which is added if there is none.
    fn request(&mut self, control: &'t str) -> &mut Value {
        let at = self.requests.iter().position(|(name, _)| *name == control);
        let at = at.unwrap_or_else(|| {
            let mut raw = String::new();
            push_escaped(&mut raw, control);
            let by = self.table.by.iter();
            let by = by.map(|key| (key.clone(), Value::Text(raw.clone())));
            self.requests.push((control, Value::Object(by.collect())));
            self.requests.len() - 1
        });
        &mut self.requests[at].1
    }

    fn place(&mut self, carrier: &'t Carrier, value: Value, path: &str) -> Result<(), LaunchError> {
        let value = match (&*carrier.form, value) {
            ("list", Value::List(items)) => Value::List(items),
            ("list", one) => Value::List(vec![one]),
            ("keys", value) => {
                let keys = members(&value, path)?.iter();
                Value::List(keys.map(|(key, _)| Value::Text(key.clone())).collect())
            }
            ("join", value) => {
                let mut raw = String::new();
                push_escaped(&mut raw, &carrier.items(&value, path)?.join(","));
                Value::Text(raw)
            }
            (_, value) => value,
        };
        let at = carrier.at.as_deref().unwrap_or_default();
        self.request(&carrier.name).put(at, value);
        Ok(())
    }

    // Finishing.

    fn finish(mut self) -> Result<Launch, LaunchError> {
        let inherit = match &*self.table.inherit {
            "always" => true,
            "never" => false,
            _ => !self.has_environment(),
        };
        let mut launch = self.launch;
        for slot in self.slots {
            launch.arguments.extend(slot.arguments()?);
        }
        launch.arguments.append(&mut self.late);
        for (control, payload) in self.requests {
            let json = Json::of_text(payload.json());
            launch.requests.insert(control, json);
        }
        let environment = &mut launch.environment;
        environment.inherit = inherit;
        for (name, text) in &self.table.environment {
            match text {
                None => {
                    environment.unset.push(name.clone());
                    environment.set.remove(name);
                }
                Some(text) => {
                    if environment.set.get(name).is_none_or(String::is_empty) {
                        environment.defaults.insert(name.clone(), text.clone());
                    }
                }
            }
        }
        Ok(launch)
    }

    /// Whether an option sets variables.
    fn has_environment(&self) -> bool {
        let given = self.places.keys();
        let mut carriers =
            given.flat_map(|name| self.carriers.get(name.as_str()).into_iter().flatten());
        carriers.any(|each| each.to == "process" && each.name == "environment")
    }
}
