//! `new` of structs, and the methods that set optional members.

#![allow(unused_macros)] // not every protocol has structs

/// Declares the methods of a struct. `new` has its parameters, the fields that it `takes` unchanged from a parameter,
/// those that it `sets`, and those that it leaves absent, which the struct `lacks`. Each row after that has the name
/// of a setter, the field, whether the field holds a value directly (`plain`) or in an option (`some`), what the
/// setter takes, and a type: a `value` of that type, a value that converts `into` it, or a `list` of values that
/// convert into it. After `=>` is the type of the new value, if the field also holds values of other types; it is the
/// type of the items of a list if the setter takes `all` of these.
macro_rules! methods {
    (
        $(#[$new:meta])*
        $of:ident($($parameter:ident: $taken:ty),* $(,)?)
        $(takes $from:ident { $($same:ident,)* })?
        $(sets { $($given:ident: $value:expr,)* })?
        $(lacks { $($absent:ident,)* })?
        ; $($(#[$about:meta])* $set:ident $field:ident $held:ident $how:ident $type:ty $(=> $made:ty)?;)*
    ) => {
        impl $of {
            $(#[$new])*
            #[must_use]
            pub fn new($($parameter: $taken),*) -> Self {
                Self {
                    $($($same: $from.$same,)*)?
                    $($($given: $value,)*)?
                    $($($absent: Default::default(),)*)?
                    extra: crate::Object::new(),
                }
            }

            $(
                $(#[$about])*
                #[must_use]
                pub fn $set(mut self, value: methods!(@ type $how $type $(=> $made)?)) -> Self {
                    $(let value = methods!(@ new $how value $made);)?
                    self.$field = methods!(@ $held methods!(@ $how value));
                    self
                }
            )*
        }
    };
    (@ type all $type:ty => $item:ty) => { impl IntoIterator<Item = impl Into<$item>> };
    (@ type $how:ident $type:ty => $new:ty) => { impl Into<$new> };
    (@ new all $value:ident $item:ty) => {
        $value.into_iter().map(Into::into).collect::<Vec<$item>>()
    };
    (@ new $how:ident $value:ident $new:ty) => { Into::<$new>::into($value) };
    (@ type value $type:ty) => { $type };
    (@ type into $type:ty) => { impl Into<$type> };
    (@ type list $type:ty) => { impl IntoIterator<Item = impl Into<$type>> };
    (@ value $value:ident) => { $value };
    (@ into $value:ident) => { $value.into() };
    (@ all $value:ident) => { $value.into() };
    (@ list $value:ident) => { $value.into_iter().map(Into::into).collect() };
    (@ plain $value:expr) => { $value };
    (@ some $value:expr) => { Some($value) };
}
