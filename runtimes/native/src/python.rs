//! The boundary to CPython: references, the values that are made and read, and the module. All unsafe code is here.
//!
//! The code of this crate only runs in functions of the module, which CPython calls with the GIL held; nothing here
//! releases it. Builds without a GIL are refused below, and subinterpreters when they import the module. `Object` and
//! `Ref` are neither `Send` nor `Sync`, so the rules for them hold in safe code:
//!
//! - An `Object` owns one reference, and a `Ref` borrows one for its lifetime.
//! - A function that may run code in Python says so. While a `Ref` to an item of a list or dict is in use, no such
//!   function may be called; `encode`, which uses them, calls none.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{addr_of_mut, null_mut, NonNull};

use pyo3_ffi as ffi;

use crate::package::{Filter, Package};
use crate::tabulate::{self, Reader};
use crate::widen::{fill, is_ascii, measure};

#[cfg(any(Py_GIL_DISABLED, PyPy, GraalPy))]
compile_error!("polywire-native is for CPython with a GIL; generated packages work without it");

/// An operation has no result: CPython has raised an exception, or if it has not, the package's functions in Python
/// have to do it, which is called a miss. It says no more, so that a `Made<Object>` is a pointer.
#[derive(Debug)]
pub struct Stop;

pub type Made<T> = Result<T, Stop>;

/// Whether CPython has raised an exception.
pub fn has_raised() -> bool {
    // SAFETY: it only reads the state of the thread.
    !unsafe { ffi::PyErr_Occurred() }.is_null()
}

/// Raises MemoryError.
#[cold]
pub fn no_memory() -> Stop {
    // SAFETY: it only sets the exception.
    unsafe { ffi::PyErr_NoMemory() };
    Stop
}

// --- references ---------------------------------------------------------------------------------

/// A counted reference.
pub struct Object(NonNull<ffi::PyObject>);

impl Object {
    /// Takes a new reference; null is an exception that was raised.
    ///
    /// # Safety
    ///
    /// The caller owns the reference, if it is not null.
    unsafe fn new(reference: *mut ffi::PyObject) -> Made<Self> {
        NonNull::new(reference).map(Object).ok_or(Stop)
    }

    pub fn none() -> Self {
        // SAFETY: `None` is never null.
        Ref::borrowed(unsafe { NonNull::new_unchecked(ffi::Py_None()) }).owned()
    }

    /// Gives the reference to CPython.
    fn into_raw(self) -> *mut ffi::PyObject {
        let reference = self.0.as_ptr();
        std::mem::forget(self);
        reference
    }

    pub fn as_ref(&self) -> Ref<'_> {
        Ref::borrowed(self.0)
    }
}

impl Clone for Object {
    fn clone(&self) -> Self {
        self.as_ref().owned()
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the reference is owned, and is not used after this. It may run code in Python.
        unsafe { ffi::Py_DECREF(self.0.as_ptr()) }
    }
}

/// A borrowed reference.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Ref<'a>(NonNull<ffi::PyObject>, PhantomData<&'a Object>);

impl<'a> Ref<'a> {
    fn borrowed(reference: NonNull<ffi::PyObject>) -> Self {
        Ref(reference, PhantomData)
    }

    /// Borrows a reference that something else keeps for the lifetime.
    ///
    /// # Safety
    ///
    /// The reference is null, or valid for the lifetime.
    unsafe fn new(reference: *mut ffi::PyObject) -> Option<Self> {
        NonNull::new(reference).map(Self::borrowed)
    }

    fn raw(self) -> *mut ffi::PyObject {
        self.0.as_ptr()
    }

    pub fn owned(self) -> Object {
        // SAFETY: the object is alive; `Object` releases the new reference.
        unsafe { ffi::Py_INCREF(self.raw()) };
        Object(self.0)
    }

    pub fn is(self, other: Ref<'_>) -> bool {
        self.0 == other.0
    }

    /// The address, by which objects that live as long as the package are found.
    pub fn address(self) -> usize {
        self.raw() as usize
    }

