//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::{Demo, Result, headless, window};

/// The most pixels down or across that may be asked for: textures of most adapters have as many.
const MAX_SIDE: u32 = 16384;

/// Shows the demo in a window, or, with `--frames N --out DIR`, draws N frames without one. Prints
/// an error, and returns the program's exit status.
pub fn run<D: Demo>() -> ExitCode {
    let asked = parse::<D>(std::env::args_os().skip(1));
    let done = asked.and_then(|asked| match asked {
        None => {
            print!("{}", help::<D>());
            Ok(())
        }
        Some(options) => match &options.headless {
            Some((count, directory)) => headless::write::<D>(*count, directory, &options),
            None => window::show::<D>(options),
        },
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", D::NAME);
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// The number of frames to draw without a window, and the directory for them.
    pub(crate) headless: Option<(u32, PathBuf)>,
    /// Width and height of the window, or of the pictures if there is none.
    pub(crate) size: Option<[u32; 2]>,
    /// A part of the adapter's name.
    pub(crate) adapter: Option<String>,
    /// The demo's own file.
    pub(crate) file: Option<PathBuf>,
}

fn help<D: Demo>() -> String {
    let file = D::FILE.map(|name| format!(" [{name}]")).unwrap_or_default();
    format!(
        "Usage: {} [OPTIONS]{file}

Options:
  --frames N --out DIR  draws N frames without a window, and writes each to DIR as a PNG file
  --size WIDTHxHEIGHT   the window's size in pixels
  --adapter NAME        an adapter with NAME in its name
  -h, --help            prints this

In the window: {}; space pauses, R starts anew, Escape quits.
",
        D::NAME,
        D::MOUSE
    )
}

/// Returns the request; `None` for help.
fn parse<D: Demo>(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Options>> {
    let (mut frames, mut out, mut options) = (None, None, Options::default());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let word = argument.to_string_lossy().into_owned();
        let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "-h" | "--help" => return Ok(None),
            "--frames" => frames = Some(count(&value()?.to_string_lossy())?),
            "--out" => out = Some(PathBuf::from(value()?)),
            "--size" => options.size = Some(size(&value()?.to_string_lossy())?),
            "--adapter" => options.adapter = Some(value()?.to_string_lossy().into_owned()),
            _ if D::FILE.is_some() && options.file.is_none() && !word.starts_with('-') => {
                options.file = Some(PathBuf::from(argument));
            }
            _ => return Err(format!("unexpected argument `{word}`; --help lists options").into()),
        }
    }
    options.headless = match (frames, out) {
        (None, None) => None,
        (Some(frames), Some(out)) => Some((frames, out)),
        _ => return Err("--frames N and --out DIR come together".into()),
    };
    if options.headless.is_some() && options.size.is_some() && !D::RESIZES {
        let name = D::NAME;
        return Err(format!("{name} has pictures of one size; --size is for its window").into());
    }
    Ok(Some(options))
}

fn count(text: &str) -> Result<u32> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!("--frames `{text}`: give a number of frames, 1 or more").into()),
    }
}

fn size(text: &str) -> Result<[u32; 2]> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    let sides =
        text.split_once('x').and_then(|(width, height)| Some([side(width)?, side(height)?]));
    let wanted = || format!("--size `{text}`: give WIDTHxHEIGHT in pixels, 1 to {MAX_SIDE} each");
    Ok(sides.ok_or_else(wanted)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frame;
    use indim::Context;
    use std::path::Path;

    /// Never drawn; the sizes of its pictures and its file depend on the parameter.
    struct Words<const MORE: bool>;

    impl<const MORE: bool> Demo for Words<MORE> {
        const NAME: &'static str = "words";
        const MOUSE: &'static str = "the left button does nothing";
        const RESIZES: bool = MORE;
        const FILE: Option<&'static str> = if MORE { Some("TEXT") } else { None };

        fn new(_: &Context, _: Option<&Path>) -> Result<Self> {
            Ok(Self)
        }

        fn size(&self) -> [u32; 2] {
            [1; 2]
        }

        fn frame(&mut self, _: &Context, _: &mut Frame<'_>) -> Result<()> {
            Ok(())
        }

        fn submitted(&mut self) {}

        fn values(&mut self) -> Result<Vec<f32>> {
            Ok(Vec::new())
        }
    }

    fn parsed<const MORE: bool>(line: &str) -> Result<Option<Options>> {
        parse::<Words<MORE>>(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_are_taken() {
        assert_eq!(parsed::<false>("").unwrap(), Some(Options::default()));
        let all = "--frames 3 --out frames --size 640x480 --adapter llvm book";
        let expected = Options {
            headless: Some((3, "frames".into())),
            size: Some([640, 480]),
            adapter: Some("llvm".to_owned()),
            file: Some("book".into()),
        };
        assert_eq!(parsed::<true>(all).unwrap(), Some(expected));
        for line in ["-h", "--help", "--size 2x2 --help"] {
            assert_eq!(parsed::<false>(line).unwrap(), None, "{line}");
        }
        assert!(help::<Words<true>>().starts_with("Usage: words [OPTIONS] [TEXT]\n"));
        assert!(help::<Words<false>>().starts_with("Usage: words [OPTIONS]\n"));
    }

    #[test]
    fn what_nobody_knows_is_refused() {
        let unexpected = |word| format!("unexpected argument `{word}`; --help lists options");
        for (line, told) in [
            ("book", unexpected("book")),
            ("--frame 3", unexpected("--frame")),
            ("-x", unexpected("-x")),
            ("--frames", "--frames needs a value".to_owned()),
            ("--frames 3", "--frames N and --out DIR come together".to_owned()),
            ("--frames 0", "--frames `0`: give a number of frames, 1 or more".to_owned()),
            ("--frames x", "--frames `x`: give a number of frames, 1 or more".to_owned()),
            ("--size 0x5", "--size `0x5`: give WIDTHxHEIGHT in pixels, 1 to 16384 each".to_owned()),
            ("--size 5", "--size `5`: give WIDTHxHEIGHT in pixels, 1 to 16384 each".to_owned()),
            (
                "--size 5x5 --frames 3 --out frames",
                "words has pictures of one size; --size is for its window".to_owned(),
            ),
        ] {
            assert_eq!(parsed::<false>(line).unwrap_err().to_string(), told, "{line}");
        }
        assert_eq!(parsed::<true>("a b").unwrap_err().to_string(), unexpected("b"));
    }
}
