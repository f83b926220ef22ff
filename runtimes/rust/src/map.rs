//! Ordered maps, for undeclared members and for objects used as maps.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::ops::Index;
use std::sync::OnceLock;

use crate::json::Json;

/// An untouched object.
pub type Object = Map<String, Json>;

/// A map with unique keys that keeps its entries in the order of insertion.
///
/// Lookup time does not depend on the number of entries. Keys are hashed with random seeds, so a peer cannot choose
/// keys that slow it down. [`Map::remove`] moves the entries after the removed one; to remove many, use
/// [`Map::retain`]. Two maps are equal if they have the same entries in any order.
///
/// ```
/// use polywire_runtime::{Json, Object};
///
/// let mut object = Object::new();
/// object.insert("command", "ls -la");
/// object.insert("timeout", 30);
/// assert_eq!(object["command"].as_str().as_deref(), Some("ls -la"));
/// assert_eq!(object.keys().collect::<Vec<_>>(), ["command", "timeout"]);
/// ```
#[derive(Clone)]
pub struct Map<K, V> {
    entries: Vec<Entry<K, V>>,
    /// The positions of entries by the hashes of their keys; only for more than [`FEW`] entries. It is boxed because
    /// every object of the protocol has a map, and few maps are large.
    places: Option<Box<Places>>,
}

/// The number of entries up to which a linear search is used: it needs fewer comparisons than a hash costs.
const FEW: usize = 8;

#[derive(Clone, Debug)]
struct Entry<K, V> {
    key: K,
    /// The spelling of a key with a lone surrogate, which `key` cannot hold.
    spelt: Option<Box<str>>,
    value: V,
}

impl<K: Eq + Hash, V> Entry<K, V> {
    fn hash(&self) -> u64 {
        match &self.spelt {
            None => hash(&self.key),
            Some(spelt) => hash(spelt),
        }
    }

    fn has_key_of(&self, other: &Self) -> bool {
        self.key == other.key && self.spelt == other.spelt
    }
}

/// The hash of a key, with seeds that are random per process.
fn hash<Q: Hash + ?Sized>(key: &Q) -> u64 {
    static SEEDS: OnceLock<RandomState> = OnceLock::new();
    SEEDS.get_or_init(RandomState::new).hash_one(key)
}

/// A hash table of the positions of entries, with open addressing. At least half of it is free.
#[derive(Clone, Debug)]
struct Places {
    /// 0 means free; other numbers are positions counted from 1. The length is a power of two.
    slots: Vec<usize>,
    used: usize,
}

impl Places {
    /// A table with room for twice as many entries.
    fn with_room(entries: usize) -> Self {
        Places {
            slots: vec![0; (entries * 4).next_power_of_two()],
            used: 0,
        }
    }

    /// The first position with a hash that passes a test.
    fn find(&self, hash: u64, is: impl Fn(usize) -> bool) -> Option<usize> {
        self.walk(hash)
            .map_while(|at| self.slots[at].checked_sub(1))
            .find(|place| is(*place))
    }

    /// Adds a position, unless one with the same key exists.
    fn add<K: Eq + Hash, V>(&mut self, entries: &[Entry<K, V>], place: usize) {
        let entry = &entries[place];
        for at in self.walk(entry.hash()) {
            match self.slots[at].checked_sub(1) {
                None => {
                    self.slots[at] = place + 1;
                    self.used += 1;
                    return;
                }
                Some(other) if entries[other].has_key_of(entry) => return,
                Some(_) => {}
            }
        }
    }

    fn is_full(&self) -> bool {
        self.used * 2 >= self.slots.len()
    }

    /// The slots to probe, in order.
    fn walk(&self, hash: u64) -> impl Iterator<Item = usize> {
        let mask = self.slots.len() - 1;
        (hash as usize & mask..).map(move |at| at & mask)
    }
}

impl<K, V> Map<K, V> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Map {
            entries: Vec::new(),
            places: None,
        }
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the map has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter(self.entries.iter())
    }

    /// The entries in order, with mutable values.
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut(self.entries.iter_mut())
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.entries.iter().map(|entry| &entry.key)
    }

    /// The values in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|entry| &entry.value)
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.places = None;
    }

    /// The position of the value under a key. A key with a lone surrogate is not found by the text it was decoded as.
    fn position<Q>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let is = |entry: &Entry<K, V>| entry.spelt.is_none() && entry.key.borrow() == key;
        match &self.places {
            None => self.entries.iter().position(is),
            Some(places) => places.find(hash(key), |place| is(&self.entries[place])),
        }
    }

    /// The value under a key.
    #[must_use]
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.position(key).map(|at| &self.entries[at].value)
    }

    /// The value under a key, mutable.
    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.position(key).map(|at| &mut self.entries[at].value)
    }

    /// Whether there is a value under a key.
    #[must_use]
    pub fn contains_key<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.position(key).is_some()
    }
}

impl<K: Eq + Hash, V> Map<K, V> {
    /// Sets the value under a key, at the end if the key is new, and returns the previous value.
    pub fn insert(&mut self, key: impl Into<K>, value: impl Into<V>) -> Option<V> {
        let (key, value) = (key.into(), value.into());
        match self.position(&key) {
            Some(at) => Some(std::mem::replace(&mut self.entries[at].value, value)),
            None => {
                self.add(Entry {
                    key,
                    spelt: None,
                    value,
                });
                None
            }
        }
    }