    /// The class of the object.
    pub fn class(self) -> Ref<'a> {
        // SAFETY: every object has a class, which it keeps alive.
        Ref::borrowed(unsafe { NonNull::new_unchecked(ffi::Py_TYPE(self.raw()).cast()) })
    }

    fn is_exactly(self, class: *mut ffi::PyTypeObject) -> bool {
        self.class().raw() == class.cast()
    }

    pub fn is_none(self) -> bool {
        // SAFETY: it only compares addresses.
        self.raw() == unsafe { ffi::Py_None() }
    }

    pub fn as_boolean(self) -> Option<bool> {
        // SAFETY: they only compare addresses.
        let (yes, no) = unsafe { (ffi::Py_True(), ffi::Py_False()) };
        match self.raw() {
            it if it == yes => Some(true),
            it if it == no => Some(false),
            _ => None,
        }
    }

    /// The value of an instance of exactly `int`, if it has 64 bits.
    pub fn as_integer(self) -> Option<i64> {
        if !self.is_exactly(addr_of_mut!(ffi::PyLong_Type)) {
            return None;
        }
        let mut overflow = 0;
        // SAFETY: it is an `int`, for which this neither runs code in Python nor raises.
        let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(self.raw(), &mut overflow) };
        (overflow == 0).then_some(value)
    }

    /// The value of an instance of exactly `float`.
    pub fn as_float(self) -> Option<f64> {
        let is_float = self.is_exactly(addr_of_mut!(ffi::PyFloat_Type));
        // SAFETY: it is a `float`.
        is_float.then(|| unsafe { ffi::PyFloat_AS_DOUBLE(self.raw()) })
    }

    /// The contents of an instance of exactly `str`.
    #[inline]
    pub fn as_text(self) -> Option<Text<'a>> {
        if !self.is_exactly(addr_of_mut!(ffi::PyUnicode_Type)) {
            return None;
        }
        let text = self.raw();
        // SAFETY: it is a `str`. Its contents never change, and live as long as the object, which the lifetime borrows.
        // Before Python 3.12, they exist only if it is ready. The kind says how long each of them is.
        unsafe {
            if ffi::PyUnicode_IS_READY(text) == 0 {
                return None;
            }
            let length = ffi::PyUnicode_GET_LENGTH(text) as usize;
            let data = ffi::PyUnicode_DATA(text).cast_const();
            Some(match ffi::PyUnicode_KIND(text) {
                ffi::PyUnicode_1BYTE_KIND => {
                    let bytes = std::slice::from_raw_parts(data.cast(), length);
                    #[cfg(Py_3_14)] // `pyo3-ffi` has no function for it
                    let is_ascii = bytes.is_ascii();
                    #[cfg(not(Py_3_14))]
                    let is_ascii = ffi::PyUnicode_IS_ASCII(text) != 0;
                    if is_ascii {
                        Text::Ascii(bytes)
                    } else {
                        Text::Latin(bytes)
                    }
                }
                ffi::PyUnicode_2BYTE_KIND => {
                    Text::Wide(std::slice::from_raw_parts(data.cast(), length))
                }
                _ => Text::Full(std::slice::from_raw_parts(data.cast(), length)),
            })
        }
    }

    /// The contents of an instance of exactly `bytes`.
    pub fn as_bytes(self) -> Option<&'a [u8]> {
        if !self.is_exactly(addr_of_mut!(ffi::PyBytes_Type)) {
            return None;
        }
        // SAFETY: it is a `bytes`. Its contents never change, and live as long as the object, which the lifetime
        // borrows.
        unsafe {
            let length = ffi::Py_SIZE(self.raw()) as usize;
            let data = ffi::PyBytes_AS_STRING(self.raw());
            Some(std::slice::from_raw_parts(data.cast(), length))
        }
    }

    /// The items of an instance of exactly `list` or `tuple`.
    pub fn as_items(self, of: Sequence) -> Option<Items<'a>> {
        let class = match of {
            Sequence::List => addr_of_mut!(ffi::PyList_Type),
            Sequence::Tuple => addr_of_mut!(ffi::PyTuple_Type),
        };
        let is_exact = self.is_exactly(class);
        is_exact.then_some(Items {
            of,
            list: self,
            at: 0,
        })
    }

    /// The entries of an instance of exactly `dict`.
    pub fn as_entries(self) -> Option<Entries<'a>> {
        let is_dict = self.is_exactly(addr_of_mut!(ffi::PyDict_Type));
        is_dict.then_some(Entries { dict: self, at: 0 })
    }

    /// The filter that `owned_filter` has made an object of.
    pub fn as_filter(self) -> Option<&'a Filter> {
        // SAFETY: only filters have the name.
        unsafe { self.owned_value(FILTER) }
    }

    /// The value of Rust with a name that `owned` has made an object of.
    ///
    /// # Safety
    ///
    /// All values with the name are of that type.
    unsafe fn owned_value<T>(self, name: &CStr) -> Option<&'a T> {
        // SAFETY: a capsule with the name has such a value, which lives as long as the capsule.
        unsafe {
            if ffi::PyCapsule_IsValid(self.raw(), name.as_ptr()) == 0 {
                return None;
            }
            let value = ffi::PyCapsule_GetPointer(self.raw(), name.as_ptr());
            value.cast::<T>().as_ref()
        }
    }

    /// Calls the object. It may run code in Python.
    pub fn call(self, argument: Ref<'_>) -> Made<Object> {
        // SAFETY: both references are valid, and the list of arguments ends with null.
        unsafe {
            Object::new(ffi::PyObject_CallFunctionObjArgs(
                self.raw(),
                argument.raw(),
                null_mut::<ffi::PyObject>(),
            ))
        }
    }

    /// The value of an attribute. It may run code in Python.
    pub fn attribute(self, name: &str) -> Made<Object> {
        let name = text(name)?;
        // SAFETY: both references are valid.
        unsafe { Object::new(ffi::PyObject_GetAttr(self.raw(), name.as_ref().raw())) }
    }
}

