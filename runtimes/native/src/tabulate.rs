//! Lines → rows of tables, by their description (`tables.json`), without objects in Python.
//!
//! `_tables.py` is the same in Python, and decides about every line that is not read here: what is a problem, or
//! unusual. The page about tables states the rules.

use std::collections::HashMap;

use simdutf8::basic::from_utf8;

use crate::columns::{Array, Batch, Batches, Cell, Cells, Kind, MAX_BYTES, MAX_ROWS};
use crate::package::{fits_in_memory, MAX_DEPTH, SMALL};
use crate::python::{self, Made, Object, Ref, Sequence, Stop, Text};
use crate::tape::{Node, Tape, Token, ROOT};
use crate::text::{finite, glob, integer, plain_length, push_escaped};

/// The number of the layout of descriptions and columns. A package with another one reads without the extension.
pub const LAYOUT: i32 = 2;

/// The maximum length of a line, in bytes. Python reports longer ones.
const MAX_LINE: usize = 1 << 26;

/// The largest list of nodes that is kept for the next line.
const KEPT: usize = 1 << 14;

const PROBLEMS: &str = "problems";

// --- the description ----------------------------------------------------------------------------

/// What an object is, by its tags.
enum Decision {
    Type(usize),
    Tag(Box<ByTag>),
    Keys(Box<ByKeys>),
}

struct ByTag {
    key: String,
    base: Kind,
    texts: HashMap<String, Decision>,
    numbers: Vec<(i64, Decision)>,
    booleans: [Option<Decision>; 2],
    prefixes: Vec<(String, Decision)>,
    patterns: Vec<(String, usize)>,
    absent: Option<Decision>,
    is_closed: bool,
}

struct ByKeys {
    /// Keys that are there, keys that are not, and what follows.
    cases: Vec<(Vec<String>, Vec<String>, Decision)>,
    is_closed: bool,
}

#[derive(Clone, Copy)]
enum Verdict {
    Type(usize),
    Unknown,
    Fault,
}

/// A step of a pointer to a row.
enum Step {
    /// The names of a member, the newest first.
    Member(Vec<String>),
    Each,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Line,
    Row,
    Key,
}

struct Column {
    start: Start,
    /// The names of each member on the way.
    steps: Vec<Vec<String>>,
    kind: Kind,
    is_list: bool,
    /// Whether the value is the line itself, which is its original text.
    is_line: bool,
    /// The kinds of values that are null without a problem.
    allows: Vec<String>,
}

struct Table {
    is_wanted: bool,
    steps: Vec<Step>,
    /// The types of the values that have a row, and how to tell what a value is.
    chosen: Option<(Vec<Decision>, Vec<usize>)>,
    columns: Vec<Column>,
}

/// Reads a description.
struct Description<'d> {
    tape: Tape<'d>,
    /// The number of each type, by its name.
    types: HashMap<String, usize>,
}

impl<'d> Description<'d> {
    fn new(text: &'d str) -> Made<Self> {
        Ok(Description {
            tape: Tape::parse(text).map_err(|_| Stop)?,
            types: HashMap::new(),
        })
    }

    fn get(&self, at: u32, key: &str) -> Made<u32> {
        self.tape.get(at, key).ok_or(Stop)
    }

    fn text(&self, at: u32) -> Made<String> {
        match self.tape.token(at) {
            Token::Text => Ok(self.tape.string(at)),
            _ => Err(Stop),
        }
    }

    /// A key in the spelling by which a tape compares keys.
    fn key(&self, at: u32) -> Made<String> {
        let mut key = String::new();
        push_escaped(&mut key, &self.text(at)?);
        Ok(key)
    }

    fn items(&self, at: u32) -> Made<Vec<u32>> {
        if self.tape.token(at) != Token::Array {
            return Err(Stop);
        }
        let mut items = self.tape.items(at);
        Ok(std::iter::from_fn(|| items.item(&self.tape)).collect())
    }

    fn keys(&self, at: u32) -> Made<Vec<String>> {
        let items = self.items(at)?;
        items.into_iter().map(|item| self.key(item)).collect()
    }

    /// The entries of an object, with the texts of their keys.
    fn entries(&self, at: u32) -> Made<Vec<(String, u32)>> {
        if self.tape.token(at) != Token::Object {
            return Err(Stop);
        }
        let mut members = self.tape.members(at);
        let pairs = std::iter::from_fn(|| members.member(&self.tape));
        pairs
            .map(|(key, value)| Ok((self.text(key)?, value)))
            .collect()
    }

    fn type_of(&mut self, name: String) -> usize {
        let number = self.types.len();
        *self.types.entry(name).or_insert(number)
    }

