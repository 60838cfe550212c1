//! The tests of the workspace as one program, one module a subject.
//!
//! A program per file would link the whole engine once per file.

mod analyse;
mod arena;
mod book_make;
mod book_play;
mod book_tools;
mod boundaries;
mod clients;
mod console;
mod convert;
mod csa;
mod docs;
mod doctor;
mod faults;
mod full_disk;
mod hostile;
mod input_files;
mod language;
mod learn;
mod legality;
mod make_undo;
mod malformed;
mod mate;
mod memory;
mod messages;
mod mutations;
mod networks;
mod nnue;
mod options_file;
mod peers;
mod perft;
mod ratings;
mod reasons;
mod reparse;
mod repetition;
mod report;
mod repro;
mod rules;
mod selfplay;
mod sequences;
mod sfen;
mod stop;
mod tune;
mod usi_session;
mod web;
