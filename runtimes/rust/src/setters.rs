//! `new` of structs, and the methods that set optional members.

#![allow(unused_macros)] // not every protocol has structs

/// Declares the methods of a struct. `new` has its parameters, the fields that it `takes` unchanged from a parameter,
/// those that it `sets`, and those that it leaves absent, which the struct `lacks`; after `=>` is `Default` if `new`
/// implements that. Each row after that has the name of a setter, the field, what the setter takes, and a type: a
/// `value` of that type, a value that converts `into` it, or a `list` of values that convert into it. After `=>` is the
/// type of the new value, if the field also holds values of other types; it is the type of the items of a list if the
/// setter takes `all` of these.
macro_rules! methods {
    (
        $(#[$new:meta])*
        $of:ident($($parameter:ident: $taken:ty),* $(,)?)
        $(takes $from:ident { $($same:ident,)* })?
        $(sets { $($given:ident: $value:expr,)* })?
        $(lacks { $($absent:ident,)* })?
        $(=> $default:ident)?
        ; $($(#[$about:meta])* $set:ident $field:ident $how:ident $type:ty $(=> $made:ty)?;)*
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
                    let value: methods!(@ held $how $type) = methods!(@ $how value);
                    self.$field = value.into();
                    self
                }
            )*
        }

        $(
            impl $default for $of {
                fn default() -> Self {
                    Self::new()
                }
            }
        )?
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
    (@ held list $type:ty) => { Vec<$type> };
    (@ held $how:ident $type:ty) => { $type };
    (@ value $value:ident) => { $value };
    (@ into $value:ident) => { $value.into() };
    (@ all $value:ident) => { $value.into() };
    (@ list $value:ident) => { $value.into_iter().map(Into::into).collect() };
}
