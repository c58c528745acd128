//! What the page sees: plain values made from the domain's own, their types exported for TypeScript
//! into `ui/src/lib/bindings` by a test.

mod activity;
mod adding;
mod bundle;
mod change;
mod checks;
mod compare;
mod files;
mod install;
mod library;
mod review;
mod servers;
mod settings;
mod sharing;
mod skill;
mod trash;

pub use activity::*;
pub use adding::*;
pub use bundle::*;
pub use change::*;
pub use checks::*;
pub use compare::*;
pub use files::*;
pub use install::*;
pub use library::*;
pub use review::*;
pub use servers::*;
pub use settings::*;
pub use sharing::*;
pub use skill::*;
pub use trash::*;
