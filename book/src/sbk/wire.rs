//! The encoding of Protocol Buffers: tags, varints and lengths.

use crate::error::{BookError, Fault};

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'b> {
    Number(u64),
    /// Text or a message, and its offset in the file.
    Bytes(&'b [u8], u64),
    /// A number of fixed size, which no known field has.
    Fixed,
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'b> {
    pub(super) number: u64,
    pub(super) value: Value<'b>,
    /// Offset of the tag in the file.
    pub(super) offset: u64,
}

/// The fields of a message. The first fault ends the iterator.
#[derive(Clone, Debug)]
pub(super) struct Fields<'b> {
    rest: &'b [u8],
    /// Offset of `rest` in the file.
    offset: u64,
}

impl<'b> Fields<'b> {
    /// The fields of a message at an offset of the file.
    pub(super) fn of(message: &'b [u8], offset: u64) -> Self {
        Self { rest: message, offset }
    }

    fn cut(&mut self, length: u64) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        self.offset += length;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.cut(1)?.first()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn field(&mut self) -> Result<Field<'b>, &'static str> {
        let offset = self.offset;
        let tag = self.varint().ok_or("an incomplete tag")?;
        let value = match tag & 7 {
            0 => Value::Number(self.varint().ok_or("an incomplete number")?),
            1 => self.cut(8).map(|_| Value::Fixed).ok_or("an incomplete number")?,
            2 => {
                let length = self.varint().ok_or("an incomplete length")?;
                let at = self.offset;
                Value::Bytes(self.cut(length).ok_or("a length that exceeds the message")?, at)
            }
            5 => self.cut(4).map(|_| Value::Fixed).ok_or("an incomplete number")?,
            _ => return Err("an unknown type of field"),
        };
        match tag >> 3 {
            0 => Err("a field with the number 0"),
            number => Ok(Field { number, value, offset }),
        }
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<Field<'b>, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let offset = self.offset;
        Some(self.field().map_err(|problem| {
            self.rest = &[];
            BookError::offset(offset, Fault::Protobuf(problem))
        }))
    }
}

impl<'b> Field<'b> {
    /// The number of the field, as the low 32 bits with sign.
    pub(super) fn int(&self) -> Result<i32, BookError> {
        self.long().map(|number| number as i32)
    }

    pub(super) fn long(&self) -> Result<i64, BookError> {
        match self.value {
            Value::Number(number) => Ok(number as i64),
            _ => Err(BookError::offset(self.offset, Fault::Protobuf("a number is expected"))),
        }
    }

    /// The bytes of the field and their offset.
    pub(super) fn bytes(&self) -> Result<(&'b [u8], u64), BookError> {
        match self.value {
            Value::Bytes(bytes, offset) => Ok((bytes, offset)),
            _ => Err(BookError::offset(self.offset, Fault::Protobuf("text or a message is expected"))),
        }
    }

    pub(super) fn text(&self) -> Result<String, BookError> {
        self.bytes().map(|(bytes, _)| String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Returns true if the bytes begin like a file with `len` bytes: fields of a book, each
/// within the file.
pub(crate) fn is_plausible(head: &[u8], len: u64) -> bool {
    let mut fields = Fields::of(head, 0);
    let mut seen = 0;
    while !fields.rest.is_empty() {
        let Some(tag) = fields.varint() else { return seen > 0 };
        if !matches!(tag, 0x0a | 0x12 | 0x1a) {
            return false;
        }
        let Some(length) = fields.varint() else { return seen > 0 };
        if fields.offset.checked_add(length).is_none_or(|end| end > len) {
            return false;
        }
        seen += 1;
        if fields.cut(length).is_none() {
            break;
        }
    }
    seen > 0
}

/// Writes a message field by field.
#[derive(Debug, Default)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number; negative ones take ten bytes.
    pub(super) fn number(&mut self, field: u64, number: i64) {
        self.varint(field << 3);
        self.varint(number as u64);
    }

    /// Text or a message.
    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}