    fn decision(&mut self, at: u32) -> Made<Decision> {
        if self.tape.token(at) == Token::Text {
            let name = self.text(at)?;
            return Ok(Decision::Type(self.type_of(name)));
        }
        let is_closed = self.tape.token(self.get(at, "otherwise")?) != Token::Null;
        if let Some(cases) = self.tape.get(at, "keys") {
            let mut made = Vec::new();
            for case in self.items(cases)? {
                let has = self.keys(self.get(case, "has")?)?;
                let lacks = self.keys(self.get(case, "lacks")?)?;
                let then = self.get(case, "then")?;
                made.push((has, lacks, self.decision(then)?));
            }
            return Ok(Decision::Keys(Box::new(ByKeys {
                cases: made,
                is_closed,
            })));
        }
        self.by_tag(at, is_closed)
    }

    fn by_tag(&mut self, at: u32, is_closed: bool) -> Made<Decision> {
        let mut made = ByTag {
            key: self.key(self.get(at, "by")?)?,
            base: Kind::of(&self.text(self.get(at, "base")?)?).ok_or(Stop)?,
            texts: HashMap::new(),
            numbers: Vec::new(),
            booleans: [None, None],
            prefixes: Vec::new(),
            patterns: Vec::new(),
            absent: None,
            is_closed,
        };
        for (value, then) in self.pairs(self.get(at, "cases")?)? {
            let then = self.decision(then)?;
            match self.tape.token(value) {
                Token::True => made.booleans[1] = Some(then),
                Token::False => made.booleans[0] = Some(then),
                Token::Text => {
                    made.texts.insert(self.text(value)?, then);
                }
                _ => {
                    let number = integer(self.tape.digits(value)).ok_or(Stop)?;
                    made.numbers.push((number, then));
                }
            }
        }
        for (prefix, then) in self.pairs(self.get(at, "prefixes")?)? {
            let then = self.decision(then)?;
            made.prefixes.push((self.text(prefix)?, then));
        }
        for (pattern, name) in self.pairs(self.get(at, "patterns")?)? {
            let (pattern, name) = (self.text(pattern)?, self.text(name)?);
            made.patterns.push((pattern, self.type_of(name)));
        }
        let absent = self.get(at, "absent")?;
        if self.tape.token(absent) != Token::Null {
            made.absent = Some(self.decision(absent)?);
        }
        Ok(Decision::Tag(Box::new(made)))
    }

    fn pairs(&self, at: u32) -> Made<Vec<(u32, u32)>> {
        let pair = |at| match *self.items(at)?.as_slice() {
            [one, other] => Ok((one, other)),
            _ => Err(Stop),
        };
        self.items(at)?.into_iter().map(pair).collect()
    }

    fn table(&mut self, at: u32, values: u32, is_wanted: bool) -> Made<Table> {
        let is_each = |step: &u32| self.tape.token(*step) == Token::Text;
        let steps = self.items(self.get(at, "rows")?)?;
        let steps = steps.into_iter().map(|step| match is_each(&step) {
            true => Ok(Step::Each),
            false => Ok(Step::Member(self.keys(step)?)),
        });
        let steps = steps.collect::<Made<Vec<_>>>()?;
        let columns = self.entries(self.get(at, "columns")?)?.into_iter();
        let columns = columns.map(|(_, column)| self.column(column, !steps.is_empty()));
        let columns = columns.collect::<Made<Vec<_>>>()?;
        let mut chosen = None;
        if let Some(is) = self.tape.get(at, "is") {
            let (mut decisions, mut types) = (Vec::new(), Vec::new());
            for value in self.items(self.get(is, "values")?)? {
                let name = self.key(value)?;
                decisions.push(self.decision(self.get(values, &name)?)?);
            }
            for name in self.items(self.get(is, "types")?)? {
                let name = self.text(name)?;
                types.push(self.type_of(name));
            }
            chosen = Some((decisions, types));
        }
        Ok(Table {
            is_wanted,
            steps,
            chosen,
            columns,
        })
    }

    fn column(&self, at: u32, has_rows: bool) -> Made<Column> {
        let start = match self.text(self.get(at, "of")?)?.as_str() {
            "line" => Start::Line,
            "row" => Start::Row,
            "key" => Start::Key,
            _ => return Err(Stop),
        };
        let steps = match self.tape.get(at, "at") {
            Some(steps) => self.items(steps)?,
            None => Vec::new(),
        };
        let steps = steps.into_iter().map(|names| self.keys(names));
        let steps = steps.collect::<Made<Vec<_>>>()?;
        Ok(Column {
            start,
            is_line: start == Start::Line && steps.is_empty() && !has_rows,
            steps,
            kind: Kind::of(&self.text(self.get(at, "type")?)?).ok_or(Stop)?,
            is_list: self.tape.token(self.get(at, "list")?) == Token::True,
            allows: match self.tape.get(at, "allows") {
                Some(allows) => self.keys(allows)?,
                None => Vec::new(),
            },
        })
    }
}

