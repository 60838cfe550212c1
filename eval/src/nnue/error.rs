//! Errors of network files.

use std::collections::TryReserveError;
use std::io;

use enbu_files::reason;
use enbu_language::{Words, messages, pick};

messages! {
/// The reason why a network cannot be used. Offsets are in bytes from the start of the file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum NetworkError {
    Unreadable(#[from] error: io::Error) => "the file cannot be read: {0}", "ファイルを読めません：{0}", reason(error);
    Truncated { part: Words, offset: usize, needed: usize, left: usize } =>
        "the file ends too early: {part} at offset {offset} needs {needed} bytes, {left} are left",
        "ファイルが途中で終わっています：オフセット {offset} からの{part}は {needed} バイトですが、残りは {left} バイトです";
    TooMuch { offset: usize, extra: usize } =>
        "the file has {extra} bytes too many, from offset {offset} on", "オフセット {offset} から {extra} バイト余っています";
    Version { found: u32 } =>
        "not a network of a known version: it begins with {found:08x} at offset 0, not with 7af32f16 or an Enbu network's magic",
        "対応している評価関数ではありません：先頭が 7af32f16 でも Enbu のマジックでもなく {found:08x} です";
    Field { part: Words, offset: usize, value: i64, expected: Words } =>
        "{part} at offset {offset} is {value}, not {expected}", "オフセット {offset} の{part}が {value} です（正しくは{expected}）";
    UnknownShape { offset: usize, length: usize } =>
        "unknown shape: {length} bytes follow the description, which ends at offset {offset}",
        "未知の構造です：オフセット {offset} で終わる説明文の後に {length} バイトあります";
    Length { offset: usize, shape: String, expected: usize, found: usize } =>
        "{found} bytes follow the description from offset {offset} on, not the {expected} of {shape}, to which the hash belongs",
        "説明文の後（オフセット {offset} から）が {found} バイトです。ハッシュの示す {shape} なら {expected} バイトのはずです";
    Compressed { part: Words, offset: usize, reason: Words } =>
        "the compressed numbers of the {part} are damaged at offset {offset}: {reason}",
        "{part}の圧縮データがオフセット {offset} で壊れています：{reason}";
    Checksum { offset: usize, expected: u64, found: u64 } =>
        "the file is damaged: its checksum is {found:016x}, not {expected:016x} as at offset {offset}",
        "ファイルが壊れています：チェックサムが {found:016x} で、オフセット {offset} の {expected:016x} と一致しません";
    Memory(#[from] error: TryReserveError) =>
        "not enough memory for the network{}", "評価関数を置くメモリが足りません{}", pick(format!(": {error}"), String::new());
}}
