//! Errors of decoding and encoding.

use std::fmt;
use std::str::FromStr;

macro_rules! codes {
    ($($name:ident $text:literal $doc:literal;)*) => {
        /// The kind of a fault, in order of precedence if a value has several faults.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $doc] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// The name of the code, which is the same in all bindings.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    TooLong "too_long" "A line is longer than the reader's limit.";
    InvalidUtf8 "invalid_utf8" "The bytes are not UTF-8.";
    InvalidJson "invalid_json" "The text is not JSON.";
    TooDeep "too_deep" "The text nests deeper than 128 levels.";
    WrongType "wrong_type" "A value is of the wrong kind.";
    MissingField "missing_field" "A member is missing.";
    UnknownVariant "unknown_variant" "No variant has the value of a discriminator.";
    NoVariant "no_variant" "No variant matches the members of an object.";
    WrongConstant "wrong_constant" "A constant has another value.";
    UnknownValue "unknown_value" "A value is not one of the enum's.";
    OutOfRange "out_of_range" "An integer is out of range or has more than 4,300 digits, or a number overflows a double.";
    BadFormat "bad_format" "A string does not have its format.";
    OutOfBounds "out_of_bounds" "An array has too few or too many items.";
    UnknownField "unknown_field" "A member is not declared.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Code {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, UnknownValue> {
        let mut codes = Code::ALL.iter().copied();
        codes
            .find(|code| code.as_str() == text)
            .ok_or_else(|| UnknownValue(text.into()))
    }
}

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Eq, Hash)]
            #[non_exhaustive]
            pub struct $name {
                /// The kind of the fault.
                pub code: Code,
                /// The location of the fault as a JSON Pointer (RFC 6901); `""` is the whole document.
                pub path: String,
                /// A human-readable description.
                pub message: String,
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(self.code.as_str())?;
                    if !self.path.is_empty() {
                        write!(f, " at {}", self.path)?;
                    }
                    write!(f, ": {}", self.message)
                }
            }

            impl std::error::Error for $name {}
        )*
    };
}

errors! {
    /// The first fault in a document.
    DecodeError;
    /// The first fault in a value to be encoded.
    EncodeError;
}

impl DecodeError {
    /// The same fault with a prefix added to its path.
    #[allow(dead_code)] // not every protocol has answers
    pub(crate) fn under(mut self, pointer: &str) -> Self {
        self.path.insert_str(0, pointer);
        self
    }
}

impl EncodeError {
    /// Converts a fault found while decoding an encoded value to the fault of that value.
    #[allow(dead_code)] // not every protocol has answers
    pub(crate) fn of(found: DecodeError) -> Self {
        EncodeError {
            code: found.code,
            path: found.path,
            message: found.message,
        }
    }
}

/// A string or number that is not a value of a closed enum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownValue(pub(crate) String);

impl UnknownValue {
    /// The string, or the digits of the number.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown value {:?}", self.0)
    }
}

impl std::error::Error for UnknownValue {}
