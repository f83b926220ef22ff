//! The locations of everything that lenient mode tolerates, kept as linked steps and rendered on demand.

use std::fmt;

use crate::table::Key;
use crate::tape::Tape;
use crate::text::{push_display, unescaped};

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A declared key, in canonical spelling.
    Name(&'static str),
    /// A key on the tape.
    Key(u32),
    /// The index of an item.
    Item(u32),
}

impl Step {
    /// Appends the step to a JSON Pointer.
    pub fn push_to(self, path: &mut String, tape: &Tape<'_>) {
        path.push('/');
        match self {
            Step::Name(key) => push_step(path, &unescaped(key)),
            Step::Key(at) => push_step(path, &tape.text(at)),
            Step::Item(index) => push_display(path, index),
        }
    }
}

impl From<Key> for Step {
    fn from(key: Key) -> Self {
        Step::Name(key.text())
    }
}

/// Appends a key, in which `~` and `/` are escaped, to a JSON Pointer.
pub fn push_step(path: &mut String, key: &str) {
    for c in key.chars() {
        match c {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            c => path.push(c),
        }
    }
}

/// The root of a document, which precedes the first step.
const ROOT: u32 = u32::MAX;
/// A step that is not part of any recorded location yet.
const UNUSED: u32 = u32::MAX - 1;

/// The path to the current value of a document, and the recorded locations.
#[derive(Default)]
pub struct Trail {
    /// The steps to the current value, each with its index among the linked steps.
    way: Vec<(Step, u32)>,
    noted: Tolerated,
}

impl Trail {
    pub fn enter(&mut self, step: Step) {
        self.way.push((step, UNUSED));
    }

    pub fn leave(&mut self) {
        self.way.pop();
    }

    /// Records the current value, once.
    pub fn note(&mut self, tape: &Tape<'_>) {
        let mut from = ROOT;
        for (step, linked) in &mut self.way {
            if *linked == UNUSED {
                *linked = self.noted.link(from, *step, tape);
            }
            from = *linked;
        }
        if self.noted.places.last() != Some(&from) {
            self.noted.places.push(from);
        }
    }

    /// The number of recorded locations, for [`Self::back_to`].
    pub fn mark(&self) -> usize {
        self.noted.places.len()
    }

    /// Discards the locations that were recorded after the mark.
    pub fn back_to(&mut self, mark: usize) {
        self.noted.places.truncate(mark);
    }

    pub fn finish(&mut self) -> Tolerated {
        std::mem::take(&mut self.noted)
    }
}

/// The locations of everything that lenient mode tolerated and strict mode rejects.
///
/// They are kept as steps that locations share, so that they take no more memory than the document; their JSON
/// Pointers are rendered on demand.
#[derive(Clone, Default, PartialEq)]
pub struct Tolerated {
    /// Each step with the index of the one before it and the end of its text.
    steps: Vec<(u32, usize)>,
    /// The texts of all steps, escaped for a JSON Pointer.
    text: String,
    places: Vec<u32>,
}

impl Tolerated {
    fn link(&mut self, from: u32, step: Step, tape: &Tape<'_>) -> u32 {
        step.push_to(&mut self.text, tape);
        self.steps.push((from, self.text.len()));
        (self.steps.len() - 1) as u32 // there are no more steps than nodes on the tape
    }

    /// The number of locations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing was tolerated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The JSON Pointer of each location, in decoding order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = String> + '_ {
        self.places.iter().map(|place| self.pointer(*place))
    }

    /// The JSON Pointers of all locations, sorted.
    #[must_use]
    pub fn to_vec(&self) -> Vec<String> {
        let mut pointers: Vec<_> = self.iter().collect();
        pointers.sort_unstable();
        pointers.dedup();
        pointers
    }

    fn pointer(&self, place: u32) -> String {
        let mut steps = Vec::new();
        let mut at = place;
        while let Some((from, end)) = self.steps.get(at as usize) {
            let start = (at as usize)
                .checked_sub(1)
                .map_or(0, |last| self.steps[last].1);
            steps.push(&self.text[start..*end]);
            at = *from;
        }
        steps.into_iter().rev().collect()
    }
}

impl fmt::Debug for Tolerated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