/// The types of a table's columns, and whether they are lists; the first three are built in.
fn types_of(table: &Table) -> Vec<(Kind, bool)> {
    let built_in = [Kind::String, Kind::Integer, Kind::Integer].map(|kind| (kind, false));
    let own = table.columns.iter();
    let own = own.map(|column| (column.kind, column.is_list));
    built_in.into_iter().chain(own).collect()
}

// --- lines --------------------------------------------------------------------------------------

/// Reads tables of one root.
pub struct Reader {
    root: Decision,
    tables: Vec<Table>,
    names: Vec<String>,
    /// The tables with rows of a line, by its type.
    by_type: Vec<Vec<usize>>,
    of_unknowns: Vec<usize>,
    /// Whether values that do not fit are to be reported.
    has_problems: bool,
    batches: Batches,
    nodes: Vec<Node>,
    texts: Vec<u8>,
}

/// What is read of a line, as long as that is in memory.
struct Line<'r, 't> {
    reader: &'r Reader,
    tape: &'r Tape<'t>,
    raw: &'t [u8],
    is_known: bool,
    cells: Cells<'t>,
    /// The table of each row, whose values follow each other in `values`.
    rows: Vec<usize>,
    values: Vec<Cell<'t>>,
    /// The size of the rows.
    size: usize,
    /// Scratch space for texts with escapes.
    unescaped: Vec<u8>,
}

/// The value of a column, before it is converted.
#[derive(Clone, Copy)]
enum Value {
    Node(u32),
    Index(i64),
}

/// Why a value has no cell.
enum Misfit {
    /// It does not fit, which is no problem if the spec allows values of its kind.
    Other,
    /// It does not fit, which is a problem in any case.
    Always,
    /// Python has to decide.
    Stop,
}

impl From<Stop> for Misfit {
    fn from(_: Stop) -> Self {
        Misfit::Stop
    }
}

impl Reader {
    /// A reader of the wanted tables of a root.
    fn new(text: &str, root: &str, wanted: &[&str]) -> Made<Self> {
        let mut description = Description::new(text)?;
        let decisions = description.get(ROOT, "roots")?;
        let (_, decision) = description
            .entries(decisions)?
            .into_iter()
            .find(|(name, _)| name == root)
            .ok_or(Stop)?;
        let decision = description.decision(decision)?;
        let values = description.get(ROOT, "values")?;
        let has_problems = wanted.contains(&PROBLEMS);
        let (mut tables, mut names, mut lines, mut of_unknowns) = (vec![], vec![], vec![], vec![]);
        for (name, table) in description.entries(description.get(ROOT, "tables")?)? {
            let is_wanted = wanted.contains(&name.as_str());
            let of = description.text(description.get(table, "root")?)?;
            if of != root || !(is_wanted || has_problems) {
                continue;
            }
            for line in description.items(description.get(table, "lines")?)? {
                let name = description.text(line)?;
                lines.push((description.type_of(name), tables.len()));
            }
            if description.tape.token(description.get(table, "unknowns")?) == Token::True {
                of_unknowns.push(tables.len());
            }
            tables.push(description.table(table, values, is_wanted)?);
            names.push(name);
        }
        let mut columns: Vec<_> = tables.iter().map(types_of).collect();
        if has_problems {
            let own = description
                .entries(description.get(ROOT, "problems")?)?
                .into_iter();
            let own = own.map(|(_, column)| {
                let kind = description.text(description.get(column, "type")?)?;
                Ok((Kind::of(&kind).ok_or(Stop)?, false))
            });
            columns.push(own.collect::<Made<_>>()?);
            names.push(PROBLEMS.into());
        }
        let mut by_type = vec![Vec::new(); description.types.len()];
        for (type_, table) in lines {
            by_type[type_].push(table);
        }
        Ok(Reader {
            root: decision,
            tables,
            names,
            by_type,
            of_unknowns,
            has_problems,
            batches: Batches::new(columns),
            nodes: Vec::new(),
            texts: Vec::new(),
        })
    }

    /// Reads the lines of a block from a position on, up to one that Python has to read, or that completes a batch.
    /// Returns the position after them, and their number.
    fn lines(&mut self, file: &[u8], mut number: i64, block: &[u8], mut at: usize) -> (usize, i64) {
        while at < block.len() {
            let rest = &block[at..];
            let end = line_end(rest);
            let raw = &rest[..end.unwrap_or(rest.len())];
            let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
            let is_blank = raw.iter().all(|c| matches!(c, b' ' | b'\t' | b'\r'));
            if !is_blank && self.line(file, number, raw).is_err() {
                break;
            }
            at += end.map_or(rest.len(), |end| end + 1);
            number += 1;
            if self.batches.has_full() {
                break;
            }
        }
        (at, number)
    }

