//! Entries that refer to their parents: the active path, branches and children.

use std::collections::HashMap;

use crate::codec::Wire;
use crate::json::{Json, JsonRef, Kind};
use crate::out;
use crate::text::MAX_INTEGER;

/// The keys on the way to an id, each with the names that the member had in earlier releases.
pub type Steps = &'static [&'static [&'static str]];

/// Where an entry has its id, and the ids of its parent, attached and previous entries; empty if a tree has no such
/// ids.
pub struct Ids {
    pub id: Steps,
    pub parent: Steps,
    pub attached: Steps,
    pub previous: Steps,
}

/// The id of an entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TreeId {
    /// A string, of which a lone surrogate became U+FFFD.
    Text(String),
    /// An integer, however it is written.
    Integer(i64),
}

impl TreeId {
    fn of(value: JsonRef<'_>) -> Option<Self> {
        if value.kind() == Kind::String {
            return value.as_str().map(|text| Self::Text(text.into_owned()));
        }
        let number = value.as_f64()?;
        let is_id = number.fract() == 0.0 && number.abs() <= MAX_INTEGER as f64;
        is_id.then_some(Self::Integer(number as i64))
    }
}

impl From<&str> for TreeId {
    fn from(id: &str) -> Self {
        Self::Text(id.to_owned())
    }
}

impl From<&String> for TreeId {
    fn from(id: &String) -> Self {
        Self::Text(id.clone())
    }
}

impl From<String> for TreeId {
    fn from(id: String) -> Self {
        Self::Text(id)
    }
}

impl From<i64> for TreeId {
    fn from(id: i64) -> Self {
        Self::Integer(id)
    }
}

/// An entry of a tree: a value that can be encoded, such as a decoded message or a [`Json`]. Implement it for an enum
/// of these to have several in one tree, or for a record of your own that holds one.
pub trait TreeEntry {
    /// The entry as JSON, in which a tree finds the ids; `None` if it has none.
    fn tree_json(&self) -> Option<Json>;
}

impl<T: Wire> TreeEntry for T {
    fn tree_json(&self) -> Option<Json> {
        out::encode(self).ok().map(Json::of_text)
    }
}

/// The ids of an entry.
#[derive(Clone, Debug)]
struct Node {
    id: TreeId,
    parent: Option<TreeId>,
    attached: Option<TreeId>,
    previous: Option<TreeId>,
}

/// Entries by their positions.
#[derive(Clone, Debug)]
pub struct Branches<E> {
    entries: Vec<E>,
    nodes: Vec<Node>,
    by_id: HashMap<TreeId, usize>,
}

/// How branches go through entries, by their positions.
struct Links {
    /// Whether an entry is attached and has no children, so that no branch goes through it.
    is_aside: Vec<bool>,
    /// The last child of an entry through which a branch goes.
    next: Vec<Option<usize>>,
}

impl<E> Branches<E> {
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            nodes: Vec::new(),
            by_id: HashMap::new(),
        }
    }

    pub fn add(&mut self, entry: E, ids: &Ids) -> bool
    where
        E: TreeEntry,
    {
        let Some(json) = entry.tree_json() else {
            return false;
        };
        let read = |steps| id_at(json.view(), steps);
        let Some(id) = read(ids.id) else {
            return false;
        };
        let node = Node {
            id: id.clone(),
            parent: read(ids.parent),
            attached: read(ids.attached),
            previous: read(ids.previous),
        };
        let at = *self.by_id.entry(id).or_insert(self.nodes.len());
        if at == self.nodes.len() {
            self.nodes.push(node);
            self.entries.push(entry);
        } else {
            self.nodes[at] = node;
            self.entries[at] = entry;
        }
        true
    }

    pub fn active_path(&self, history: bool) -> Vec<&E> {
        self.path(self.active(), history)
    }

    pub fn path_to(&self, id: &TreeId, history: bool) -> Vec<&E> {
        self.path(self.by_id.get(id).copied(), history)
    }

    pub fn leaves(&self) -> Vec<&E> {
        let links = self.links();
        self.all(|at| !links.is_aside[at] && links.next[at].is_none())
    }

    pub fn roots(&self) -> Vec<&E> {
        self.all(|at| self.parent(at).is_none())
    }

    pub fn children(&self, id: &TreeId) -> Vec<&E> {
        match self.by_id.get(id) {
            Some(_) => self.all(|at| self.nodes[at].parent.as_ref() == Some(id)),
            None => Vec::new(),
        }
    }

    fn all(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<&E> {
        let wanted = (0..self.nodes.len()).filter(|&at| is_wanted(at));
        wanted.map(|at| &self.entries[at]).collect()
    }

    fn find(&self, id: Option<&TreeId>) -> Option<usize> {
        self.by_id.get(id?).copied()
    }

    fn parent(&self, at: usize) -> Option<usize> {
        self.find(self.nodes[at].parent.as_ref())
    }

    /// The entry that an entry is attached to.
    fn host(&self, at: usize) -> Option<usize> {
        let node = &self.nodes[at];
        self.find(node.attached.as_ref().filter(|&id| *id != node.id))
    }

    fn links(&self) -> Links {
        let parents: Vec<_> = (0..self.nodes.len()).map(|at| self.parent(at)).collect();
        let mut has_children = vec![false; parents.len()];
        for &parent in parents.iter().flatten() {
            has_children[parent] = true;
        }
        let is_aside = |at: usize| !has_children[at] && self.host(at).is_some();
        let is_aside: Vec<_> = (0..parents.len()).map(is_aside).collect();
        let mut next = vec![None; parents.len()];
        for (at, parent) in parents.into_iter().enumerate() {
            if let Some(parent) = parent.filter(|_| !is_aside[at]) {
                next[parent] = Some(at);
            }
        }
        Links { is_aside, next }
    }

    /// The active leaf: the end of the branch of the last entry, by the last child each time.
    fn active(&self) -> Option<usize> {
        let links = self.links();
        let last = self.nodes.len().checked_sub(1)?;
        let aside = links.is_aside[last].then(|| self.host(last)).flatten();
        let start = aside.unwrap_or(last);
        let mut leaf = start;
        while let Some(child) = links.next[leaf] {
            leaf = child;
            if child == start {
                break; // only the first entry can come again: an entry has one parent
            }
        }
        Some(leaf)
    }

    fn path(&self, leaf: Option<usize>, history: bool) -> Vec<&E> {
        let mut path = Vec::new();
        let mut is_passed = vec![false; self.nodes.len()];
        let mut next = leaf;
        while let Some(at) = next.filter(|&at| !is_passed[at]) {
            is_passed[at] = true;
            path.push(at);
            next = self.parent(at);
            if next.is_none() && history {
                next = self.find(self.nodes[at].previous.as_ref());
            }
        }
        path.reverse();
        let whole = self.with_attached(path);
        whole.into_iter().map(|at| &self.entries[at]).collect()
    }

    /// The entries of a path, each after the attached ones that belong directly before it.
    ///
    /// An attached entry belongs before the first entry behind its host that was added after it. Entries are looked at
    /// in order of adding, so those of the path that are already passed were added before it: `behind` leads from such
    /// an entry to the next one that was not yet passed, and forgets the entries between.
    fn with_attached(&self, path: Vec<usize>) -> Vec<usize> {
        let mut place = vec![None; self.nodes.len()];
        for (index, &at) in path.iter().enumerate() {
            place[at] = Some(index);
        }
        let mut behind: Vec<_> = (0..=path.len()).collect();
        let mut before = vec![Vec::new(); path.len() + 1];
        for at in 0..self.nodes.len() {
            if let Some(index) = place[at] {
                behind[index] = index + 1;
            } else if let Some(host) = self.host(at).and_then(|host| place[host]) {
                let mut index = host + 1;
                while behind[index] != index {
                    behind[index] = behind[behind[index]];
                    index = behind[index];
                }
                before[index].push(at);
            }
        }
        let mut path = path.into_iter();
        let pieces = before.into_iter();
        pieces
            .flat_map(|piece| piece.into_iter().chain(path.next()))
            .collect()
    }
}