/// The contents of a string, by the width of its code points.
#[derive(Clone, Copy)]
pub enum Text<'a> {
    Ascii(&'a [u8]),
    Latin(&'a [u8]),
    Wide(&'a [u16]),
    Full(&'a [u32]),
}

#[derive(Clone, Copy)]
pub enum Sequence {
    List,
    Tuple,
}

/// The items of a list or tuple.
pub struct Items<'a> {
    of: Sequence,
    list: Ref<'a>,
    at: ffi::Py_ssize_t,
}

impl Items<'_> {
    pub fn length(&self) -> usize {
        // SAFETY: it is a list or a tuple, both of which have a size.
        unsafe { ffi::Py_SIZE(self.list.raw()) as usize }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Ref<'a>;

    fn next(&mut self) -> Option<Ref<'a>> {
        let (list, at) = (self.list.raw(), self.at);
        // SAFETY: it is a list or a tuple, and the index is within its present size. The item is borrowed from it, and
        // no code in Python runs while it is in use, so that it stays there.
        unsafe {
            if at >= ffi::Py_SIZE(list) {
                return None;
            }
            self.at += 1;
            Ref::new(match self.of {
                Sequence::List => ffi::PyList_GET_ITEM(list, at),
                Sequence::Tuple => ffi::PyTuple_GET_ITEM(list, at),
            })
        }
    }
}

/// The keys and values of a dict.
pub struct Entries<'a> {
    dict: Ref<'a>,
    at: ffi::Py_ssize_t,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Ref<'a>, Ref<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (mut key, mut value) = (null_mut(), null_mut());
        // SAFETY: it is a dict, which no code changes while this iterates. Both are borrowed from it, as above.
        unsafe {
            if ffi::PyDict_Next(self.dict.raw(), &mut self.at, &mut key, &mut value) == 0 {
                return None;
            }
            Some((Ref::new(key)?, Ref::new(value)?))
        }
    }
}

// --- values -------------------------------------------------------------------------------------

pub fn boolean(value: bool) -> Object {
    // SAFETY: neither is ever null.
    Ref::borrowed(unsafe {
        NonNull::new_unchecked(if value {
            ffi::Py_True()
        } else {
            ffi::Py_False()
        })
    })
    .owned()
}

pub fn integer(value: i64) -> Made<Object> {
    // SAFETY: it returns a new reference, or null with an exception. So do the next functions.
    unsafe { Object::new(ffi::PyLong_FromLongLong(value)) }
}

pub fn float(value: f64) -> Made<Object> {
    // SAFETY: as above.
    unsafe { Object::new(ffi::PyFloat_FromDouble(value)) }
}

/// Bytes that are ASCII, which is decided once for all their parts.
#[derive(Clone, Copy)]
pub struct Ascii<'a>(&'a [u8]);

impl<'a> Ascii<'a> {
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        is_ascii(bytes).then_some(Ascii(bytes))
    }

    pub fn text(self) -> &'a str {
        // SAFETY: ASCII is UTF-8.
        unsafe { std::str::from_utf8_unchecked(self.0) }
    }

    fn has_part(self, bytes: &[u8]) -> bool {
        let (whole, part) = (self.0.as_ptr_range(), bytes.as_ptr_range());
        whole.start <= part.start && part.end <= whole.end
    }
}