    /// Adds the rows of a line, or none.
    fn line(&mut self, file: &[u8], number: i64, raw: &[u8]) -> Made<()> {
        if raw.len() > MAX_LINE || raw.len() > SMALL && !fits_in_memory(raw) {
            return Err(Stop);
        }
        let text = from_utf8(raw).map_err(|_| Stop)?;
        let nodes = std::mem::take(&mut self.nodes);
        let mut tape = Tape::parse_to(nodes, text, MAX_DEPTH).map_err(|_| Stop)?;
        let mut texts = std::mem::take(&mut self.texts);
        texts.clear();
        let mut line = Line {
            reader: self,
            tape: &tape,
            raw,
            is_known: true,
            cells: Cells {
                texts,
                items: Vec::new(),
            },
            rows: Vec::new(),
            values: Vec::new(),
            size: 0,
            unescaped: Vec::new(),
        };
        line.read()?;
        let Line {
            cells,
            rows,
            values,
            ..
        } = line;
        let mut values = values.as_slice();
        let (mut last, mut row) = (usize::MAX, 0);
        for table in rows {
            row = if table == last { row + 1 } else { 0 };
            last = table;
            let (own, rest) = values.split_at(self.tables[table].columns.len());
            values = rest;
            let built_in = [Cell::Text(file), Cell::Integer(number), Cell::Integer(row)];
            let row = built_in.into_iter().chain(own.iter().copied());
            self.batches.add(table, row, &cells);
        }
        let Cells { texts, .. } = cells;
        let mut nodes = tape.take_nodes();
        nodes.clear();
        if nodes.capacity() <= KEPT {
            self.nodes = nodes;
        }
        if texts.capacity() <= KEPT {
            self.texts = texts;
        }
        Ok(())
    }
}

/// The position of the first line feed.
fn line_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    // It has no early exit, so that compilers vectorise it.
    let has_end =
        |chunk: &[u8; 32]| chunk.iter().fold(0, |any, c| any | u8::from(*c == b'\n')) != 0;
    while let Some(chunk) = bytes[at..].first_chunk() {
        if has_end(chunk) {
            break;
        }
        at += chunk.len();
    }
    let found = bytes[at..].iter().position(|c| *c == b'\n');
    found.map(|found| at + found)
}

impl<'r, 't> Line<'r, 't> {
    fn read(&mut self) -> Made<()> {
        if self.tape.token(ROOT) != Token::Object {
            return Err(Stop);
        }
        let reader = self.reader;
        let tables = match self.decide(&reader.root, ROOT)? {
            Verdict::Fault => return Err(Stop),
            Verdict::Type(number) => &reader.by_type[number],
            Verdict::Unknown => {
                self.is_known = false;
                &reader.of_unknowns
            }
        };
        for number in tables {
            let (mut first, table) = (None, &reader.tables[*number]);
            self.rows_from(
                *number,
                table,
                &table.steps,
                ROOT,
                Value::Index(0),
                &mut first,
            )?;
        }
        Ok(())
    }

    // --- tags -----------------------------------------------------------------------------------

    fn decide(&self, decision: &Decision, object: u32) -> Made<Verdict> {
        match decision {
            Decision::Type(number) => Ok(Verdict::Type(*number)),
            Decision::Keys(by) => {
                let has = |key: &String| self.tape.get(object, key).is_some();
                let fits = |(there, absent, _): &&(Vec<String>, Vec<String>, Decision)| {
                    there.iter().all(has) && !absent.iter().any(has)
                };
                match by.cases.iter().find(fits) {
                    Some((.., then)) => self.decide(then, object),
                    None => Ok(otherwise(by.is_closed)),
                }
            }
            Decision::Tag(by) => self.decide_by_tag(by, object),
        }
    }

