//! Parses numbers of bytes, such as `512M`.

/// The units of bytes, each 1024 times the previous one.
const UNITS: [char; 4] = ['K', 'M', 'G', 'T'];

/// A number of bytes, as given by an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteCount(pub(crate) u64);

impl std::str::FromStr for ByteCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unit = UNITS.iter().position(|unit| text.ends_with([*unit, unit.to_ascii_lowercase()]));
        let digits = if unit.is_some() { &text[..text.len() - 1] } else { text };
        let number = digits.parse::<u64>().ok().filter(|_| !digits.starts_with('+'));
        let scale = 1 << (10 * unit.map_or(0, |unit| unit + 1));
        number.and_then(|number| number.checked_mul(scale)).map(Self).ok_or_else(|| {
            "expected a number of bytes, such as 512M; K, M, G and T are powers of 1024".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024() {
        let parse = |text: &str| text.parse::<ByteCount>().ok().map(|count| count.0);
        assert_eq!(parse("100"), Some(100));
        assert_eq!([parse("64K"), parse("64k")], [Some(65_536); 2]);
        assert_eq!(
            [parse("3M"), parse("2G"), parse("1T")],
            [Some(3 << 20), Some(2 << 30), Some(1 << 40)]
        );
        for wrong in ["", "K", "-1", "+1", "1.5G", "1KB", "99999999999T", "1 G"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