pub fn text(text: &str) -> Made<Object> {
    utf8_text(text.as_bytes(), None)
}

/// A text from its UTF-8, which may be a part of `within`.
#[inline]
pub fn utf8_text(bytes: &[u8], within: Option<Ascii<'_>>) -> Made<Object> {
    if bytes.len() <= 1 || !(within.is_some_and(|whole| whole.has_part(bytes)) || is_ascii(bytes)) {
        return wide_text(bytes);
    }
    // SAFETY: as above. A new string of that many characters up to 127 has that many bytes, and nothing else refers to
    // it until it is filled.
    unsafe {
        let made = Object::new(ffi::PyUnicode_New(bytes.len() as ffi::Py_ssize_t, 0x7F))?;
        let data = ffi::PyUnicode_DATA(made.0.as_ptr()).cast::<u8>();
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        Ok(made)
    }
}

/// A text that is not ASCII, or has at most one code point: CPython shares the narrow ones of those.
#[inline(never)]
fn wide_text(bytes: &[u8]) -> Made<Object> {
    let (count, highest) = measure(bytes);
    if count <= 1 {
        let (data, length) = (bytes.as_ptr().cast(), bytes.len() as ffi::Py_ssize_t);
        // SAFETY: as above; it reads as many bytes as there are.
        return unsafe { Object::new(ffi::PyUnicode_FromStringAndSize(data, length)) };
    }
    // The first byte of a code point determines its range.
    if highest >= 0xF0 {
        new_text(count, 0x10_FFFF, |to| fill(bytes, to, |unit| unit))
    } else if highest >= 0xC4 {
        new_text(count, 0xFFFF, |to| fill(bytes, to, |unit| unit as u16))
    } else {
        new_text(count, 0xFF, |to| fill(bytes, to, |unit| unit as u8))
    }
}

/// A new string of some code points, none of which is higher than `highest`. What it holds is filled in before
/// anything else refers to it; a text that does not fill it is a miss.
fn new_text<T>(
    count: usize,
    highest: ffi::Py_UCS4,
    fill: impl FnOnce(&mut [MaybeUninit<T>]) -> bool,
) -> Made<Object> {
    // SAFETY: as above. A new string has as many units as code points, of the width that the highest one needs, which
    // is that of `T`.
    unsafe {
        let made = Object::new(ffi::PyUnicode_New(count as ffi::Py_ssize_t, highest))?;
        let data = ffi::PyUnicode_DATA(made.0.as_ptr()).cast();
        if fill(std::slice::from_raw_parts_mut(data, count)) {
            Ok(made)
        } else {
            Err(Stop)
        }
    }
}

pub fn bytes(data: &[u8]) -> Made<Object> {
    // SAFETY: as above; it reads as many bytes as there are.
    unsafe {
        Object::new(ffi::PyBytes_FromStringAndSize(
            data.as_ptr().cast(),
            data.len() as ffi::Py_ssize_t,
        ))
    }
}

/// The UTF-8 of a string; a string that has none is a miss.
pub fn encoded(text: Ref<'_>) -> Made<Object> {
    // SAFETY: as above; it raises if it is no string.
    unsafe {
        Object::new(ffi::PyUnicode_AsUTF8String(text.raw())).map_err(|_| {
            ffi::PyErr_Clear();
            Stop
        })
    }
}

/// A list or tuple of the objects from an index of a stack on, which are removed from it.
///
/// It is made when all its items exist, so that the collector never sees it incomplete.
pub fn sequence(of: Sequence, stack: &mut Vec<Object>, from: usize) -> Made<Object> {
    let length = (stack.len() - from) as ffi::Py_ssize_t;
    // SAFETY: as above. Each item of the new list or tuple is set once; no code in Python runs between.
    unsafe {
        let made = Object::new(match of {
            Sequence::List => ffi::PyList_New(length),
            Sequence::Tuple => ffi::PyTuple_New(length),
        })?;
        for (at, item) in stack.drain(from..).enumerate() {
            match of {
                Sequence::List => {
                    ffi::PyList_SET_ITEM(made.0.as_ptr(), at as ffi::Py_ssize_t, item.into_raw());
                }
                Sequence::Tuple => {
                    ffi::PyTuple_SET_ITEM(made.0.as_ptr(), at as ffi::Py_ssize_t, item.into_raw());
                }
            }
        }
        Ok(made)
    }
}