    fn decide_by_tag(&self, by: &ByTag, object: u32) -> Made<Verdict> {
        let Some(tag) = self.tape.get(object, &by.key) else {
            return match &by.absent {
                Some(then) => self.decide(then, object),
                None => Ok(Verdict::Fault),
            };
        };
        let then = match (by.base, self.tape.token(tag)) {
            (Kind::String, Token::Text) => {
                if self.tape.surrogates(tag).is_some() {
                    return Err(Stop);
                }
                let text = self.tape.text(tag);
                if let Some(then) = by.texts.get(text.as_ref()) {
                    Some(then)
                } else if let Some((_, then)) =
                    by.prefixes.iter().find(|(it, _)| text.starts_with(it))
                {
                    Some(then)
                } else if let Some((_, number)) = by.patterns.iter().find(|(it, _)| glob(it, &text))
                {
                    return Ok(Verdict::Type(*number));
                } else {
                    None
                }
            }
            (Kind::Boolean, Token::True) => by.booleans[1].as_ref().or(by.absent.as_ref()),
            (Kind::Boolean, Token::False) => by.booleans[0].as_ref().or(by.absent.as_ref()),
            (Kind::Integer, Token::Integer | Token::Number) => {
                let Some(number) = integer(self.tape.digits(tag)) else {
                    return Ok(Verdict::Fault);
                };
                match (
                    by.numbers.iter().find(|(it, _)| *it == number),
                    by.patterns.first(),
                ) {
                    (Some((_, then)), _) => Some(then),
                    (None, Some((_, number))) => return Ok(Verdict::Type(*number)),
                    (None, None) => None,
                }
            }
            _ => return Ok(Verdict::Fault),
        };
        match then {
            Some(then) => self.decide(then, object),
            None => Ok(otherwise(by.is_closed)),
        }
    }

    // --- rows -----------------------------------------------------------------------------------

    /// Adds the rows of values at the end of a pointer. `first` is where the values of the table's first row begin.
    fn rows_from(
        &mut self,
        number: usize,
        table: &'r Table,
        steps: &'r [Step],
        at: u32,
        key: Value,
        first: &mut Option<usize>,
    ) -> Made<()> {
        match steps.split_first() {
            None => self.row(number, table, at, key, first),
            Some((Step::Member(names), rest)) => match self.member(at, names) {
                Some(at) => self.rows_from(number, table, rest, at, key, first),
                None => Ok(()),
            },
            Some((Step::Each, rest)) => match self.tape.token(at) {
                Token::Array => {
                    let mut items = self.tape.items(at);
                    let mut index = 0;
                    while let Some(item) = items.item(self.tape) {
                        self.rows_from(number, table, rest, item, Value::Index(index), first)?;
                        index += 1;
                    }
                    Ok(())
                }
                Token::Object => {
                    let mut pairs = Vec::new();
                    self.tape.pairs(at, &mut pairs);
                    for (key, value) in pairs {
                        self.rows_from(number, table, rest, value, Value::Node(key), first)?;
                    }
                    Ok(())
                }
                _ => Ok(()),
            },
        }
    }

    fn row(
        &mut self,
        number: usize,
        table: &'r Table,
        at: u32,
        key: Value,
        first: &mut Option<usize>,
    ) -> Made<()> {
        if self.tape.token(at) == Token::Null || !self.is_chosen(table, at)? {
            return Ok(());
        }
        let from = self.values.len();
        for (place, column) in table.columns.iter().enumerate() {
            let cell = match *first {
                // What is read from the line is the same, and so are its problems.
                Some(first) if column.start == Start::Line => self.values[first + place],
                _ => self.column(column, at, key)?,
            };
            self.size += self.cells.size(cell);
            self.values.push(cell);
        }
        // Python yields rows one by one, so that it needs no memory for those of a long line.
        if self.size > MAX_BYTES || self.rows.len() == MAX_ROWS {
            return Err(Stop);
        }
        *first = first.or(Some(from));
        if table.is_wanted {
            self.rows.push(number);
        } else {
            self.values.truncate(from);
            *first = None;
        }
        Ok(())
    }

