//! The table that maps `error_kind`, the golden files' class of XLA's error text, to the library's
//! [`Rule`]s.

use indim::Rule;

/// `error_kind` and the rule that the library must name.
///
/// XLA has one text for `broadcast_dimensions` out of order, in binary operations and in
/// BroadcastInDim; the library has a rule for each. [`rules_of`] distinguishes them by the op.
pub const TABLE: &[(&str, Rule)] = &[
    ("rank_mismatch_needs_dims", Rule::B1),
    ("dims_wrong_length", Rule::B2),
    ("dim_negative", Rule::B3),
    ("dim_out_of_range", Rule::B4),
    ("dim_size_mismatch", Rule::B5),
    ("dims_not_strictly_increasing", Rule::B6),
    ("same_rank_dims_not_identity", Rule::B7),
    ("incompatible_shapes", Rule::B8),
    ("dtype_not_accepted", Rule::T1),
    ("dtype_mismatch", Rule::T2),
    ("select_pred_not_pred", Rule::T3),
    ("ternary_implicit_broadcast", Rule::S1),
    ("bid_rank_too_small", Rule::D1),
    ("bid_dims_wrong_length", Rule::D2),
    ("bid_dim_out_of_range", Rule::D3),
    ("bid_dim_size_mismatch", Rule::D4),
    ("negative_size", Rule::N1),
    ("format_bits", Rule::T5),
    ("bitcast_ratio", Rule::T4),
    ("pad_lists", Rule::V7),
    ("pad_amounts", Rule::V8),
    ("concatenate_shapes", Rule::V9),
];

/// In files of all element types, one class stands for all refusals that are about types.
pub const TYPE: (&str, &[Rule]) = ("type", &[Rule::T1, Rule::T2, Rule::T3, Rule::T4]);

/// The rules of which a refusal of `op` with this `error_kind` must name one; none for an
/// `error_kind` that is not in the table.
pub fn rules_of(error_kind: &str, op: &str) -> Vec<Rule> {
    if error_kind == TYPE.0 {
        return TYPE.1.to_vec();
    }
    rule_of(error_kind, op).into_iter().collect()
}

fn rule_of(error_kind: &str, op: &str) -> Option<Rule> {
    // XLA builds NextAfter of other operations, and refuses by the rules of these.
    let of_shapes = ["rank_mismatch_needs_dims", "incompatible_shapes"];
    if op == "NextAfter" && of_shapes.contains(&error_kind) {
        return Some(Rule::S1);
    }
    if (error_kind, op) == ("dims_not_strictly_increasing", "BroadcastInDim") {
        return Some(Rule::D5);
    }
    TABLE.iter().find(|(name, _)| *name == error_kind).map(|&(_, rule)| rule)
}
