//! Overrides a performance choice of the library, to measure its effect.

use indim::plan::PlanLimits;

/// A field of [`PlanLimits`] that only affects speed, and its value.
#[derive(Debug, Clone)]
pub struct Change {
    field: &'static str,
    value: u32,
}

impl Change {
    /// The fields that can be changed.
    pub const FIELDS: [&str; 10] = [
        "workgroup_size",
        "tile_rows",
        "short_row_tile",
        "quads_per_unit",
        "quads_per_invocation",
        "unroll",
        "interleaved",
        "wide",
        "branchless",
        "folds_together",
    ];

    /// Returns the change of a field, if it is one of these. Of a choice between two, 0 is false.
    pub fn new(field: &str, value: u32) -> Option<Self> {
        let field = Self::FIELDS.into_iter().find(|known| *known == field)?;
        Some(Self { field, value })
    }
}

/// Returns the limits with these changes.
pub(crate) fn changed(mut limits: PlanLimits, changes: &[Change]) -> PlanLimits {
    for &Change { field, value } in changes {
        match field {
            "workgroup_size" => limits.tuning.workgroup_size = value,
            "tile_rows" => limits.tuning.tile_rows = value,
            "short_row_tile" => limits.tuning.short_row_tile = value,
            "quads_per_unit" => limits.tuning.quads_per_unit = value,
            "quads_per_invocation" => limits.tuning.quads_per_invocation = value,
            "unroll" => limits.tuning.unroll = value,
            "interleaved" => limits.tuning.interleaved = value != 0,
            "wide" => limits.tuning.wide = value != 0,
            "branchless" => limits.tuning.branchless = value != 0,
            _ => limits.tuning.folds_together = value != 0,
        }
    }
    limits
}