    fn is_chosen(&self, table: &Table, at: u32) -> Made<bool> {
        let Some((decisions, types)) = &table.chosen else {
            return Ok(true);
        };
        if self.tape.token(at) != Token::Object {
            return Ok(false);
        }
        for decision in decisions {
            if let Verdict::Type(number) = self.decide(decision, at)? {
                if types.contains(&number) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// A member that is neither absent nor null, by the first of its names with such a value.
    fn member(&self, at: u32, names: &[String]) -> Option<u32> {
        if self.tape.token(at) != Token::Object {
            return None;
        }
        let found = names.iter().filter_map(|name| self.tape.get(at, name));
        let mut found = found.filter(|value| self.tape.token(*value) != Token::Null);
        found.next()
    }

    // --- columns --------------------------------------------------------------------------------

    /// The value in a row.
    fn column(&mut self, column: &Column, row: u32, key: Value) -> Made<Cell<'t>> {
        if column.is_line {
            return Ok(Cell::Text(self.raw));
        }
        let value = match column.start {
            Start::Key => key,
            Start::Line | Start::Row => {
                let mut at = if column.start == Start::Line {
                    ROOT
                } else {
                    row
                };
                for names in &column.steps {
                    match self.member(at, names) {
                        Some(member) => at = member,
                        None => return Ok(Cell::Null),
                    }
                }
                Value::Node(at)
            }
        };
        let kind = match value {
            Value::Node(at) => self.tape.kind(at),
            Value::Index(_) => "number",
        };
        let made = match value {
            Value::Node(at) if column.is_list && kind == "array" => self.list(column.kind, at),
            _ if column.is_list => Err(Misfit::Other),
            _ => self.convert(column.kind, value),
        };
        match made {
            Ok(cell) => Ok(cell),
            Err(Misfit::Stop) => Err(Stop),
            Err(_) if !self.reader.has_problems => Ok(Cell::Null),
            Err(Misfit::Other) if self.is_known && column.allows(kind) => Ok(Cell::Null),
            Err(_) => Err(Stop),
        }
    }

    fn list(&mut self, kind: Kind, at: u32) -> Result<Cell<'t>, Misfit> {
        let (mut items, from) = (self.tape.items(at), self.cells.items.len());
        while let Some(item) = items.item(self.tape) {
            let cell = match self.tape.token(item) {
                Token::Null => Ok(Cell::Null),
                _ => self.convert(kind, Value::Node(item)),
            };
            match cell {
                Ok(cell) => self.cells.items.push(cell),
                Err(Misfit::Stop) => return Err(Misfit::Stop),
                Err(_) if self.reader.has_problems => return Err(Misfit::Stop),
                Err(_) => self.cells.items.push(Cell::Null),
            }
        }
        Ok(Cell::List(from, self.cells.items.len()))
    }

    fn convert(&mut self, kind: Kind, value: Value) -> Result<Cell<'t>, Misfit> {
        let at = match (value, kind) {
            (Value::Node(at), _) => at,
            (Value::Index(index), Kind::Integer) => return Ok(Cell::Integer(index)),
            (Value::Index(index), Kind::Number) => return Ok(Cell::Number(index as f64)),
            (Value::Index(index), Kind::Json) => {
                let from = self.cells.texts.len();
                self.cells
                    .texts
                    .extend_from_slice(index.to_string().as_bytes());
                return Ok(self.made(from));
            }
            (Value::Index(_), _) => return Err(Misfit::Other),
        };
        match (kind, self.tape.token(at)) {
            (Kind::String, Token::Text) => Ok(self.text(at)),
            (Kind::Boolean, Token::True) => Ok(Cell::Boolean(true)),
            (Kind::Boolean, Token::False) => Ok(Cell::Boolean(false)),
            (Kind::Integer, token @ (Token::Integer | Token::Number)) => {
                let digits = self.tape.digits(at);
                match integer(digits) {
                    Some(number) => Ok(Cell::Integer(number)),
                    None if token == Token::Number && finite(digits).is_none() => {
                        Err(Misfit::Always)
                    }
                    None => Err(Misfit::Other),
                }
            }
            (Kind::Number, Token::Integer | Token::Number) => {
                let number = finite(self.tape.digits(at)).ok_or(Misfit::Always)?;
                // An integer has no negative zero.
                let is_zero = number == 0.0 && self.tape.token(at) == Token::Integer;
                Ok(Cell::Number(if is_zero { 0.0 } else { number }))
            }
            (Kind::Timestamp, Token::Text) => {
                let text = self.tape.text(at);
                timestamp(text.as_bytes()).map(Cell::Integer)
            }
            (Kind::Json, _) => {
                let from = self.cells.texts.len();
                self.json(at)?;
                Ok(self.made(from))
            }
            _ => Err(Misfit::Other),
        }
    }

    /// The text of what was written last.
    fn made(&self, from: usize) -> Cell<'t> {
        Cell::Made(from, self.cells.texts.len())
    }

    /// A string; a lone surrogate becomes U+FFFD.
    fn text(&mut self, at: u32) -> Cell<'t> {
        if let Some(text) = self.tape.borrowed(at) {
            return Cell::Text(text.as_bytes());
        }
        let from = self.cells.texts.len();
        self.tape.push_text(at, &mut self.cells.texts);
        self.made(from)
    }

    /// Writes a value as Python does: compact, in received order, and with as few escapes as possible.
    fn json(&mut self, at: u32) -> Result<(), Misfit> {
        match self.tape.token(at) {
            Token::Integer => {
                let digits = self.tape.digits(at);
                self.write(if digits == "-0" { "0" } else { digits });
            }
            Token::Number => {
                let number = finite(self.tape.digits(at)).ok_or(Misfit::Always)?;
                python::push_repr(&mut self.cells.texts, number)?;
            }
            Token::Text => self.json_text(at)?,
            Token::Array => {
                let mut items = self.tape.items(at);
                let mut before = "[";
                while let Some(item) = items.item(self.tape) {
                    self.write(before);
                    self.json(item)?;
                    before = ",";
                }
                self.write(if before == "[" { "[]" } else { "]" });
            }
            Token::Object => {
                let mut pairs = Vec::new();
                self.tape.pairs(at, &mut pairs);
                let mut before = "{";
                for (key, value) in pairs {
                    self.write(before);
                    self.json_text(key)?;
                    self.write(":");
                    self.json(value)?;
                    before = ",";
                }
                self.write(if before == "{" { "{}" } else { "}" });
            }
            Token::Null | Token::Link => self.write("null"),
            Token::True => self.write("true"),
            Token::False => self.write("false"),
        }
        Ok(())
    }

    fn write(&mut self, text: &str) {
        self.cells.texts.extend_from_slice(text.as_bytes());
    }

    /// Writes a string or key. One with a lone surrogate is left to Python.
    fn json_text(&mut self, at: u32) -> Made<()> {
        let to = &mut self.cells.texts;
        to.push(b'"');
        if let Some(text) = self.tape.simple(at) {
            to.extend_from_slice(text);
        } else {
            self.unescaped.clear();
            if !self.tape.push_text(at, &mut self.unescaped) {
                return Err(Stop);
            }
            push_json(to, &self.unescaped);
        }
        to.push(b'"');
        Ok(())
    }
}

