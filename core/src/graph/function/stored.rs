//! [`StoredFunction`]: a user-defined function as data: its text, which is checked again on
//! reading, and the options that the function was made with.

use serde::{Deserialize, Serialize};

use crate::graph::function::body::{LoopBounds, SharedFunction};
use crate::semantics::opcode::Cost;

/// A function as it is stored.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename = "Function", deny_unknown_fields)]
pub(crate) struct StoredFunction {
    /// The user's text.
    pub(crate) text: String,
    /// The cost of a call for the planner, set by the user or estimated.
    cost: Cost,
    /// The bounds of its loops, if it has any.
    #[serde(default)]
    loops: Option<LoopBounds>,
}

impl StoredFunction {
    pub(crate) fn of(function: &SharedFunction) -> Self {
        let body = &function.0;
        let loops = body.loops.map(|loops| loops.bounds);
        Self { text: body.text.clone(), cost: body.cost, loops }
    }

    /// Checks the text like that of a new function.
    #[cfg(feature = "functions")]
    pub(crate) fn check(&self) -> Result<SharedFunction, String> {
        let checked = crate::graph::function::source::check(&self.text);
        let mut body = checked.map_err(|error| error.to_string())?;
        body.cost = self.cost;
        body.set_bounds(self.loops.unwrap_or_default());
        Ok(SharedFunction(std::sync::Arc::new(body)))
    }

    /// Refuses the text, which this build cannot check.
    #[cfg(not(feature = "functions"))]
    pub(crate) fn check(&self) -> Result<SharedFunction, String> {
        Err("functions of your own are not read by this build of the library; compile it with the feature `functions`".to_owned())
    }
}
