//! Ends of a game by rule: repetition, declaration, limit of moves.

mod declaration;
mod outcome;
mod repetition;

pub use declaration::{Declaration, EnteringKingRule};
pub use outcome::Ruling;
pub use repetition::Cycle;