    /// Removes and returns the value under a key. The other entries keep their order.
    pub fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let removed = self.entries.remove(self.position(key)?);
        self.place();
        Some(removed.value)
    }

    /// Keeps the entries that pass a test.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.entries
            .retain_mut(|entry| keep(&entry.key, &mut entry.value));
        self.place();
    }

    /// Adds an entry at the end; lookups find it only if no earlier entry has its key.
    fn add(&mut self, entry: Entry<K, V>) {
        self.entries.push(entry);
        match &mut self.places {
            Some(places) if !places.is_full() => places.add(&self.entries, self.entries.len() - 1),
            _ => self.place(),
        }
    }

    /// Rebuilds all positions.
    fn place(&mut self) {
        self.places = None;
        if self.entries.len() > FEW {
            let mut places = Box::new(Places::with_room(self.entries.len()));
            (0..self.entries.len()).for_each(|place| places.add(&self.entries, place));
            self.places = Some(places);
        }
    }

    /// The position of the first entry with the key of another.
    fn place_of(&self, other: &Entry<K, V>) -> Option<usize> {
        match &self.places {
            None => self.entries.iter().position(|one| one.has_key_of(other)),
            Some(places) => {
                places.find(other.hash(), |place| self.entries[place].has_key_of(other))
            }
        }
    }
}

impl<K: Key, V> Map<K, V> {
    pub(crate) fn with_capacity(entries: usize) -> Self {
        Map {
            entries: Vec::with_capacity(entries),
            places: None,
        }
    }

    /// Adds an entry whose key is new; `spelt` is the spelling of a key with a lone surrogate.
    pub(crate) fn push(&mut self, key: K, spelt: Option<Box<str>>, value: V) {
        self.add(Entry { key, spelt, value });
    }

    /// The entries, with the spellings of keys that have lone surrogates.
    pub(crate) fn spelt(&self) -> impl Iterator<Item = (&str, Option<&str>, &V)> {
        self.entries
            .iter()
            .map(|entry| (entry.key.as_key(), entry.spelt.as_deref(), &entry.value))
    }
}

/// A key of a map: a string, or an enum of strings.
pub trait Key: Clone + fmt::Debug + Eq + Hash + 'static {
    /// The index of the enum in the tables, if the key is an enum.
    const ENUM: Option<usize> = None;

    /// Converts a text to a key.
    fn from_key(text: &str) -> Option<Self>;
    /// Converts a text that is known to be a valid key.
    #[doc(hidden)]
    fn of(text: String) -> Self;
    /// The text of the key.
    fn as_key(&self) -> &str;
}

impl Key for String {
    fn from_key(text: &str) -> Option<Self> {
        Some(text.into())
    }

    fn of(text: String) -> Self {
        text
    }

    fn as_key(&self) -> &str {
        self
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Eq + Hash, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let is_in_other = |(at, entry): (usize, &Entry<K, V>)| {
            let same = |two: &Entry<K, V>| entry.has_key_of(two) && entry.value == two.value;
            same(&other.entries[at])
                || other
                    .place_of(entry)
                    .is_some_and(|place| same(&other.entries[place]))
        };
        self.len() == other.len() && self.entries.iter().enumerate().all(is_in_other)
    }
}

impl<K, V, Q> Index<&Q> for Map<K, V>
where
    K: Borrow<Q>,
    Q: Eq + Hash + ?Sized,
{
    type Output = V;

    /// Returns the value under a key. Panics if there is none.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry under this key")
    }
}

impl<K: Eq + Hash, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Eq + Hash, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Map::new();
        map.extend(entries);
        map
    }
}

impl<K: Eq + Hash + From<Q>, V: From<W>, Q, W, const N: usize> From<[(Q, W); N]> for Map<K, V> {
    fn from(entries: [(Q, W); N]) -> Self {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

// --- iterators ----------------------------------------------------------------------------------

macro_rules! iterators {
    ($($(#[$doc:meta])* $name:ident [$($of:lifetime)?] $map:ty, $from:ty, $item:ty, $method:ident $pair:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $name<$($of,)? K, V>($from);

            impl<$($of,)? K, V> Iterator for $name<$($of,)? K, V> {
                type Item = $item;

                fn next(&mut self) -> Option<Self::Item> {
                    self.0.next().map($pair)
                }

                fn size_hint(&self) -> (usize, Option<usize>) {
                    self.0.size_hint()
                }
            }

            impl<$($of,)? K, V> DoubleEndedIterator for $name<$($of,)? K, V> {
                fn next_back(&mut self) -> Option<Self::Item> {
                    self.0.next_back().map($pair)
                }
            }

            impl<$($of,)? K, V> ExactSizeIterator for $name<$($of,)? K, V> {}

            impl<$($of,)? K, V> IntoIterator for $map {
                type Item = $item;
                type IntoIter = $name<$($of,)? K, V>;

                fn into_iter(self) -> Self::IntoIter {
                    $name(self.entries.$method())
                }
            }
        )*
    };
}

iterators! {
    /// The entries of a map in order.
    IntoIter[] Map<K, V>, std::vec::IntoIter<Entry<K, V>>, (K, V), into_iter |entry| (entry.key, entry.value);
    /// The entries of a map in order, borrowed.
    Iter['a] &'a Map<K, V>, std::slice::Iter<'a, Entry<K, V>>, (&'a K, &'a V), iter
        |entry| (&entry.key, &entry.value);
    /// The entries of a map in order, with mutable values.
    IterMut['a] &'a mut Map<K, V>, std::slice::IterMut<'a, Entry<K, V>>, (&'a K, &'a mut V), iter_mut
        |entry| (&entry.key, &mut entry.value);
}