/// A dict that is being filled.
pub struct Dict(Object);

impl Dict {
    /// An empty dict. The collector may run.
    pub fn new() -> Made<Self> {
        // SAFETY: as above.
        unsafe { Object::new(ffi::PyDict_New()) }.map(Dict)
    }

    /// Sets an entry, whose key is a string.
    pub fn set(&self, key: &Object, value: &Object) -> Made<()> {
        // SAFETY: it is a dict, and takes references of its own.
        let failed =
            unsafe { ffi::PyDict_SetItem(self.0 .0.as_ptr(), key.0.as_ptr(), value.0.as_ptr()) };
        if failed == 0 {
            Ok(())
        } else {
            Err(Stop)
        }
    }

    pub fn finish(self) -> Object {
        self.0
    }
}

const FILTER: &CStr = c"polywire_native.filter";

/// An object that owns a filter.
pub fn owned_filter(filter: Filter) -> Made<Object> {
    // SAFETY: only filters have the name.
    unsafe { owned(filter, FILTER, free_filter) }
}

/// An object that owns a value of Rust.
///
/// # Safety
///
/// All values with the name are of that type, and `free` frees such a value.
unsafe fn owned<T>(value: T, name: &'static CStr, free: ffi::PyCapsule_Destructor) -> Made<Object> {
    let address = Box::into_raw(Box::new(value));
    // SAFETY: the name is never freed. The capsule frees the value; if there is none, nothing else refers to it.
    unsafe {
        let capsule = ffi::PyCapsule_New(address.cast(), name.as_ptr(), Some(free));
        if capsule.is_null() {
            drop(Box::from_raw(address));
        }
        Object::new(capsule)
    }
}

/// Frees the value that a capsule owns.
///
/// # Safety
///
/// It is called once for a capsule that `owned` has made, and before that is freed. The type is that of the name.
unsafe fn free<T>(capsule: *mut ffi::PyObject, name: &CStr) {
    // SAFETY: the caller states it.
    unsafe {
        let address = ffi::PyCapsule_GetPointer(capsule, name.as_ptr());
        if !address.is_null() {
            drop(Box::from_raw(address.cast::<T>()));
        }
    }
}

unsafe extern "C" fn free_filter(capsule: *mut ffi::PyObject) {
    // SAFETY: CPython calls it once, for a capsule that `owned_filter` has made, and before it frees that.
    unsafe { free::<Filter>(capsule, FILTER) }
}

const BUFFER: &CStr = c"polywire_native.buffer";

/// Memory that Python uses without a copy: its address, its length, and an object that owns it.
pub fn buffer(data: Vec<u8>) -> Made<Object> {
    let data = data.into_boxed_slice(); // which gives back the room that is left
    let (address, length) = (data.as_ptr() as usize as i64, data.len() as i64);
    // SAFETY: only such memory has the name.
    let owner = unsafe { owned(data, BUFFER, free_buffer)? };
    let mut made = vec![integer(address)?, integer(length)?, owner];
    sequence(Sequence::Tuple, &mut made, 0)
}

unsafe extern "C" fn free_buffer(capsule: *mut ffi::PyObject) {
    // SAFETY: as for `free_filter`.
    unsafe { free::<Box<[u8]>>(capsule, BUFFER) }
}

/// Appends the shortest decimal of a finite number, as `repr` has it.
pub fn push_repr(to: &mut Vec<u8>, number: f64) -> Made<()> {
    // SAFETY: it returns a text that ends with 0 and that we free, or null with an exception.
    unsafe {
        let flags = ffi::Py_DTSF_ADD_DOT_0;
        let digits = ffi::PyOS_double_to_string(number, b'r' as c_char, 0, flags, null_mut());
        if digits.is_null() {
            return Err(Stop);
        }
        to.extend_from_slice(CStr::from_ptr(digits).to_bytes());
        ffi::PyMem_Free(digits.cast());
    }
    Ok(())
}

// --- objects of a package -----------------------------------------------------------------------

/// Where the objects of a class have some of their attributes.
pub struct Class {
    class: Object,
    /// The number of bytes of an object.
    size: usize,
    /// The offset of each slot.
    offsets: Box<[usize]>,
}

