//! UTF-8 → the code points of a string in Python, all of one width.

use std::mem::MaybeUninit;

/// Whether bytes are ASCII. The function of the standard library tests the last bytes of a text one by one.
#[inline]
pub fn is_ascii(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some((group, after)) = rest.split_first_chunk::<64>() {
        if !are_ascii(group) {
            return false;
        }
        rest = after;
    }
    while let Some((group, after)) = rest.split_first_chunk::<16>() {
        if !are_ascii(group) {
            return false;
        }
        rest = after;
    }
    match bytes.last_chunk::<16>() {
        Some(last) => are_ascii(last),
        None => rest.is_ascii(),
    }
}

/// It has no early exit, so that compilers vectorise it.
#[inline]
fn are_ascii<const N: usize>(group: &[u8; N]) -> bool {
    group.iter().fold(0, |any, c| any | c).is_ascii()
}

/// The number of bytes that are counted in one byte before the sum is wider, so that compilers vectorise it.
const COUNTED: usize = 128;

/// The number of code points in UTF-8, and its highest byte, which determines how wide they are.
pub fn measure(bytes: &[u8]) -> (usize, u8) {
    let (mut count, mut highest) = (0, 0);
    for chunk in bytes.chunks(COUNTED) {
        let starts = chunk.iter().map(|c| u8::from(!is_continuation(*c)));
        count += usize::from(starts.sum::<u8>());
        highest = chunk.iter().fold(highest, |high, c| high.max(*c));
    }
    (count, highest)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Fills a list with the code points of UTF-8. Returns whether they fill it exactly, which they do if `measure` has
/// counted them.
pub fn fill<T>(bytes: &[u8], to: &mut [MaybeUninit<T>], unit: impl Fn(u32) -> T) -> bool {
    const STEP: usize = 8;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let (mut from, mut filled) = (0, 0);
    while from < bytes.len() {
        let chunk = bytes[from..].first_chunk::<STEP>();
        if let (Some(chunk), Some(places)) = (chunk, to.get_mut(filled..filled + STEP)) {
            // All are written; those that are not ASCII are overwritten.
            for (place, byte) in places.iter_mut().zip(chunk) {
                place.write(unit((*byte).into()));
            }
            let ascii = (u64::from_le_bytes(*chunk) & HIGHS).trailing_zeros() as usize / STEP;
            from += ascii;
            filled += ascii;
            if ascii == STEP {
                continue;
            }
        }
        let (Some((code_point, length)), Some(place)) = (first(&bytes[from..]), to.get_mut(filled))
        else {
            return false;
        };
        place.write(unit(code_point));
        from += length;
        filled += 1;
    }
    filled == to.len()
}

/// The first code point of UTF-8, and the number of its bytes.
#[inline]
fn first(bytes: &[u8]) -> Option<(u32, usize)> {
    let (lead, length) = match *bytes.first()? {
        lead @ 0..0x80 => (lead, 1),
        lead @ 0x80..0xE0 => (lead & 0x1F, 2),
        lead @ 0xE0..0xF0 => (lead & 0x0F, 3),
        lead => (lead & 0x07, 4),
    };
    let rest = bytes.get(1..length)?.iter();
    let code_point = rest.fold(lead.into(), |high, byte| high << 6 | u32::from(byte & 0x3F));
    Some((code_point, length))
}
