//! A package of Python that uses the extension, and the functions that it calls.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;

use simdutf8::basic::from_utf8;

use crate::decode::build;
use crate::encode::Writer;
use crate::engine::{self, Mode, Selected, Target};
use crate::python::{self, Ascii, Class, Made, Object, Ref, Sequence, Stop, Text};
use crate::rows::{Detail, Fields, Tables};
use crate::table::{Row, Rule};

/// The number of levels of the deepest values that are read and written here. Python takes deeper ones, so that this
/// needs little of the stack of a thread, which may be as small as 64 KiB.
pub const MAX_DEPTH: usize = 40;

/// A package, whose tables are read when they are first needed.
pub struct Package {
    rows: Object,
    class_of: Object,
    unset: Object,
    root: Object,
    loaded: OnceCell<Option<Loaded>>,
}

/// A package with its tables.
pub struct Loaded {
    pub tables: Tables,
    /// The type of messages.
    root: &'static Rule,
    /// What represents an absent member that may be null.
    pub unset: Object,
    /// The function that returns the class with a name.
    class_of: Object,
    /// The class of each struct, and that of the Unknown of each union; `None` if its objects cannot be made here.
    classes: Vec<OnceCell<Option<Class>>>,
    /// The structs of each union.
    variants: Vec<OnceCell<Vec<bool>>>,
    /// The index of the struct of each class, by its address.
    places: RefCell<HashMap<usize, usize>>,
    /// The types that callers have asked for.
    rules: RefCell<Vec<&'static Rule>>,
    texts: RefCell<Texts>,
    /// The list in which objects are built, while none is being built.
    pub stack: Cell<Vec<Object>>,
    /// The UTF-8 in which escapes are replaced, likewise.
    pub unescaped: Cell<Vec<u8>>,
}

/// A type of a package, and those of its variants that are wanted. A reader owns it.
pub struct Filter {
    of: &'static Loaded,
    rule: &'static Rule,
    wanted: Vec<Selected>,
}

/// The text of a string.
fn string(value: Ref<'_>) -> Made<String> {
    match value.as_text() {
        Some(Text::Ascii(bytes)) => String::from_utf8(bytes.to_vec()).map_err(|_| Stop),
        _ => Err(Stop),
    }
}

/// An index that a function of the package has returned.
fn index(value: Ref<'_>) -> Made<usize> {
    let number = value.as_integer().ok_or(Stop)?;
    usize::try_from(number).map_err(|_| Stop)
}

fn mode(strict: Ref<'_>) -> Made<Mode> {
    match strict.as_boolean() {
        Some(false) => Ok(Mode::Lenient),
        Some(true) => Ok(Mode::Strict),
        None => Err(Stop),
    }
}

/// The text of a document, and the same if it is ASCII.
#[derive(Clone, Copy)]
struct Input<'a>(&'a str, Option<Ascii<'a>>);

/// Passes on a document, given as `bytes` or `str`. Whatever else Python accepts is a miss.
fn with_text(data: Ref<'_>, read: impl FnOnce(Input<'_>) -> Made<Object>) -> Made<Object> {
    let encoded;
    let bytes = match (data.as_bytes(), data.as_text()) {
        (Some(bytes), _) | (_, Some(Text::Ascii(bytes))) => bytes,
        (_, Some(_)) => {
            encoded = python::encoded(data)?;
            encoded.as_ref().as_bytes().ok_or(Stop)?
        }
        _ => return Err(Stop),
    };
    let ascii = Ascii::of(bytes);
    let text = match ascii {
        Some(ascii) => ascii.text(),
        None => from_utf8(bytes).map_err(|_| Stop)?,
    };
    if text.len() > SMALL && !fits_in_memory(text.as_bytes()) {
        return Err(Stop);
    }
    read(Input(text, ascii))
}

/// The number of bytes of the longest documents that are read without asking for memory first.
pub const SMALL: usize = 1 << 14;

/// The number of bytes that the lists about one value or key take at most, while the longest ones grow: 16 bytes on the
/// tape, up to 12 as slots, 16 as a member, 8 on the stack, and in objects, an entry of a hash table.
const EACH: usize = 256;

