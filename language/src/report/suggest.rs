//! Guesses which known name a misspelled one stands for.

/// Returns the known name nearest to `name`, if one is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    // A third of the letters may differ, so that short names do not match everything.
    let limit = name.chars().count().div_ceil(3);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit && distance < candidate.chars().count())
        // Swapped letters are a more frequent mistake than missing ones.
        .min_by_key(|&(distance, candidate)| (distance, candidate.len().abs_diff(name.len())))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let known = ["tanh", "tan", "max", "x"];
        assert_eq!(nearest("tahn", known), Some("tanh"));
        assert_eq!(nearest("maximum", known), None);
        assert_eq!(nearest("y", known), None);
        assert_eq!(nearest("X", ["x"]), None);
    }
}
