//! Converting, shuffling and merging files of games and positions.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use enbu_files::{Draft, Existing};
use enbu_movegen::PackError;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::{FileError, FileErrorKind};
use crate::game_file::GameFile;
use crate::pack::encode_pack;
use crate::record::{PSV_BYTES, Record};
use crate::source::{self, Format, Sample};

/// Takes the bytes of a target file one after the other.
type Put<'a> = dyn FnMut(&[u8]) -> Result<(), FileError> + 'a;

/// Writes a target file, which appears when it is complete: `fill` passes its bytes to the function
/// that it is given, and returns the number of positions.
fn write(target: &Path, fill: &mut dyn FnMut(&mut Put<'_>) -> Result<u64, FileError>) -> Result<u64, FileError> {
    let wrong = FileError::of::<io::Error>(target);
    let mut draft = Draft::create(target, Existing::Replace).map_err(&wrong)?;
    let written = fill(&mut |bytes| draft.write_all(bytes).map_err(&wrong))?;
    draft.finish().map_err(&wrong)?;
    Ok(written)
}

/// Writes the positions of `sources` to one file in the format of its extension; games stay
/// games if both formats have them. Stops after `limit` positions (games are not cut).
/// Returns the number of positions.
///
/// # Errors
/// [`FileError`]; then the target does not exist.
pub fn export(sources: &[PathBuf], target: &Path, limit: u64) -> Result<u64, FileError> {
    let wrong = FileErrorKind::Format(".games, .archive, .psv, .bin, .hcpe, .pack or .tsv");
    match Format::of(target).ok_or_else(|| FileError::of(target)(wrong))? {
        Format::Games | Format::Archive => merge(sources, target, limit),
        Format::Pack => export_pack(sources, target, limit),
        Format::Psv => export_records(sources, target, limit, Record::to_psv),
        Format::Hcpe => export_records(sources, target, limit, Record::to_hcpe),
        Format::Tsv => export_records(sources, target, limit, |record| Ok(line(record))),
    }
}

/// A record as a line of text.
fn line(record: &Record) -> String {
    let mv = record.mv.map_or_else(|| "none".to_owned(), |mv| mv.to_string());
    let result = ["draw", "black", "white"][usize::from(record.result.number())];
    format!("{}\t{mv}\t{}\t{result}\n", record.setup, record.score)
}

fn export_records<B: AsRef<[u8]>>(
    sources: &[PathBuf],
    target: &Path,
    limit: u64,
    encode: impl Fn(&Record) -> Result<B, PackError>,
) -> Result<u64, FileError> {
    write(target, &mut |put| {
        let mut written = 0;
        for path in sources {
            for_each_sample(path, &mut |sample| {
                if written < limit {
                    let bytes = encode(&sample.to_record()).map_err(FileError::of(path))?;
                    written += 1;
                    put(bytes.as_ref())?;
                }
                Ok(())
            })?;
        }
        Ok(written)
    })
}

/// Visits the positions of a file until one fails.
fn for_each_sample(path: &Path, visit: &mut dyn FnMut(&Sample<'_>) -> Result<(), FileError>) -> Result<(), FileError> {
    let mut state = Ok(());
    source::read(path, |sample| {
        if state.is_ok() {
            state = visit(sample);
        }
    })?;
    state
}

fn export_pack(sources: &[PathBuf], target: &Path, limit: u64) -> Result<u64, FileError> {
    write(target, &mut |put| {
        let mut written = 0;
        for path in sources {
            for game in source::read_games(path)? {
                if written >= limit {
                    break;
                }
                let mut bytes = Vec::new();
                encode_pack(&game, &mut bytes).map_err(FileError::of(path))?;
                put(&bytes)?;
                written += game.moves.len() as u64;
            }
        }
        Ok(written)
    })
}

/// Merges games into one file, with the distinct settings of the sources.
fn merge(sources: &[PathBuf], target: &Path, limit: u64) -> Result<u64, FileError> {
    let mut whole = GameFile::default();
    let mut settings: Vec<String> = Vec::new();
    let mut written = 0;
    for path in sources {
        let from = match Format::of(path) {
            Some(Format::Games | Format::Archive) => GameFile::read(path)?,
            _ => GameFile { settings: "from another format".into(), games: source::read_games(path)? },
        };
        for game in from.games {
            if written >= limit {
                break;
            }
            written += game.moves.len() as u64;
            whole.games.push(game);
        }
        if !settings.contains(&from.settings) {
            settings.push(from.settings);
        }
    }
    whole.settings = settings.join("\n");
    whole.write(target)?;
    Ok(written)
}

/// Writes the positions of `sources` as PackedSfenValue in random order, with about
/// `memory_mb` megabytes of memory. Returns the number of positions.
///
/// Positions are first distributed at random over temporary files beside the target, which
/// are then shuffled in memory one by one and concatenated.
///
/// # Errors
/// [`FileError`]; then the target does not exist.
pub fn shuffle(sources: &[PathBuf], target: &Path, seed: u64, memory_mb: u64) -> Result<u64, FileError> {
    if Format::of(target) != Some(Format::Psv) {
        return Err(FileError::of(target)(FileErrorKind::Format(".psv or .bin")));
    }
    let bytes = sources.iter().map(|path| source::likely_positions(path)).sum::<u64>() * PSV_BYTES as u64;
    let deals = (bytes / (memory_mb.max(1) << 20) + 1).min(1000);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let folder = enbu_files::folder(target);
    let wrong = FileError::of::<io::Error>(folder);
    let pile = |_| tempfile::tempfile_in(folder).map(BufWriter::new).map_err(&wrong);
    let mut piles = (0..deals).map(pile).collect::<Result<Vec<_>, _>>()?;
    let mut written = 0;
    for path in sources {
        for_each_sample(path, &mut |sample| {
            let bytes = sample.to_record().to_psv().map_err(FileError::of(path))?;
            written += 1;
            piles[random.random_range(0..deals) as usize].write_all(&bytes).map_err(&wrong)
        })?;
    }
    write(target, &mut |put| {
        piles.iter_mut().try_for_each(|pile| put(&shuffled(pile, &mut random).map_err(&wrong)?))?;
        Ok(written)
    })
}

/// The records of a pile in random order.
fn shuffled(pile: &mut BufWriter<File>, random: &mut Xoshiro256PlusPlus) -> io::Result<Vec<u8>> {
    pile.flush()?;
    let file = pile.get_mut();
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    bytes.as_chunks_mut::<PSV_BYTES>().0.shuffle(random);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use crate::selfplay::{Player, Settings};

    fn shard(folder: &Path) -> PathBuf {
        let settings = Settings { nodes: 20, hash_mb: 1, max_plies: 50, ..Settings::default() };
        let mut player = Player::new(settings, enbu_eval::Evaluation::PieceSquare).expect("memory");
        let path = folder.join("a.games");
        let games = (0..8).map(|number| player.game(number)).collect();
        GameFile { settings: "test".into(), games }.write(&path).expect("written");
        path
    }

    fn records(path: &Path) -> Vec<Record> {
        let mut records = Vec::new();
        source::read(path, |sample| records.push(sample.to_record())).expect("sound");
        records
    }

    #[test]
    fn all_formats_hold_the_same_positions() {
        let folder = tempfile::tempdir().expect("a folder");
        let games = shard(folder.path());
        let original = records(&games);
        for name in ["b.psv", "b.hcpe", "b.pack", "b.games"] {
            let path = folder.path().join(name);
            assert_eq!(export(std::slice::from_ref(&games), &path, u64::MAX).expect("written"), original.len() as u64);
            let mut back = records(&path);
            if name == "b.hcpe" {
                // The one thing that hcpe does not keep.
                back.iter_mut().zip(&original).for_each(|(record, from)| record.setup.ply = from.setup.ply);
            }
            assert_eq!(back, original, "{name}");
        }
        let text = folder.path().join("b.tsv");
        export(std::slice::from_ref(&games), &text, 3).expect("written");
        let text = fs::read_to_string(text).expect("a file");
        let first = text.lines().next().expect("a line").split('\t').collect::<Vec<_>>();
        let mv = original[0].mv.expect("a move").to_string();
        assert_eq!((first[0], first[1]), (original[0].setup.to_string().as_str(), mv.as_str()));
        assert_eq!((text.lines().count(), first.len()), (3, 4));
        let psv = folder.path().join("c.psv");
        assert_eq!(export(&[folder.path().join("b.hcpe")], &psv, 5).expect("written"), 5);
        assert_eq!(records(&psv).len(), 5);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 7);
    }

    #[test]
    fn shuffling_keeps_every_position_and_follows_the_seed() {
        let folder = tempfile::tempdir().expect("a folder");
        let games = shard(folder.path());
        let order = |name: &str, seed, memory_mb| {
            let path = folder.path().join(name);
            shuffle(std::slice::from_ref(&games), &path, seed, memory_mb).expect("written");
            let bytes = fs::read(&path).expect("a file");
            bytes.as_chunks::<PSV_BYTES>().0.to_vec()
        };
        let (one, same, other) = (order("1.psv", 1, 64), order("2.psv", 1, 64), order("3.psv", 2, 64));
        assert_eq!(one, same);
        assert_ne!(one, other);
        let plain = folder.path().join("p.psv");
        export(std::slice::from_ref(&games), &plain, u64::MAX).expect("written");
        let mut sorted = fs::read(&plain).expect("a file").as_chunks::<PSV_BYTES>().0.to_vec();
        assert_ne!(one, sorted);
        sorted.sort_unstable();
        for mut shuffled in [one, other] {
            shuffled.sort_unstable();
            assert_eq!(shuffled, sorted);
        }
    }

    #[test]
    fn names_that_say_nothing_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let games = shard(folder.path());
        let target = folder.path().join("b.txt");
        fs::write(&target, "").expect("written");
        let refused = [
            (export(std::slice::from_ref(&games), &target, 1), "b.txt: the file name must end in .games, "),
            (shuffle(&[games], &target, 1, 1), "b.txt: the file name must end in .psv"),
            (export(&[target], &folder.path().join("b.psv"), 1), ".bin, .hcpe or .pack"),
        ];
        for (result, words) in refused {
            let error = result.expect_err("no format").to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
