//! The methods that set optional members.

#![allow(unused_macros)] // not every protocol has optional members

/// Declares setters. The first line names the struct. Each row has the name of a setter, the field, whether
/// the field holds a value as it is (`plain`) or in an option (`some`), what the setter takes, and a type: a
/// `value` of that type, what converts `into` it, or a `list` of what converts into it.
macro_rules! setters {
    ($of:ident; $($(#[$about:meta])* $set:ident $field:ident $held:ident $taken:ident $type:ty;)*) => {
        impl $of {
            $(
                $(#[$about])*
                #[must_use]
                pub fn $set(mut self, value: setters!(@ type $taken $type)) -> Self {
                    self.$field = setters!(@ $held setters!(@ $taken value));
                    self
                }
            )*
        }
    };
    (@ type value $type:ty) => { $type };
    (@ type into $type:ty) => { impl Into<$type> };
    (@ type list $type:ty) => { impl IntoIterator<Item = impl Into<$type>> };
    (@ value $value:ident) => { $value };
    (@ into $value:ident) => { $value.into() };
    (@ list $value:ident) => { $value.into_iter().map(Into::into).collect() };
    (@ plain $value:expr) => { $value };
    (@ some $value:expr) => { Some($value) };
}
