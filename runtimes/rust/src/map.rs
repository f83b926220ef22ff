//! Ordered maps, for undeclared members and for objects used as maps.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Index;

use crate::codec::Codec;
use crate::cursor::{canonical, has_surrogate, twice, unescaped, Cursor, FastPathMiss, Read};
use crate::json::Json;
use crate::out::Out;

/// An untouched object.
pub type Object = Map<String, Json>;

/// A map with unique keys that keeps its entries in the order of insertion.
///
/// A lookup takes time proportional to the number of entries, as these maps are small. Two maps are equal
/// if they have the same entries in any order.
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
}

#[derive(Clone, Debug)]
struct Entry<K, V> {
    key: K,
    /// The spelling of a key with a lone surrogate, which `key` cannot hold.
    spelt: Option<Box<str>>,
    value: V,
}

impl<K, V> Map<K, V> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Map {
            entries: Vec::new(),
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
    }

    fn position<Q>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.entries
            .iter()
            .position(|entry| entry.spelt.is_none() && entry.key.borrow() == key)
    }

    /// The value under a key.
    #[must_use]
    pub fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.position(key).map(|at| &self.entries[at].value)
    }

    /// The value under a key, mutable.
    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.position(key).map(|at| &mut self.entries[at].value)
    }

    /// Whether there is a value under a key.
    #[must_use]
    pub fn contains_key<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.position(key).is_some()
    }

    /// Removes and returns the value under a key.
    pub fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.position(key).map(|at| self.entries.remove(at).value)
    }
}

impl<K: Eq, V> Map<K, V> {
    /// Sets the value under a key, at the end if the key is new, and returns the previous value.
    pub fn insert(&mut self, key: impl Into<K>, value: impl Into<V>) -> Option<V> {
        let (key, value) = (key.into(), value.into());
        match self.position(&key) {
            Some(at) => Some(std::mem::replace(&mut self.entries[at].value, value)),
            None => {
                self.entries.push(Entry {
                    key,
                    spelt: None,
                    value,
                });
                None
            }
        }
    }
}

impl<K: Key, V> Map<K, V> {
    /// Adds an entry by the spelling of its key, without a check for duplicates.
    pub(crate) fn push_raw(&mut self, raw: &str, value: V) -> Read<()> {
        self.entries.push(Entry {
            key: K::from_key(&unescaped(raw)).ok_or(FastPathMiss)?,
            spelt: has_surrogate(raw).then(|| canonical(raw).into()),
            value,
        });
        Ok(())
    }

    /// Whether a key occurs twice, or two keys cannot be told apart.
    pub(crate) fn has_twice(&self) -> bool {
        if let [one, other] = &self.entries[..] {
            return one.key == other.key;
        }
        let mut keys: Vec<_> = self.keys().map(Key::as_key).collect();
        twice(&mut keys)
    }

    /// The entries with the spellings of keys that have lone surrogates.
    pub(crate) fn spelt(&self) -> impl Iterator<Item = (&str, Option<&str>, &V)> {
        self.entries
            .iter()
            .map(|entry| (entry.key.as_key(), entry.spelt.as_deref(), &entry.value))
    }
}

/// A key of a map: a string, or an enum of strings.
pub trait Key: Clone + fmt::Debug + Eq {
    /// The place of the enum in the tables, if the key is one.
    const ENUM: Option<usize> = None;

    /// The key for a text.
    fn from_key(text: &str) -> Option<Self>;
    /// The text of the key.
    fn as_key(&self) -> &str;
}

impl Key for String {
    fn from_key(text: &str) -> Option<Self> {
        Some(text.into())
    }

    fn as_key(&self) -> &str {
        self
    }
}

impl<K: Key, V: Codec> Codec for Map<K, V> {
    fn read(c: &mut Cursor<'_>) -> Read<Self> {
        c.map()
    }

    fn write(&self, out: &mut Out) {
        let start = out.open('{');
        for (key, spelt, value) in self.spelt() {
            out.any_key(key, spelt);
            value.write(out);
        }
        out.close(start, '}');
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

impl<K: Eq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let same = |one: &Entry<K, V>, two: &Entry<K, V>| {
            one.key == two.key && one.spelt == two.spelt && one.value == two.value
        };
        self.len() == other.len()
            && self
                .entries
                .iter()
                .zip(&other.entries)
                .all(|(one, two)| same(one, two) || other.entries.iter().any(|two| same(one, two)))
    }
}

impl<K, V, Q> Index<&Q> for Map<K, V>
where
    K: Borrow<Q>,
    Q: Eq + ?Sized,
{
    type Output = V;

    /// Returns the value under a key. Panics if there is none.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no entry under this key")
    }
}

impl<K: Eq, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Eq, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Map::new();
        map.extend(entries);
        map
    }
}

impl<K: Eq + From<Q>, V: From<W>, Q, W, const N: usize> From<[(Q, W); N]> for Map<K, V> {
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