/// Whether there is memory for what is allocated to read a document: the lists, a tape that begins with a node for each
/// twelve bytes, and the text of a string without escapes. Python would report that there is none, but Rust ends the
/// process.
#[cold]
pub fn fits_in_memory(text: &[u8]) -> bool {
    let precedes = |c: &&u8| matches!(**c, b',' | b':' | b'[' | b'{');
    let count = text.iter().filter(precedes).count() + 1;
    let needed = count.saturating_mul(EACH).saturating_add(3 * text.len());
    Vec::<u8>::new().try_reserve_exact(needed).is_ok()
}

impl Package {
    /// A package, given its rows by name, the function that returns a class by its name, `UNSET`, and the JSON of the
    /// type of messages.
    pub fn new(arguments: &[Ref<'_>]) -> Made<Self> {
        let &[rows, class_of, unset, root] = arguments else {
            return Err(Stop);
        };
        Ok(Package {
            rows: rows.owned(),
            class_of: class_of.owned(),
            unset: unset.owned(),
            root: root.owned(),
            loaded: OnceCell::new(),
        })
    }

    /// The tables. Rows that cannot be read are a miss, each time.
    fn loaded(&'static self) -> Made<&'static Loaded> {
        if self.loaded.get().is_none() {
            let loaded = match self.load() {
                Err(Stop) if python::has_raised() => return Err(Stop),
                loaded => loaded.ok(),
            };
            let _ = self.loaded.set(loaded);
        }
        let loaded = self.loaded.get().and_then(Option::as_ref);
        loaded.ok_or(Stop)
    }

    fn load(&self) -> Made<Loaded> {
        let mut rows = Vec::new();
        for (name, text) in self.rows.as_ref().as_entries().ok_or(Stop)? {
            rows.push((string(name)?, string(text)?));
        }
        let tables = Tables::read(&rows)?;
        let root = tables.rule(&string(self.root.as_ref())?)?;
        Ok(Loaded {
            tables,
            root,
            unset: self.unset.clone(),
            class_of: self.class_of.clone(),
            classes: rows.iter().map(|_| OnceCell::new()).collect(),
            variants: rows.iter().map(|_| OnceCell::new()).collect(),
            places: RefCell::default(),
            rules: RefCell::default(),
            texts: RefCell::default(),
            stack: Cell::default(),
            unescaped: Cell::default(),
        })
    }

    // --- the functions that a package calls -----------------------------------------------------

    /// `rule(type)`: the number of a type, given as the JSON of a table's type.
    pub fn rule(&'static self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[type_] = arguments else {
            return Err(Stop);
        };
        let loaded = self.loaded()?;
        let rule = loaded.tables.rule(&string(type_)?)?;
        let mut rules = loaded.rules.borrow_mut();
        rules.push(rule);
        python::integer(rules.len() as i64 - 1)
    }

    /// `filter(rule, names)`: a filter for the classes of a type with these names.
    pub fn filter(&'static self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[rule, names] = arguments else {
            return Err(Stop);
        };
        let loaded = self.loaded()?;
        let rule = loaded.rule(rule)?;
        let mut wanted = Vec::new();
        for name in names.as_items(Sequence::Tuple).ok_or(Stop)? {
            loaded.add_selected(&string(name)?, &mut wanted);
        }
        python::owned_filter(Filter {
            of: loaded,
            rule,
            wanted,
        })
    }

