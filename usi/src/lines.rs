//! Streams of bytes cut into lines of bounded length.

/// Cuts a stream of bytes into lines.
///
/// ```
/// use enbu_usi::Splitter;
/// let mut lines = Vec::new();
/// let mut splitter = Splitter::new(5);
/// let _: Result<(), ()> = splitter.feed(b"usi\nis\xff\n1234567\ngo", &mut |line| Ok(lines.push(line)));
/// assert_eq!(lines, [Some("usi".to_owned()), Some("is\u{fffd}".to_owned()), None]);
/// assert_eq!(splitter.begun(), 2);
/// ```
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    line: Vec<u8>,
    /// The rest of the current line is skipped.
    skipping: bool,
}

impl Splitter {
    /// A splitter for lines of up to `limit` bytes; longer ones are skipped.
    pub const fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), skipping: false }
    }

    /// Takes bytes and calls `emit` for each line that ends in them: with its text, in which bytes
    /// that are not UTF-8 are replaced, or `None` for a line over the limit.
    /// The rest of the bytes is lost after an error of `emit`.
    pub fn feed<E>(
        &mut self,
        mut bytes: &[u8],
        emit: &mut impl FnMut(Option<String>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            let (head, tail) = bytes.split_at(end);
            self.keep(head);
            emit(self.take())?;
            bytes = tail.get(1..).unwrap_or_default();
        }
        self.keep(bytes);
        Ok(())
    }

    /// Calls `emit` for a last line without its end, if there is one.
    pub fn end<E>(&mut self, emit: &mut impl FnMut(Option<String>) -> Result<(), E>) -> Result<(), E> {
        if self.line.is_empty() && !self.skipping { Ok(()) } else { emit(self.take()) }
    }

    /// Number of bytes kept of an unfinished line.
    pub const fn begun(&self) -> usize {
        self.line.len()
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.skipping || self.line.len() + bytes.len() > self.limit {
            self.skipping = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn take(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let text = |line| String::from_utf8(line).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into());
        (!std::mem::take(&mut self.skipping)).then(|| text(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of the lines; `None` for one that was too long.
    fn split(limit: usize, chunks: &[&[u8]]) -> Vec<Option<String>> {
        let (mut splitter, mut lines) = (Splitter::new(limit), Vec::new());
        let mut emit = |line| {
            lines.push(line);
            Ok::<(), ()>(())
        };
        for chunk in chunks {
            splitter.feed(chunk, &mut emit).unwrap();
        }
        splitter.end(&mut emit).unwrap();
        lines
    }

    fn texts(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn lines_are_whole_however_the_bytes_come() {
        assert_eq!(split(100, &[b"usi\nisr", b"eady\r\n", b"\n", b"go"]), texts(&["usi", "isready\r", "", "go"]));
        assert_eq!(split(100, &[]), []);
        assert_eq!(split(100, &[b"usi\n"]), texts(&["usi"]));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(split(100, &[b"d\xff\x82\n"]), texts(&["d\u{fffd}\u{fffd}"]));
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_read() {
        let mut expected = texts(&["12345"]);
        expected.push(None);
        expected.extend(texts(&["d"]));
        assert_eq!(split(5, &[b"12345\n123", b"456", b"789\nd\n"]), expected);
        assert_eq!(split(5, &[b"123456"]), [None]);
    }
}
