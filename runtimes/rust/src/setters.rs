//! `new` of structs, and the methods that set optional members.

#![allow(unused_macros)] // not every protocol has structs

/// Declares the methods of a struct. `new` has its parameters, the fields that it `takes` from one of them as they
/// are, those that it `sets`, and those that it leaves absent, which the struct `lacks`. Each row after that has
/// the name of a setter, the field, whether the field holds a value as it is (`plain`) or in an option (`some`),
/// what the setter takes, and a type: a `value` of that type, what converts `into` it, or a `list` of what
/// converts into it. Behind `=>` is the type that a new value has, if the field holds values of others too; that is
/// the type of the items of a list where the setter takes `all` of these.
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