    /// `decode(data, rule, strict)`: the value. The rule is `None` for messages.
    pub fn decode(&'static self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[data, rule, strict] = arguments else {
            return Err(Stop);
        };
        let (loaded, mode) = (self.loaded()?, mode(strict)?);
        let rule = loaded.rule(rule)?;
        with_text(data, |Input(text, ascii)| {
            match engine::decode_text(loaded.target(rule, mode), text) {
                Ok(document) => build(loaded, &document, rule, ascii),
                Err(_) => Err(Stop),
            }
        })
    }

    /// `decode_wanted(data, filter, strict)`: the value, or `None` if it is of a type that is not wanted.
    pub fn decode_wanted(&'static self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[data, filter, strict] = arguments else {
            return Err(Stop);
        };
        let (loaded, mode) = (self.loaded()?, mode(strict)?);
        let Filter { of, rule, wanted } = filter.as_filter().ok_or(Stop)?;
        if !std::ptr::eq(*of, loaded) {
            return Err(Stop);
        }
        with_text(data, |Input(text, ascii)| {
            let target = loaded.target(rule, mode);
            let document = engine::decode_wanted(target, text, |each| wanted.contains(&each));
            match document {
                Ok(Some(document)) => build(loaded, &document, rule, ascii),
                Ok(None) => Ok(Object::none()),
                Err(_) => Err(Stop),
            }
        })
    }

    /// `encode(value, rule)`: the line. The rule is `None` for an object whose class is the type.
    pub fn encode(&'static self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[value, rule] = arguments else {
            return Err(Stop);
        };
        let loaded = self.loaded()?;
        let writer = Writer::new(loaded);
        if rule.is_none() {
            return writer.line(|writer| writer.object(value));
        }
        let rule = loaded.rule(rule)?;
        writer.line(|writer| writer.value(rule, value))
    }
}

impl Loaded {
    fn target<'r>(&self, rule: &'r Rule, mode: Mode) -> Target<'r> {
        Target {
            plan: self.tables.plan,
            rule,
            mode,
            levels: MAX_DEPTH,
            repairs: false,
        }
    }

    /// The rule with a number that `Package::rule` has returned; `None` stands for messages.
    fn rule(&self, number: Ref<'_>) -> Made<&'static Rule> {
        if number.is_none() {
            return Ok(self.root);
        }
        let number = index(number)?;
        self.rules.borrow().get(number).copied().ok_or(Stop)
    }

    /// Adds what a class stands for: a struct, or the Unknown of the unions that have it.
    fn add_selected(&self, name: &str, wanted: &mut Vec<Selected>) {
        wanted.extend(self.tables.places.get(name).copied().map(Selected::Struct));
        for (place, detail) in self.tables.details.iter().enumerate() {
            if matches!(detail, Detail::Union(Some(unknown)) if unknown == name) {
                wanted.push(Selected::Unknown(place));
            }
        }
    }

    // --- classes --------------------------------------------------------------------------------

    pub fn fields(&self, place: usize) -> Made<&Fields> {
        match &self.tables.details[place] {
            Detail::Struct(fields) => Ok(fields),
            _ => Err(Stop),
        }
    }

    /// The class of a struct. Its slots are the attributes of fields in order, that of undeclared members, and local
    /// ones.
    #[inline]
    pub fn class(&self, place: usize) -> Made<&Class> {
        match self.classes[place].get() {
            Some(class) => class.as_ref().ok_or(Stop),
            None => self.find_class(place),
        }
    }

    #[cold]
    fn find_class(&self, place: usize) -> Made<&Class> {
        let fields = self.fields(place)?;
        let mut names: Vec<&str> = fields
            .attributes
            .iter()
            .flatten()
            .map(String::as_str)
            .collect();
        names.push("_extra");
        names.extend(fields.local.iter().map(String::as_str));
        self.found_class(place, self.tables.names[place], &names)
    }

    /// The class of a union's Unknown, whose slot is the object.
    pub fn unknown(&self, union: usize) -> Made<&Class> {
        if let Some(class) = self.classes[union].get() {
            return class.as_ref().ok_or(Stop);
        }
        match &self.tables.details[union] {
            Detail::Union(Some(name)) => self.found_class(union, name, &["raw"]),
            _ => Err(Stop),
        }
    }

    /// Looks up a class by its name, which may import its module and run other code, such as this function.
    fn found_class(&self, place: usize, name: &str, slots: &[&str]) -> Made<&Class> {
        let class = self.class_of.as_ref().call(python::text(name)?.as_ref())?;
        let class = Class::of(class, slots)?;
        let _ = self.classes[place].set(class); // unless that code has done so
        self.classes[place]
            .get()
            .and_then(Option::as_ref)
            .ok_or(Stop)
    }

    /// The class of a struct that `find_place` has found.
    #[inline]
    pub fn known_class(&self, place: usize) -> Made<&Class> {
        self.classes[place]
            .get()
            .and_then(Option::as_ref)
            .ok_or(Stop)
    }

    /// The index of the struct whose class is exactly that of an object, if `find_place` has found it.
    #[inline]
    pub fn known_place(&self, object: Ref<'_>) -> Option<usize> {
        self.places.borrow().get(&object.class().address()).copied()
    }

    /// Finds the struct of a class, which may run code in Python.
    #[cold]
    pub fn find_place(&self, class: Ref<'_>) -> Made<()> {
        let name = string(class.attribute("__name__")?.as_ref())?;
        let place = self.tables.places.get(&*name).copied().ok_or(Stop)?;
        self.fields(place)?;
        if !self.class(place)?.class().is(class) {
            return Err(Stop); // a subclass, or a class of something else
        }
        self.places.borrow_mut().insert(class.address(), place); // the package keeps its classes
        Ok(())
    }

    /// Whether a struct is a variant of a union.
    pub fn is_variant(&self, union: usize, place: usize) -> bool {
        let variants = self.variants[union].get_or_init(|| {
            let plan = self.tables.plan;
            let mut is_variant = vec![false; plan.len()];
            if let Row::Union(_, dispatch) = &plan[union].1 {
                for each in engine::selected(plan, dispatch, None) {
                    if let Selected::Struct(place) = each {
                        is_variant[place] = true;
                    }
                }
            }
            is_variant
        });
        variants[place]
    }

    // --- values ---------------------------------------------------------------------------------

    /// A known value of an enum.
    pub fn enum_value(&self, place: usize, number: usize) -> Option<Object> {
        match &self.tables.details[place] {
            Detail::Enum(values) => values.get(number).cloned(),
            _ => None,
        }
    }

    /// What represents an absent flattened member.
    pub fn absent_flat(&self, place: usize) -> Object {
        match self.fields(place) {
            Ok(fields) if fields.is_flat_nullable => self.unset.clone(),
            _ => Object::none(),
        }
    }

    /// A text from its UTF-8; short ones are shared.
    #[inline]
    pub fn text(&self, bytes: &[u8], within: Option<Ascii<'_>>) -> Made<Object> {
        if bytes.len() > SHORT {
            return python::utf8_text(bytes, within);
        }
        self.texts.borrow_mut().text(bytes, within)
    }
}

