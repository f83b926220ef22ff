//! Limits readers to some types: lines of others are not decoded, and most of them not even parsed.
//!
//! The engine chooses the type of an object, with or without a filter. From the same tables this module derives the
//! texts of which every line of a wanted type has one.

use memchr::memmem::Finder;

use crate::api::{target, value};
use crate::codec::Wire;
use crate::engine::{self, selected, Selected};
use crate::error::DecodeError;
use crate::plan::PLAN;
#[cfg(feature = "__conformance")]
use crate::table::Row;
use crate::table::{Dispatch, Rule, Scalar};
use crate::tape::utf8;
use crate::Mode;

/// The types that a reader can be limited to: structs and unions of the protocol, the Unknowns of its unions, and
/// tuples of all of these.
///
/// This trait cannot be implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "readers cannot be limited to `{Self}`",
    label = "expected a struct or union of the protocol, the Unknown of a union, or a tuple of these"
)]
pub trait Wanted {
    #[doc(hidden)]
    const KIND: Kind;
}

/// What a type that is wanted stands for, by indexes in the tables.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A struct, or the structs and the Unknown of a union.
    Declared(usize),
    /// The Unknown of several unions.
    Unknown(&'static [usize]),
    /// The kinds of a tuple.
    All(&'static [Kind]),
}

#[cfg(feature = "__conformance")]
impl Kind {
    /// The kind of the struct or union that the protocol declares by a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut rows = PLAN.iter();
        rows.position(|(each, row)| {
            *each == name && matches!(row, Row::Struct(..) | Row::Union(..))
        })
        .map(Kind::Declared)
    }
}

macro_rules! tuples {
    ($first:ident $($rest:ident)*) => {
        impl<$first: Wanted, $($rest: Wanted),*> Wanted for ($first, $($rest,)*) {
            const KIND: Kind = Kind::All(&[$first::KIND, $($rest::KIND),*]);
        }

        tuples! { $($rest)* }
    };
    () => {};
}

tuples! { A B C D E F G H I J K L }

/// What a reader is limited to.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    /// Sorted.
    wanted: Vec<Selected>,
    /// Finds the JSON texts of which every wanted line has one: the tags of its type, or an escape that could spell
    /// one. `None` if there are wanted lines with none of them.
    texts: Option<Vec<Finder<'static>>>,
}

impl Filter {
    /// Creates the filter of a reader of `T`. Panics if such a reader never has one of the kinds.
    pub(crate) fn new<T: Wire>(kinds: &[Kind]) -> Self {
        let Some(dispatch) = engine::dispatch(PLAN, &T::RULE) else {
            panic!("`only` needs a reader of a union, and {} is none", T::NAME);
        };
        let mut wanted = Vec::new();
        for kind in kinds {
            add(kind, T::NAME, &selected(PLAN, dispatch, None), &mut wanted);
        }
        assert!(!wanted.is_empty(), "`only` needs at least one type");
        wanted.sort_unstable();
        wanted.dedup();
        let texts = tags(dispatch, &wanted).map(|tags| {
            let found = tags.iter().map(|tag| Finder::new(tag).into_owned());
            found.chain([Finder::new("\\u")]).collect()
        });
        Filter { wanted, texts }
    }

    pub(crate) fn wants(&self, selected: Selected) -> bool {
        self.wanted.binary_search(&selected).is_ok()
    }

    /// Decodes a line; `None` if it is of a type that is not wanted.
    pub(crate) fn decode<T: Wire>(
        &self,
        line: &[u8],
        mode: Mode,
    ) -> Result<Option<T>, DecodeError> {
        if self.skips(line) {
            return Ok(None);
        }
        let document =
            engine::decode_wanted(target(&T::RULE, mode), utf8(line)?, |each| self.wants(each))?;
        Ok(document.map(|document| value(&document)))
    }

    /// Whether a line can be skipped unread.
    fn skips(&self, line: &[u8]) -> bool {
        let has = |text: &Finder<'_>| text.find(line).is_some();
        self.texts
            .as_ref()
            .is_some_and(|texts| !texts.iter().any(has))
    }
}

/// Adds what a kind stands for in a reader of a type.
fn add(kind: &Kind, of: &str, selectable: &[Selected], wanted: &mut Vec<Selected>) {
    match kind {
        Kind::All(kinds) => kinds
            .iter()
            .for_each(|kind| add(kind, of, selectable, wanted)),
        Kind::Declared(place) => {
            for each in structs(*place) {
                let struct_ = Selected::Struct(each);
                assert!(
                    selectable.contains(&struct_),
                    "a reader of {of} cannot be limited to {}: {of} has no {}",
                    PLAN[*place].0,
                    PLAN[each].0
                );
                wanted.push(struct_);
            }
            let unknown = Selected::Unknown(*place);
            wanted.extend(selectable.contains(&unknown).then_some(unknown));
        }
        Kind::Unknown(unions) => {
            let unknowns = unions.iter().copied().map(Selected::Unknown);
            let found: Vec<_> = unknowns.filter(|each| selectable.contains(each)).collect();
            let names: Vec<_> = unions.iter().map(|union| PLAN[*union].0).collect();
            assert!(
                !found.is_empty(),
                "a reader of {of} cannot be limited to the Unknown of {}: {of} has no such Unknown",
                names.join(" or ")
            );
            wanted.extend(found);
        }
    }
}

/// The struct at an index, or those of the union there.
fn structs(place: usize) -> Vec<usize> {
    let Some(dispatch) = engine::dispatch(PLAN, &Rule::Named(place)) else {
        return vec![place];
    };
    let structs = selected(PLAN, dispatch, None).into_iter();
    structs
        .filter_map(|each| match each {
            Selected::Struct(place) => Some(place),
            Selected::Unknown(_) => None,
        })
        .collect()
}

/// The JSON texts of the outermost tags of wanted types; `None` if one can also be selected in another way, or if JSON
/// can spell a tag in other ways than by `\u`.
pub(crate) fn tags(dispatch: &Dispatch, wanted: &[Selected]) -> Option<Vec<String>> {
    let Dispatch::Switch {
        union,
        cases,
        prefixes,
        others,
        absent,
        ..
    } = dispatch
    else {
        return None;
    };
    let open = engine::is_open(PLAN, *union).then_some(*union);
    let selects = |then: &Dispatch| {
        let found = selected(PLAN, then, open);
        found.iter().any(|each| wanted.contains(each))
    };
    if open.is_some_and(|union| wanted.contains(&Selected::Unknown(union)))
        || absent.is_some_and(|(_, then)| selects(then))
        || prefixes.iter().any(|(.., then)| selects(then))
        || others
            .iter()
            .any(|(.., place)| wanted.contains(&Selected::Struct(*place)))
    {
        return None;
    }
    let tags = cases.iter().filter(|(.., then)| selects(then));
    tags.map(|(tag, ..)| match tag {
        Scalar::Text(text) if !text.contains(|c: char| "\\/".contains(c) || c.is_control()) => {
            Some(format!("\"{text}\""))
        }
        _ => None,
    })
    .collect()
}
