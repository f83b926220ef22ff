//! Rows → batches of columns, as Arrow lays them out in memory.

use std::mem::take;

/// The maximum number of rows of a batch.
pub const MAX_ROWS: usize = 8192;

/// The maximum size of the rows of all tables that wait for their batch.
pub const MAX_BYTES: usize = 16 << 20;

/// The type of a column, or of the items of its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    String,
    Boolean,
    Integer,
    Number,
    Timestamp,
    Json,
}

impl Kind {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Kind::String,
            "boolean" => Kind::Boolean,
            "integer" => Kind::Integer,
            "number" => Kind::Number,
            "timestamp" => Kind::Timestamp,
            "json" => Kind::Json,
            _ => return None,
        })
    }
}

/// A value in a row.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    Null,
    Boolean(bool),
    /// An integer, or the microseconds of a timestamp.
    Integer(i64),
    Number(f64),
    /// UTF-8.
    Text(&'a [u8]),
    /// A text within [`Cells::texts`], from one byte to before another.
    Made(usize, usize),
    /// A list of some of [`Cells::items`], from one to before another.
    List(usize, usize),
}

/// Cells, and what they refer to.
#[derive(Default)]
pub struct Cells<'a> {
    pub texts: Vec<u8>,
    pub items: Vec<Cell<'a>>,
}

impl Cells<'_> {
    /// The size of a value in a batch, in bytes.
    pub fn size(&self, cell: Cell<'_>) -> usize {
        8 + match cell {
            Cell::Text(text) => text.len(),
            Cell::Made(from, to) => to - from,
            Cell::List(from, to) => self.items[from..to].iter().map(|it| self.size(*it)).sum(),
            Cell::Null | Cell::Boolean(_) | Cell::Integer(_) | Cell::Number(_) => 0,
        }
    }
}

/// Values of one type, as Arrow lays them out in memory.
pub struct Array {
    kind: Kind,
    pub length: usize,
    /// A bit for each value, which is 0 for a null; empty if there is none.
    pub validity: Vec<u8>,
    /// For texts and lists, where each begins, and where the last one ends.
    pub offsets: Vec<u8>,
    /// The values. For a list, see `items`.
    pub data: Vec<u8>,
    pub items: Option<Box<Array>>,
}

fn push_bit(bits: &mut Vec<u8>, at: usize, bit: bool) {
    if at % 8 == 0 {
        bits.push(0);
    }
    if let Some(last) = bits.last_mut() {
        *last |= u8::from(bit) << (at % 8);
    }
}

impl Array {
    fn new(kind: Kind, is_list: bool) -> Self {
        let has_offsets = is_list || matches!(kind, Kind::String | Kind::Json);
        Array {
            kind,
            length: 0,
            validity: Vec::new(),
            offsets: if has_offsets { vec![0; 4] } else { Vec::new() },
            data: Vec::new(),
            items: is_list.then(|| Box::new(Array::new(kind, false))),
        }
    }

    /// Appends a value. One of another type is a null, which no caller passes.
    fn push(&mut self, cell: Cell<'_>, cells: &Cells<'_>) {
        let is_there = !matches!(cell, Cell::Null);
        if !is_there && self.validity.is_empty() {
            for at in 0..self.length {
                push_bit(&mut self.validity, at, true);
            }
        }
        if !is_there || !self.validity.is_empty() {
            push_bit(&mut self.validity, self.length, is_there);
        }
        if let Some(items) = &mut self.items {
            if let Cell::List(from, to) = cell {
                for item in &cells.items[from..to] {
                    items.push(*item, cells);
                }
            }
            let end = items.length;
            self.end_at(end);
        } else {
            self.push_data(cell, cells);
        }
        self.length += 1;
    }

    fn push_data(&mut self, cell: Cell<'_>, cells: &Cells<'_>) {
        match (self.kind, cell) {
            (Kind::String | Kind::Json, _) => {
                match cell {
                    Cell::Text(text) => self.data.extend_from_slice(text),
                    Cell::Made(from, to) => self.data.extend_from_slice(&cells.texts[from..to]),
                    _ => {}
                }
                let end = self.data.len();
                self.end_at(end);
            }
            (Kind::Boolean, _) => {
                let bit = matches!(cell, Cell::Boolean(true));
                push_bit(&mut self.data, self.length, bit);
            }
            (_, Cell::Integer(number)) => self.data.extend_from_slice(&number.to_ne_bytes()),
            (_, Cell::Number(number)) => self.data.extend_from_slice(&number.to_ne_bytes()),
            _ => self.data.extend_from_slice(&[0; 8]),
        }
    }

    /// Sets where the last text or list ends. A batch has less than 2 GiB: 16 MiB, or one row of one line.
    fn end_at(&mut self, end: usize) {
        let end = i32::try_from(end).unwrap_or(i32::MAX);
        self.offsets.extend_from_slice(&end.to_ne_bytes());
    }
}

/// Some rows of a table.
pub struct Batch {
    pub table: usize,
    pub rows: usize,
    pub columns: Vec<Array>,
}

/// The rows of some tables, until they are taken as batches. Their limits are those of `_tables.py`, and so are the
/// rows of each batch.
pub struct Batches {
    /// The types of the columns of each table, and whether they are lists.
    columns: Vec<Vec<(Kind, bool)>>,
    /// The rows that are collected, in the order in which their tables have got the first one.
    open: Vec<(Batch, usize)>,
    /// The batches that are full.
    full: Vec<Batch>,
}

impl Batches {
    pub fn new(columns: Vec<Vec<(Kind, bool)>>) -> Self {
        Batches {
            columns,
            open: Vec::new(),
            full: Vec::new(),
        }
    }

    /// Adds a row. It has a value for each column.
    pub fn add<'a>(
        &mut self,
        table: usize,
        row: impl Iterator<Item = Cell<'a>> + Clone,
        cells: &Cells<'_>,
    ) {
        let size: usize = row.clone().map(|cell| cells.size(cell)).sum();
        let collected: usize = self.open.iter().map(|(_, size)| size).sum();
        if collected + size > MAX_BYTES {
            self.close();
        }
        let found = self.open.iter().position(|(batch, _)| batch.table == table);
        let at = found.unwrap_or_else(|| {
            let columns = self.columns[table].iter();
            let batch = Batch {
                table,
                rows: 0,
                columns: columns
                    .map(|(kind, is_list)| Array::new(*kind, *is_list))
                    .collect(),
            };
            self.open.push((batch, 0));
            self.open.len() - 1
        });
        let (batch, total) = &mut self.open[at];
        for (column, cell) in batch.columns.iter_mut().zip(row) {
            column.push(cell, cells);
        }
        batch.rows += 1;
        *total += size;
        if batch.rows == MAX_ROWS {
            self.full.push(self.open.remove(at).0);
        }
    }

    /// Takes what is collected as batches.
    pub fn close(&mut self) {
        self.full
            .extend(self.open.drain(..).map(|(batch, _)| batch));
    }

    pub fn has_full(&self) -> bool {
        !self.full.is_empty()
    }

    pub fn take_full(&mut self) -> Vec<Batch> {
        take(&mut self.full)
    }
}