// --- short texts --------------------------------------------------------------------------------

/// The number of bytes of the longest texts that are shared.
const SHORT: usize = 16;

/// The number of texts that are kept, a power of two.
const KEPT: usize = 1024;

/// Short texts that were made, each in the place that its contents determine, until another one takes that.
struct Texts {
    entries: Vec<(usize, u128, Option<Object>)>,
}

impl Default for Texts {
    fn default() -> Self {
        let entries = std::iter::repeat_with(|| (0, 0, None));
        Texts {
            entries: entries.take(KEPT).collect(),
        }
    }
}

impl Texts {
    /// A text. Making a string and releasing one run no other code.
    #[inline]
    fn text(&mut self, bytes: &[u8], within: Option<Ascii<'_>>) -> Made<Object> {
        let (length, key) = (bytes.len(), packed(bytes));
        let entry = &mut self.entries[place(key)];
        match entry {
            (a, b, Some(text)) if (*a, *b) == (length, key) => Ok(text.clone()),
            _ => {
                let made = python::utf8_text(bytes, within)?;
                *entry = (length, key, Some(made.clone()));
                Ok(made)
            }
        }
    }
}

/// A number that differs for texts of one length up to [`SHORT`]: of most, the first and the last bytes, which overlap.
#[inline]
fn packed(text: &[u8]) -> u128 {
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return u128::from(u64::from_le_bytes(*first)) << 64
            | u128::from(u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return u128::from(u32::from_le_bytes(*first)) << 64
            | u128::from(u32::from_le_bytes(*last));
    }
    text.iter()
        .fold(0, |number, c| number << 8 | u128::from(*c))
}

fn place(key: u128) -> usize {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = (key as u64 ^ ((key >> 64) as u64).wrapping_mul(MIX)).wrapping_mul(MIX);
    (mixed >> (u64::BITS - KEPT.trailing_zeros())) as usize
}
