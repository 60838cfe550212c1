//! The encodings in which records come.

use std::borrow::Cow;
use std::fmt;

/// The encodings in which records come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    Utf8,
    /// Shift_JIS as Windows extends it (CP932).
    ShiftJis,
    /// EUC-JP.
    EucJp,
    /// ISO-2022-JP.
    Iso2022Jp,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
    /// ISO 8859-1 as Windows extends it, which PGN prescribes.
    Latin1,
}

impl Encoding {
    pub(crate) const fn codec(self) -> &'static encoding_rs::Encoding {
        match self {
            Self::Utf8 => encoding_rs::UTF_8,
            Self::ShiftJis => encoding_rs::SHIFT_JIS,
            Self::EucJp => encoding_rs::EUC_JP,
            Self::Iso2022Jp => encoding_rs::ISO_2022_JP,
            Self::Utf16Le => encoding_rs::UTF_16LE,
            Self::Utf16Be => encoding_rs::UTF_16BE,
            Self::Latin1 => encoding_rs::WINDOWS_1252,
        }
    }

    /// The encoding with this name, in any of the spellings that the web knows
    /// (`Shift_JIS`, `SJIS`, `utf-8`, `EUC-JP`, ...).
    ///
    /// ```
    /// use enbu_kifu::Encoding;
    /// assert_eq!(Encoding::from_label("shift_jis"), Some(Encoding::ShiftJis));
    /// assert_eq!(Encoding::from_label("latin1"), Some(Encoding::Latin1));
    /// assert_eq!(Encoding::from_label("koi8-r"), None);
    /// ```
    pub fn from_label(label: &str) -> Option<Self> {
        let codec = match label.trim() {
            name if name.eq_ignore_ascii_case("CP932") => encoding_rs::SHIFT_JIS,
            name => encoding_rs::Encoding::for_label(name.as_bytes())?,
        };
        Self::of_codec(codec)
    }

    pub(crate) fn of_codec(codec: &encoding_rs::Encoding) -> Option<Self> {
        [Self::Utf8, Self::ShiftJis, Self::EucJp, Self::Iso2022Jp, Self::Utf16Le, Self::Utf16Be, Self::Latin1]
            .into_iter()
            .find(|encoding| encoding.codec() == codec)
    }

    pub(crate) fn decode_exactly(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        self.codec().decode_without_bom_handling_and_without_replacement(bytes)
    }

    /// `text` in this encoding, or `None` where it has no such character or
    /// cannot be written (UTF-16).
    ///
    /// ```
    /// use enbu_kifu::Encoding;
    /// assert_eq!(Encoding::ShiftJis.encode("歩"), Some(vec![0x95, 0xe0]));
    /// assert_eq!(Encoding::ShiftJis.encode("☗"), None);
    /// ```
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        let (bytes, used, lost) = self.codec().encode(text);
        (!lost && used == self.codec()).then(|| bytes.into_owned())
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.codec().name())
    }
}