impl Column {
    fn allows(&self, kind: &str) -> bool {
        let kind = if kind == "integer" { "number" } else { kind };
        self.allows.iter().any(|it| it == kind)
    }
}

fn otherwise(is_closed: bool) -> Verdict {
    if is_closed {
        Verdict::Fault
    } else {
        Verdict::Unknown
    }
}

/// Appends the contents of a string of JSON, with the escapes that Python uses.
fn push_json(to: &mut Vec<u8>, mut text: &[u8]) {
    loop {
        let (plain, rest) = text.split_at(plain_length(text));
        to.extend_from_slice(plain);
        let Some((c, rest)) = rest.split_first() else {
            return;
        };
        match c {
            b'"' | b'\\' => to.extend_from_slice(&[b'\\', *c]),
            b'\n' => to.extend_from_slice(b"\\n"),
            b'\r' => to.extend_from_slice(b"\\r"),
            b'\t' => to.extend_from_slice(b"\\t"),
            8 => to.extend_from_slice(b"\\b"),
            12 => to.extend_from_slice(b"\\f"),
            _ => to.extend_from_slice(format!("\\u{c:04x}").as_bytes()),
        }
        text = rest;
    }
}

/// The microseconds since 1970 of a time (RFC 3339), rounded down.
fn timestamp(text: &[u8]) -> Result<i64, Misfit> {
    let (date, time) = text.split_at_checked(19).ok_or(Misfit::Other)?;
    let number = |from: usize, length: usize| digits(&date[from..from + length]);
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators.iter().any(|(at, c)| date[*at] != *c) {
        return Err(Misfit::Other);
    }
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let (mut micros, mut zone) = (0, time);
    if let Some(fraction) = time.strip_prefix(b".") {
        let length = fraction.iter().take_while(|c| c.is_ascii_digit()).count();
        if length == 0 {
            return Err(Misfit::Other);
        }
        for at in 0..6 {
            let digit = fraction[..length]
                .get(at)
                .map_or(0, |c| i64::from(c - b'0'));
            micros = micros * 10 + digit;
        }
        zone = &fraction[length..];
    }
    let (sign, hours, minutes) = match *zone {
        [b'Z'] => (1, 0, 0),
        [sign @ (b'+' | b'-'), ref hours @ .., b':', _, _] if hours.len() == 2 => {
            let sign = if sign == b'+' { 1 } else { -1 };
            (sign, digits(hours)?, digits(&zone[4..])?)
        }
        _ => return Err(Misfit::Other),
    };
    let days = days(year, month, day).ok_or(Misfit::Always)?;
    if hour > 23 || minute > 59 || second > 59 || hours > 23 || minutes > 59 {
        return Err(Misfit::Always);
    }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    Ok((seconds - sign * (hours * 3600 + minutes * 60)) * 1_000_000 + micros)
}

/// The number that some digits spell.
fn digits(text: &[u8]) -> Result<i64, Misfit> {
    text.iter().try_fold(0, |number, c| match c {
        b'0'..=b'9' => Ok(number * 10 + i64::from(c - b'0')),
        _ => Err(Misfit::Other),
    })
}

/// The days since 1970-01-01 in the Gregorian calendar; `None` for a day that it does not have.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // A year begins with March here, so that the day that only some have is the last one.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468)
}

// --- the functions of the module ----------------------------------------------------------------

