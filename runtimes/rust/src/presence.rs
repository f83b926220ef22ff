//! Members that may be absent, null or present.

/// A member that may be absent, null or present. An absent member is not written.
///
/// ```
/// use polywire_runtime::Presence;
///
/// let mut limit: Presence<i64> = Presence::Absent;
/// limit = 5.into();
/// assert_eq!(limit.value(), Some(&5));
/// limit = Presence::Null;
/// assert_eq!(limit.value(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Presence<T> {
    /// The object has no such member.
    #[default]
    Absent,
    /// The member is null.
    Null,
    /// The member has a value.
    Present(T),
}

impl<T> Presence<T> {
    /// The value, if there is one.
    #[must_use]
    pub fn value(&self) -> Option<&T> {
        match self {
            Presence::Present(value) => Some(value),
            Presence::Absent | Presence::Null => None,
        }
    }

    #[allow(dead_code)] // only some protocols fill members of answers
    pub(crate) fn value_mut(&mut self) -> Option<&mut T> {
        match self {
            Presence::Present(value) => Some(value),
            Presence::Absent | Presence::Null => None,
        }
    }

    /// The value, if there is one.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        match self {
            Presence::Present(value) => Some(value),
            Presence::Absent | Presence::Null => None,
        }
    }

    /// Converts from `&Presence<T>` to `Presence<&T>`.
    #[must_use]
    pub fn as_ref(&self) -> Presence<&T> {
        match self {
            Presence::Absent => Presence::Absent,
            Presence::Null => Presence::Null,
            Presence::Present(value) => Presence::Present(value),
        }
    }

    /// Applies a function to the value, if there is one.
    #[must_use]
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Presence<U> {
        match self {
            Presence::Absent => Presence::Absent,
            Presence::Null => Presence::Null,
            Presence::Present(value) => Presence::Present(make(value)),
        }
    }

    /// Whether the member has a value.
    #[must_use]
    pub fn is_present(&self) -> bool {
        matches!(self, Presence::Present(_))
    }

    /// Whether the member is absent.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Presence::Absent)
    }

    /// Whether the member is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Presence::Null)
    }
}

impl<T> From<T> for Presence<T> {
    fn from(value: T) -> Self {
        Presence::Present(value)
    }
}

impl From<&str> for Presence<String> {
    fn from(value: &str) -> Self {
        Presence::Present(value.into())
    }
}

impl<T> From<T> for Presence<Box<T>> {
    fn from(value: T) -> Self {
        Presence::Present(Box::new(value))
    }
}

/// `None` is null.
impl<T> From<Option<T>> for Presence<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Presence::Null, Presence::Present)
    }
}

/// The value, if there is one.
impl<T> From<Presence<T>> for Option<T> {
    fn from(presence: Presence<T>) -> Self {
        presence.into_value()
    }
}
