//! How a game ends other than by mate or resignation.

mod declaration;
mod outcome;
mod repetition;

pub use declaration::{Declaration, EnteringKingRule};
pub use outcome::Verdict;
pub use repetition::Cycle;
