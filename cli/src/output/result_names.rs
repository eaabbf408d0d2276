//! Display names of results.

use std::collections::HashMap;

use indim_expr::shorten;

/// The number of characters of a name that are shown.
const MAX_NAME: usize = 120;

/// The results of a command, numbered from 0, with their optional names.
#[derive(Debug)]
pub(crate) struct Results {
    names: Vec<Option<String>>,
}

impl Results {
    pub(crate) fn new(names: Vec<Option<String>>) -> Self {
        Self { names }
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// Returns the name of a result, if it has one.
    pub(crate) fn name(&self, number: usize) -> Option<String> {
        self.names.get(number).cloned().flatten()
    }

    /// Returns the number of each result that has a name.
    pub(crate) fn numbers(&self) -> HashMap<&str, usize> {
        let named = self.names.iter().enumerate();
        named.filter_map(|(number, name)| Some((name.as_deref()?, number))).collect()
    }

    /// Returns the names, separated by commas and cut where there are many; none if no result has
    /// one.
    pub(crate) fn list(&self) -> Option<String> {
        let names = || self.names.iter().flatten();
        names().next()?;
        let shown: Vec<String> = names().take(8).map(|name| shorten(name, MAX_NAME)).collect();
        let more = if names().count() > shown.len() { ", ..." } else { "" };
        Some(shown.join(", ") + more)
    }

    /// Returns the title of a result: `result` alone for a single one without a name, else with its
    /// name or number, as in `result m`.
    pub(crate) fn title(&self, number: usize) -> String {
        match self.names.get(number) {
            Some(Some(name)) => format!("result {}", shorten(name, MAX_NAME)),
            _ if self.count() > 1 => format!("result {}", number + 1),
            _ => "result".to_owned(),
        }
    }

    /// Returns the name of a result in an archive: its own, or `arr_0` and so on, as in `np.savez`.
    pub(crate) fn member(&self, number: usize) -> String {
        match self.names.get(number) {
            Some(Some(name)) => name.clone(),
            _ => format!("arr_{number}"),
        }
    }

    /// Returns the label before a printed result: `m: `, or nothing for a single one without a
    /// name.
    pub(crate) fn label(&self, number: usize) -> String {
        match self.names.get(number) {
            Some(Some(name)) => format!("{}: ", shorten(name, MAX_NAME)),
            _ if self.count() > 1 => format!("{}: ", self.title(number)),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_called_by_its_name_or_its_number() {
        let of = |names: &[Option<&str>]| {
            Results::new(names.iter().map(|name| name.map(str::to_owned)).collect())
        };
        let one = of(&[None]);
        assert_eq!((one.title(0), one.label(0), one.list()), ("result".into(), "".into(), None));
        let named = of(&[Some("m")]);
        assert_eq!((named.title(0), named.label(0)), ("result m".into(), "m: ".into()));
        let three = of(&[Some("m"), None, Some("v")]);
        assert_eq!((three.title(1), three.label(1)), ("result 2".into(), "result 2: ".into()));
        assert_eq!(three.list().as_deref(), Some("m, v"));
        assert_eq!(three.numbers(), HashMap::from([("m", 0), ("v", 2)]));
    }
}