impl Class {
    /// The slots with these names; `None` if the class has others, or makes its objects in another way.
    pub fn of(class: Object, names: &[&str]) -> Made<Option<Self>> {
        let type_ = class.0.as_ptr().cast::<ffi::PyTypeObject>();
        // SAFETY: what is checked to be a type has the fields of one.
        let size = unsafe {
            if ffi::PyType_Check(class.0.as_ptr()) == 0
                || (*type_).tp_alloc.map(|function| function as usize)
                    != Some(ffi::PyType_GenericAlloc as *const () as usize)
                || (*type_).tp_itemsize != 0
                || (*type_).tp_dictoffset != 0
                || ffi::PyType_HasFeature(type_, ffi::Py_TPFLAGS_HAVE_GC) == 0
            {
                return Ok(None);
            }
            (*type_).tp_basicsize as usize
        };
        let mut offsets = Vec::with_capacity(names.len());
        for name in names {
            let descriptor = class.as_ref().attribute(name)?;
            let Some(offset) = slot_offset(&descriptor, type_) else {
                return Ok(None);
            };
            let end = offset + size_of::<*mut ffi::PyObject>();
            if offset < size_of::<ffi::PyObject>()
                || end > size
                || offset % align_of::<usize>() != 0
            {
                return Ok(None);
            }
            offsets.push(offset);
        }
        let mut sorted = offsets.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != offsets.len() {
            return Ok(None);
        }
        let offsets = offsets.into();
        Ok(Some(Class {
            class,
            size,
            offsets,
        }))
    }

    /// Whether an object is an instance of exactly the class.
    pub fn fits(&self, object: Ref<'_>) -> bool {
        object.class().is(self.class.as_ref())
    }

    pub fn class(&self) -> Ref<'_> {
        self.class.as_ref()
    }

    /// A new object, whose slots are empty. The collector may run, but does not see the object until it is finished.
    #[inline]
    pub fn new_object(&self) -> Made<NewObject<'_>> {
        let type_ = self.class.0.as_ptr().cast::<ffi::PyTypeObject>();
        // SAFETY: it does what `PyType_GenericAlloc` does for classes whose objects the collector tracks, except that
        // these are not tracked yet. What follows the head of an object is set to null, before anything else sees it.
        let object = unsafe {
            let object = Object::new(ffi::PyObject_GC_New(type_))?;
            let body = object.0.as_ptr().add(1).cast::<u8>();
            std::ptr::write_bytes(body, 0, self.size - size_of::<ffi::PyObject>());
            object
        };
        let offsets = self.offsets.iter();
        Ok(NewObject { object, offsets })
    }

    /// The value in a slot of an instance of exactly the class; `None` if it was deleted.
    #[inline]
    pub fn get<'a>(&self, object: Ref<'a>, number: usize) -> Option<Ref<'a>> {
        debug_assert!(self.fits(object));
        if !self.fits(object) {
            return None;
        }
        // SAFETY: objects of the class have a slot at the offset. The value is borrowed from the object, and no code in
        // Python runs while it is in use, so that it stays there.
        unsafe {
            let slot = object.raw().byte_add(self.offsets[number]);
            Ref::new(slot.cast::<*mut ffi::PyObject>().read())
        }
    }
}

/// An object whose slots are being filled, in their order.
pub struct NewObject<'c> {
    object: Object,
    /// The offsets of the slots that are left.
    offsets: std::slice::Iter<'c, usize>,
}

impl NewObject<'_> {
    /// Fills the next slot.
    #[inline]
    pub fn push(&mut self, value: Object) {
        let Some(offset) = self.offsets.next() else {
            return;
        };
        // SAFETY: objects of the class have a slot at the offset, which is within them and aligned. It is empty, as no
        // two slots have one offset, and nothing else refers to the object.
        unsafe {
            let slot = self.object.0.as_ptr().byte_add(*offset);
            slot.cast::<*mut ffi::PyObject>().write(value.into_raw());
        }
    }

    /// The object; the slots that are left are `None`.
    pub fn finish(mut self) -> Object {
        while !self.offsets.as_slice().is_empty() {
            self.push(Object::none());
        }
        // SAFETY: the object is one that the collector can track, and is not tracked yet.
        unsafe { ffi::PyObject_GC_Track(self.object.0.as_ptr().cast()) };
        self.object
    }
}

