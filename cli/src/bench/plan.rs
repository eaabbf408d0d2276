//! Parses `--plan FIELD=VALUE`, which overrides a performance choice of the library, to measure its
//! effect.

use std::str::FromStr;

use indim::plan::PlanLimits;

use crate::report::suggest;

/// A field of [`PlanLimits`] and its value.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    field: &'static str,
    value: u32,
}

/// The fields that only affect speed.
const FIELDS: [&str; 9] = [
    "workgroup_size",
    "tile_rows",
    "short_row_tile",
    "quads_per_unit",
    "quads_per_invocation",
    "unroll",
    "interleaved",
    "wide",
    "branchless",
];

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("it must be FIELD=VALUE")?;
        let field = FIELDS.into_iter().find(|field| *field == name).ok_or_else(|| {
            let meant = suggest::nearest(name, FIELDS)
                .map(|near| format!("did you mean `{near}`? "))
                .unwrap_or_default();
            format!("there is no field `{name}`; {meant}the fields are {}", FIELDS.join(", "))
        })?;
        let value = match value {
            "true" => 1,
            "false" => 0,
            number => number.parse().map_err(|_| {
                format!("{field} must be a whole number, true or false, not `{number}`")
            })?,
        };
        Ok(Self { field, value })
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
            _ => limits.tuning.branchless = value != 0,
        }
    }
    limits
}
