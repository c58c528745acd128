//! Agent Skills over the Model Context Protocol: the provider's server and the client.
//!
//! The [`client`] asks servers what they offer and reads files, one checked file at a time; the
//! [`server`] puts any [`Provider`](skills::provider::Provider) behind MCP; the [`samples`] are a
//! built-in provider that the client reaches through the real protocol, in process, as it does
//! skills that were imported. Nothing here
//! knows of approvals, writes to a tool's folder, or opens a window. What a server sends is
//! hostile until it is checked.

pub mod auth;
pub mod client;
pub mod error;
pub mod headers;
pub mod import;
mod imported;
pub mod limits;
pub mod samples;
mod secret;
pub mod server;
mod source;
mod transport;
mod verify;
mod wire;

pub use client::{ClientContext, Connection, Settled};
pub use error::{ClientError, ErrorKind};
pub use imported::ImportedSkills;
pub use secret::Secret;
pub use source::{Folder, FolderFile, Source, Unverified};
pub use transport::{Programs, Words};
pub use verify::{FetchProgress, Fetched, FetchedFile, FileOutcome, FrontMatterCheck};
pub use wire::{Offer, Offers, Rule, Verdict, nested_entry};