/// The offset of a slot, given its descriptor in a class or a base of it.
fn slot_offset(descriptor: &Object, class: *mut ffi::PyTypeObject) -> Option<usize> {
    const OBJECT: c_int = ffi::Py_T_OBJECT_EX;
    let is_slot = descriptor
        .as_ref()
        .is_exactly(addr_of_mut!(ffi::PyMemberDescr_Type));
    if !is_slot {
        return None;
    }
    // SAFETY: what is checked to be a descriptor of a slot has a definition, and a class that declares it. Before
    // Python
    // 3.11, `pyo3-ffi` gives the definition another type than CPython.
    unsafe {
        let descriptor = descriptor.0.as_ptr().cast::<ffi::PyMemberDescrObject>();
        let declaring = (*descriptor).d_common.d_type;
        let definition = (*descriptor).d_member.cast::<ffi::PyMemberDef>();
        let is_usable = ffi::PyType_IsSubtype(class, declaring) != 0
            && (*definition).type_code == OBJECT
            && (*definition).flags == 0;
        is_usable.then(|| (*definition).offset as usize)
    }
}

// --- the module ---------------------------------------------------------------------------------

/// What a function of a package takes: the package, and arguments.
type Function = fn(&'static Package, &[Ref<'_>]) -> Made<Object>;

/// Runs a function for CPython. A miss is `NotImplemented`, and a panic a RuntimeError.
///
/// # Safety
///
/// The arguments are as many as stated, and valid during the call.
unsafe fn run(
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    function: impl FnOnce(&[Ref<'_>]) -> Made<Object>,
) -> *mut ffi::PyObject {
    let arguments: &[Ref<'_>] = if count == 0 {
        &[]
    } else {
        // SAFETY: the caller states it; a `Ref` is represented as a pointer that is not null, as arguments are.
        unsafe { std::slice::from_raw_parts(arguments.cast(), count as usize) }
    };
    match catch_unwind(AssertUnwindSafe(|| function(arguments))) {
        Ok(Ok(made)) => made.into_raw(),
        Ok(Err(Stop)) if has_raised() => null_mut(),
        // SAFETY: it is never null, and lives as long as the interpreter.
        Ok(Err(Stop)) => unsafe { ffi::Py_NewRef(ffi::Py_NotImplemented()) },
        Err(_) => {
            let message = c"polywire_native: internal error; POLYWIRE_NATIVE=0 avoids it";
            // SAFETY: it copies the message.
            unsafe { ffi::PyErr_SetString(ffi::PyExc_RuntimeError, message.as_ptr()) };
            null_mut()
        }
    }
}

const CAPSULE: &CStr = c"polywire_native.package";

/// The functions of a package, each bound to a capsule that refers to it.
macro_rules! functions {
    ($($name:ident $text:literal;)*) => {
        $(
            unsafe extern "C" fn $name(
                capsule: *mut ffi::PyObject,
                arguments: *mut *mut ffi::PyObject,
                count: ffi::Py_ssize_t,
            ) -> *mut ffi::PyObject {
                // SAFETY: CPython passes that many arguments, and the capsule that `load` has bound the function to,
                // which refers to a package that is never freed.
                unsafe {
                    let package = ffi::PyCapsule_GetPointer(capsule, CAPSULE.as_ptr());
                    let Some(package) = package.cast::<Package>().as_ref() else {
                        return null_mut();
                    };
                    let function: Function = Package::$name;
                    run(arguments, count, |arguments| function(package, arguments))
                }
            }
        )*

        const FUNCTIONS: &[fn() -> ffi::PyMethodDef] = &[$(|| method($text, $name)),*];
    };
}

functions! {
    decode c"decode";
    decode_wanted c"decode_wanted";
    encode c"encode";
    rule c"rule";
    filter c"filter";
}

fn method(name: &'static CStr, function: ffi::PyCFunctionFast) -> ffi::PyMethodDef {
    ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            PyCFunctionFast: function,
        },
        ml_flags: ffi::METH_FASTCALL,
        ml_doc: c"".as_ptr(),
    }
}

/// `load(rows, class_of, unset, root)` → the functions of a package, in the order above.
unsafe extern "C" fn load(
    _module: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: CPython passes that many arguments.
    unsafe {
        run(arguments, count, |arguments| {
            let package: &'static Package = Box::leak(Box::new(Package::new(arguments)?));
            let address = std::ptr::from_ref(package).cast_mut().cast::<c_void>();
            // SAFETY: the package, the name and the definitions are never freed.
            let capsule = Object::new(ffi::PyCapsule_New(address, CAPSULE.as_ptr(), None))?;
            let mut made = Vec::new();
            for function in FUNCTIONS {
                let definition = Box::leak(Box::new(function()));
                let bound = ffi::PyCFunction_NewEx(definition, capsule.0.as_ptr(), null_mut());
                made.push(Object::new(bound)?);
            }
            sequence(Sequence::Tuple, &mut made, 0)
        })
    }
}

