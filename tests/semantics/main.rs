//! Tests the meaning of calls: expressions, views, iotas, and the message of every refusal.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod any_expr;
mod dot;
mod expressions;
mod for_shapes;
mod iota;
mod messages;
mod moves;
mod operands;
mod printing;
mod take;
mod views;
