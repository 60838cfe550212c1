//! The encoding of Protocol Buffers: tags, varints and lengths.

use enbu_language::Words;

use crate::error::{BookError, Fault};

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'b> {
    pub(super) number: u64,
    long: Option<i64>,
    /// Text or a message, and its offset in the file.
    bytes: Option<(&'b [u8], u64)>,
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

    fn field(&mut self) -> Result<Field<'b>, Words> {
        let offset = self.offset;
        let tag = self.varint().ok_or(Words("an incomplete tag", "タグが途中で切れています"))?;
        let (mut long, mut bytes) = (None, None);
        match tag & 7 {
            0 => long = Some(self.varint().ok_or(Words("an incomplete number", "数値が途中で切れています"))? as i64),
            2 => {
                let length = self.varint().ok_or(Words("an incomplete length", "長さが途中で切れています"))?;
                let at = self.offset;
                let too_long = Words("a length that exceeds the message", "長さがメッセージを超えています");
                bytes = Some((self.cut(length).ok_or(too_long)?, at));
            }
            // Numbers of fixed size, which no known field has.
            1 => self.cut(8).map(drop).ok_or(Words("an incomplete number", "数値が途中で切れています"))?,
            5 => self.cut(4).map(drop).ok_or(Words("an incomplete number", "数値が途中で切れています"))?,
            _ => return Err(Words("an unknown type of field", "未知の種類のフィールドです")),
        }
        match tag >> 3 {
            0 => Err(Words("a field with the number 0", "番号 0 のフィールドがあります")),
            number => Ok(Field { number, long, bytes, offset }),
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
    fn fault(&self, problem: Words) -> BookError {
        BookError::offset(self.offset, Fault::Protobuf(problem))
    }

    pub(super) fn long(&self) -> Result<i64, BookError> {
        self.long.ok_or_else(|| self.fault(Words("a number is expected", "数値があるはずです")))
    }

    /// The fields of a message.
    pub(super) fn fields(&self) -> Result<Fields<'b>, BookError> {
        self.bytes().map(|(bytes, offset)| Fields::of(bytes, offset))
    }

    /// The numbers in the first fields of a message; 0 for one that is absent.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[i64; N], BookError> {
        let mut numbers = [0; N];
        for field in self.fields()? {
            let field = field?;
            if let Some(number) = (1..).zip(&mut numbers).find(|(of, _)| *of == field.number).map(|(_, number)| number)
            {
                *number = field.long()?;
            }
        }
        Ok(numbers)
    }

    /// The bytes of the field and their offset.
    pub(super) fn bytes(&self) -> Result<(&'b [u8], u64), BookError> {
        self.bytes.ok_or_else(|| self.fault(Words("text or a message is expected", "文字列かメッセージがあるはずです")))
    }

    pub(super) fn text(&self) -> Result<String, BookError> {
        self.bytes().map(|(bytes, _)| String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Returns true if the bytes begin like a file with `len` bytes: fields of a book, each
/// within the file.
pub(crate) fn is_plausible(head: &[u8], len: u64) -> bool {
    let (mut fields, mut seen) = (Fields::of(head, 0), false);
    while let (Some(tag), Some(length)) = (fields.varint(), fields.varint()) {
        seen = true;
        let fits = fields.offset.checked_add(length).is_some_and(|end| end <= len);
        if !fits || !matches!(tag, 0x0a | 0x12 | 0x1a) {
            return false;
        }
        if fields.cut(length).is_none() {
            break;
        }
    }
    seen
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

    /// Numbers in successive fields; negative ones take ten bytes.
    pub(super) fn numbers(&mut self, first: u64, numbers: impl IntoIterator<Item = i64>) {
        for (field, number) in (first..).zip(numbers) {
            self.varint(field << 3);
            self.varint(number as u64);
        }
    }

    /// Text or a message.
    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}