/// A reader, given a description as JSON, a root, and the names of tables.
pub fn reader(arguments: &[Ref<'_>]) -> Made<Reader> {
    let &[description, root, wanted] = arguments else {
        return Err(Stop);
    };
    let description = ascii(description)?;
    let wanted = wanted.as_items(Sequence::Tuple).ok_or(Stop)?;
    let wanted = wanted.map(ascii).collect::<Made<Vec<_>>>()?;
    Reader::new(description, ascii(root)?, &wanted)
}

fn ascii(value: Ref<'_>) -> Made<&str> {
    match value.as_text() {
        Some(Text::Ascii(bytes)) => std::str::from_utf8(bytes).map_err(|_| Stop),
        _ => Err(Stop),
    }
}

/// Calls a function with the UTF-8 of a string.
fn with_utf8<T>(value: Ref<'_>, then: impl FnOnce(&[u8]) -> Made<T>) -> Made<T> {
    let encoded = python::encoded(value)?;
    then(encoded.as_ref().as_bytes().ok_or(Stop)?)
}

impl Reader {
    /// File, number of the next line, block, position → the position and the number after the lines that were read.
    pub fn read(&mut self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[file, number, block, at] = arguments else {
            return Err(Stop);
        };
        let (number, at) = (
            number.as_integer().ok_or(Stop)?,
            at.as_integer().ok_or(Stop)?,
        );
        let block = block.as_bytes().ok_or(Stop)?;
        let at = usize::try_from(at).map_err(|_| Stop)?;
        let (at, number) = with_utf8(file, |file| Ok(self.lines(file, number, block, at)))?;
        if python::has_raised() {
            return Err(Stop);
        }
        let mut made = vec![python::integer(at as i64)?, python::integer(number)?];
        python::sequence(Sequence::Tuple, &mut made, 0)
    }

    /// Table, values → whether a batch is full. Adds a row that was read in Python.
    pub fn add(&mut self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[table, row] = arguments else {
            return Err(Stop);
        };
        let name = ascii(table)?;
        let table = self.names.iter().position(|it| it == name).ok_or(Stop)?;
        let mut cells = Cells::default();
        let mut values = Vec::new();
        for value in row.as_items(Sequence::Tuple).ok_or(Stop)? {
            values.push(cell(value, &mut cells)?);
        }
        self.batches.add(table, values.iter().copied(), &cells);
        Ok(python::boolean(self.batches.has_full()))
    }

    /// Whether to complete all → the batches that are complete: name, columns.
    pub fn take(&mut self, arguments: &[Ref<'_>]) -> Made<Object> {
        let &[all] = arguments else {
            return Err(Stop);
        };
        if all.as_boolean() == Some(true) {
            self.batches.close();
        }
        let mut made = Vec::new();
        for batch in self.batches.take_full() {
            made.push(self.batch(batch)?);
        }
        python::sequence(Sequence::List, &mut made, 0)
    }

    fn batch(&self, batch: Batch) -> Made<Object> {
        let columns = batch.columns.into_iter().map(buffers);
        let mut columns = columns.collect::<Made<Vec<_>>>()?;
        let mut made = vec![
            python::text(&self.names[batch.table])?,
            python::sequence(Sequence::List, &mut columns, 0)?,
        ];
        python::sequence(Sequence::Tuple, &mut made, 0)
    }
}

/// The length of a column and its buffers, as Arrow orders them; for lists, followed by those of their items.
fn buffers(array: Array) -> Made<Object> {
    let mut made = vec![python::integer(array.length as i64)?];
    made.push(match array.validity.is_empty() {
        true => Object::none(),
        false => python::buffer(array.validity)?,
    });
    if !array.offsets.is_empty() {
        made.push(python::buffer(array.offsets)?);
    }
    made.push(match array.items {
        Some(items) => buffers(*items)?,
        None => python::buffer(array.data)?,
    });
    python::sequence(Sequence::Tuple, &mut made, 0)
}

/// A value that Python has read.
fn cell<'a>(value: Ref<'_>, cells: &mut Cells<'a>) -> Made<Cell<'a>> {
    if value.is_none() {
        return Ok(Cell::Null);
    }
    if let Some(value) = value.as_boolean() {
        return Ok(Cell::Boolean(value));
    }
    if let Some(number) = value.as_integer() {
        return Ok(Cell::Integer(number));
    }
    if let Some(number) = value.as_float() {
        return Ok(Cell::Number(number));
    }
    if let Some(items) = value.as_items(Sequence::List) {
        let items = items
            .map(|item| cell(item, cells))
            .collect::<Made<Vec<_>>>()?;
        let from = cells.items.len();
        cells.items.extend(items);
        return Ok(Cell::List(from, cells.items.len()));
    }
    let from = cells.texts.len();
    with_utf8(value, |text| {
        cells.texts.extend_from_slice(text);
        Ok(Cell::Made(from, cells.texts.len()))
    })
}