/// The id that an entry has at a pointer.
fn id_at(entry: JsonRef<'_>, steps: Steps) -> Option<TreeId> {
    if steps.is_empty() {
        return None;
    }
    let mut value = entry;
    for names in steps {
        let mut members = names.iter().filter_map(|name| value.get(name));
        value = members.find(|member| !member.is_null())?;
    }
    TreeId::of(value)
}

/// Declares trees, each with the type of its lines and its ids.
macro_rules! trees {
    ($($(#[$about:meta])* $name:ident<$lines:ty> { $($key:ident: $steps:expr,)* })*) => { $(
        $(#[$about])*
        ///
        /// An entry is a decoded value or plain JSON; see [`TreeEntry`](crate::TreeEntry) for trees with both.
        #[derive(Clone, Debug)]
        pub struct $name<E = $lines>(crate::tree::Branches<E>);

        impl<E> Default for $name<E> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<E> $name<E> {
            /// An empty tree.
            #[must_use]
            pub fn new() -> Self {
                Self(crate::tree::Branches::new())
            }

            /// Adds an entry; one with the same id as an earlier entry replaces it, at its position. Returns whether
            /// it was added, which it is not if it has no id or cannot be encoded.
            pub fn add(&mut self, entry: E) -> bool
            where
                E: crate::TreeEntry,
            {
                self.0.add(entry, &crate::tree::Ids { $($key: $steps,)* })
            }

            /// The entries from the root to the active leaf: the end of the branch of the last entry. Entries that are
            /// attached to one of them are in it too, although they are on other branches.
            #[must_use]
            pub fn path(&self) -> Vec<&E> {
                self.0.active_path(false)
            }

            /// The same to the entry with an id; empty if there is none.
            #[must_use]
            pub fn path_to(&self, id: impl Into<crate::TreeId>) -> Vec<&E> {
                self.0.path_to(&id.into(), false)
            }

            /// What `path` returns, with the entries before the root if that names a previous entry.
            #[must_use]
            pub fn history(&self) -> Vec<&E> {
                self.0.active_path(true)
            }

            /// What `path_to` returns, with the entries before the root if that names a previous entry.
            #[must_use]
            pub fn history_to(&self, id: impl Into<crate::TreeId>) -> Vec<&E> {
                self.0.path_to(&id.into(), true)
            }

            /// The ends of all branches, in order of adding, without attached entries that have no children.
            #[must_use]
            pub fn leaves(&self) -> Vec<&E> {
                self.0.leaves()
            }

            /// The entries whose parent is absent or unknown, in order of adding.
            #[must_use]
            pub fn roots(&self) -> Vec<&E> {
                self.0.roots()
            }

            /// The children of the entry with an id, in order of adding.
            #[must_use]
            pub fn children(&self, id: impl Into<crate::TreeId>) -> Vec<&E> {
                self.0.children(&id.into())
            }
        }
    )* };
}
