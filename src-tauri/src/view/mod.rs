//! What the page sees: plain values made from the domain's own, their types exported for TypeScript
//! into `ui/src/lib/bindings` by a test.

mod activity;
mod adding;
mod install;
mod library;
mod review;
mod servers;
mod settings;
mod sharing;

pub use activity::*;
pub use adding::*;
pub use install::*;
pub use library::*;
pub use review::*;
pub use servers::*;
pub use settings::*;
pub use sharing::*;