const READER: &CStr = c"polywire_native.reader";

/// `table_reader(description, root, tables)` → a reader.
unsafe extern "C" fn table_reader(
    _module: *mut ffi::PyObject,
    arguments: *mut *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
) -> *mut ffi::PyObject {
    // SAFETY: CPython passes that many arguments.
    unsafe {
        run(arguments, count, |arguments| {
            let reader = RefCell::new(tabulate::reader(arguments)?);
            owned(reader, READER, free_reader)
        })
    }
}

unsafe extern "C" fn free_reader(capsule: *mut ffi::PyObject) {
    // SAFETY: as for `free_filter`.
    unsafe { free::<RefCell<Reader>>(capsule, READER) }
}

/// A function of a reader, which is its first argument.
macro_rules! functions_of_readers {
    ($($name:ident $function:ident;)*) => {
        $(
            unsafe extern "C" fn $name(
                _module: *mut ffi::PyObject,
                arguments: *mut *mut ffi::PyObject,
                count: ffi::Py_ssize_t,
            ) -> *mut ffi::PyObject {
                // SAFETY: CPython passes that many arguments.
                unsafe {
                    run(arguments, count, |arguments| {
                        let (reader, rest) = arguments.split_first().ok_or(Stop)?;
                        let reader = reader.owned_value::<RefCell<Reader>>(READER).ok_or(Stop)?;
                        let mut reader = reader.try_borrow_mut().map_err(|_| Stop)?;
                        reader.$function(rest)
                    })
                }
            }
        )*
    };
}

functions_of_readers! {
    read_lines read;
    add_row add;
    take_batches take;
}

unsafe extern "C" fn execute(module: *mut ffi::PyObject) -> c_int {
    // SAFETY: the module is valid; the others are valid for the call.
    unsafe {
        if ffi::PyInterpreterState_Get() != ffi::PyInterpreterState_Main() {
            let message = c"polywire_native cannot be used in a subinterpreter";
            ffi::PyErr_SetString(ffi::PyExc_ImportError, message.as_ptr());
            return -1;
        }
        let (rows, tables) = (crate::rows::LAYOUT.into(), tabulate::LAYOUT.into());
        match ffi::PyModule_AddIntConstant(module, c"LAYOUT".as_ptr(), rows) {
            0 => ffi::PyModule_AddIntConstant(module, c"TABLES_LAYOUT".as_ptr(), tables),
            failed => failed,
        }
    }
}

/// Creates the module; Python calls it when it is imported.
#[no_mangle]
#[allow(non_snake_case)] // CPython determines the name
pub extern "C" fn PyInit_polywire_native() -> *mut ffi::PyObject {
    let mut slots = vec![ffi::PyModuleDef_Slot {
        slot: ffi::Py_mod_exec,
        value: execute as *mut c_void,
    }];
    #[cfg(Py_3_12)]
    slots.push(ffi::PyModuleDef_Slot {
        slot: ffi::Py_mod_multiple_interpreters,
        value: ffi::Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED,
    });
    slots.push(ffi::PyModuleDef_Slot {
        slot: 0,
        value: null_mut(),
    });
    let methods = vec![
        method(c"load", load),
        method(c"table_reader", table_reader),
        method(c"read_lines", read_lines),
        method(c"add_row", add_row),
        method(c"take_batches", take_batches),
        ffi::PyMethodDef::zeroed(),
    ];
    let definition = ffi::PyModuleDef {
        m_base: ffi::PyModuleDef_HEAD_INIT,
        m_name: c"polywire_native".as_ptr(),
        m_doc: c"Decodes and encodes for the packages that polywire generates.".as_ptr(),
        m_size: 0,
        m_methods: methods.leak().as_mut_ptr(),
        m_slots: slots.leak().as_mut_ptr(),
        m_traverse: None,
        m_clear: None,
        m_free: None,
    };
    // SAFETY: the definition is valid, and is never freed.
    unsafe { ffi::PyModuleDef_Init(Box::leak(Box::new(definition))) }
}
