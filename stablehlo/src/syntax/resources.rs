//! Reads the section `{-# ... #-}` of a file: the bytes of large constants, by their names.

use std::collections::BTreeMap;
use std::ops::Range;

use indim_core::{ElementType, Shape};

use crate::report::problem::Finding;
use crate::syntax::cursor::{Cursor, Result};
use crate::syntax::dense::{self, Elements};
use crate::syntax::lexer::Token;
use crate::syntax::types;

/// The name that MLIR prints for elements that it leaves out.
const ELIDED: &str = "__elided__";

/// The bytes of the alignment, which stand before the elements.
const ALIGNMENT: usize = 4;

/// An example of the text, for messages.
const FORM: &str = "a resource is a string such as \"0x040000000000803F\": `0x`, 4 bytes of alignment, \
     and the elements, all little-endian";

/// The bytes of a resource, as they are written between quotes.
#[derive(Debug, Clone)]
pub(crate) struct Blob<'a> {
    text: &'a str,
    /// The place of the text, with its quotes.
    span: Range<usize>,
}

/// The resources that constants refer to, by their names.
#[derive(Debug, Default)]
pub(crate) struct Resources<'a>(BTreeMap<&'a str, Blob<'a>>);

impl<'a> Resources<'a> {
    /// Takes a section, which is next. Parts that constants do not refer to are skipped.
    pub(crate) fn read(&mut self, cursor: &mut Cursor<'a>) -> Result<()> {
        entries(cursor, Token::ResourcesEnd, |cursor, part| match part {
            "dialect_resources" => braces(cursor, |cursor, dialect| match dialect {
                "builtin" => braces(cursor, |cursor, name| self.add(cursor, name)),
                _ => cursor.skip_balanced(),
            }),
            _ => cursor.skip_balanced(),
        })
    }

    /// Takes the bytes of a resource.
    fn add(&mut self, cursor: &mut Cursor<'a>, name: &'a str) -> Result<()> {
        let Some(Token::String(text)) = cursor.peek() else {
            return Err(cursor.unexpected("bytes").help(FORM));
        };
        cursor.next();
        let blob = Blob { text, span: cursor.last_span() };
        match self.0.insert(name, blob) {
            None => Ok(()),
            Some(_) => {
                let message = format!("resource `{name}` is defined twice");
                Err(Finding::syntax(cursor.last_span(), message)
                    .help("give one of them another name"))
            }
        }
    }

    /// Returns the resource of a name; `place` is that of its use.
    pub(crate) fn find(&self, name: &str, place: &Range<usize>) -> Result<&Blob<'a>> {
        if name == ELIDED {
            let message = "the elements were elided when the program was printed";
            return Err(Finding::syntax(place.clone(), message)
                .help("print the program with its large constants"));
        }
        self.0.get(name).ok_or_else(|| {
            let message = format!("the resource `{name}` is missing");
            Finding::syntax(place.clone(), message).help(self.names())
        })
    }

    /// Names some resources, for messages.
    fn names(&self) -> String {
        let names: Vec<&str> = self.0.keys().copied().take(8).collect();
        match names.as_slice() {
            [] => "the file ends in no `{-# dialect_resources: { builtin: { ... } } #-}`; it may have \
                   been cut off"
                .to_owned(),
            names => format!("the file has `{}`", names.join("`, `")),
        }
    }
}

impl Blob<'_> {
    /// Returns about the number of bytes, without reading them.
    pub(crate) fn size(&self) -> usize {
        self.text.len() / 2
    }

    /// Returns the bytes after the alignment.
    fn bytes(&self) -> Result<Vec<u8>> {
        let wrong = |message: String| Err(Finding::syntax(self.span.clone(), message).help(FORM));
        let Some(digits) = self.text.strip_prefix("0x") else {
            return wrong("the bytes of a resource begin with `0x`".to_owned());
        };
        // The quote and `0x` stand before the digits.
        let start = self.span.start + 3;
        let mut bytes = dense::hexadecimal(digits, start).map_err(|finding| finding.help(FORM))?;
        let Some(&alignment) = bytes.first_chunk::<ALIGNMENT>() else {
            let count = bytes.len();
            return wrong(format!(
                "the resource has {count} bytes; its alignment takes {ALIGNMENT}"
            ));
        };
        let alignment = u32::from_le_bytes(alignment);
        if !alignment.is_power_of_two() {
            return wrong(format!("the alignment is {alignment}, not a power of two"));
        }
        bytes.drain(..ALIGNMENT);
        Ok(bytes)
    }

    /// Returns the elements of a constant of this type, which is at `place`. A resource has all
    /// elements, even if they are equal.
    pub(crate) fn elements(
        &self,
        place: &Range<usize>,
        element_type: ElementType,
        shape: &Shape,
    ) -> Result<Elements> {
        let bytes = self.bytes()?;
        let given = bytes.len();
        dense::splat_or_list(element_type, shape, bytes).map_err(|_| {
            let of = types::tensor(element_type, shape);
            let size = element_type.size_in_bytes();
            let message = format!(
                "the resource has {given} bytes after its alignment, which are not those of {of}"
            );
            Finding::syntax(place.clone(), message)
                .help(format!("each element takes {size} bytes, and none is left out"))
        })
    }
}

/// Takes `{name: value, ...}`; `value` takes each value.
fn braces<'a>(
    cursor: &mut Cursor<'a>,
    value: impl FnMut(&mut Cursor<'a>, &'a str) -> Result<()>,
) -> Result<()> {
    match cursor.peek() {
        Some(Token::Sign('{')) => entries(cursor, Token::Sign('}'), value),
        _ => Err(cursor.unexpected("`{`").help(FORM)),
    }
}

/// Takes a bracket and `name: value, ...` up to its end; `value` takes each value.
fn entries<'a>(
    cursor: &mut Cursor<'a>,
    end: Token<'a>,
    mut value: impl FnMut(&mut Cursor<'a>, &'a str) -> Result<()>,
) -> Result<()> {
    cursor.next();
    while cursor.peek() != Some(end) {
        let (Some(Token::Name(name)) | Some(Token::String(name))) = cursor.peek() else {
            return Err(cursor.unexpected("the name of a resource").help(FORM));
        };
        cursor.next();
        cursor.expect(':').map_err(|finding| finding.help(FORM))?;
        value(cursor, name)?;
        if !cursor.eat(',') && cursor.peek() != Some(end) {
            let end = if end == Token::ResourcesEnd { "#-}" } else { "}" };
            return Err(cursor.unexpected(&format!("`,` or `{end}`")));
        }
    }
    cursor.next();
    Ok(())
}
