//! Reads a program: functions, and the operations in their regions. Regions that are not closed yet
//! are a list, so that their depth takes no stack.

use std::collections::HashMap;
use std::ops::Range;

use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::{Cursor, Result};
use crate::syntax::form::{self, Arguments, Draft, Use};
use crate::syntax::lexer::Token;
use crate::syntax::module::{Function, Operand, Operation, Region, RegionId, Source, Types};
use crate::syntax::names::{self, Meaning};
use crate::syntax::values;

/// The most regions that may be open within each other.
const MAX_DEPTH: usize = 256;

/// The most results of one operation.
const MAX_RESULTS: usize = 1 << 16;

/// A region that is being read.
struct Open<'a> {
    region: RegionId,
    /// The first value and the number of values by each name.
    names: HashMap<&'a str, (usize, usize)>,
    owner: Owner<'a>,
}

/// The owner of a region.
enum Owner<'a> {
    Function(Box<Function<'a>>),
    /// An operation in the generic form, with its regions so far.
    Generic(Box<Draft<'a>>, Vec<RegionId>),
    /// A `reduce` in its own form.
    Reduce(Box<Draft<'a>>),
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    source: Source<'a>,
    open: Vec<Open<'a>>,
}

/// Reads a program from its text.
pub(crate) fn parse(text: &str) -> Result<Source<'_>> {
    let cursor = Cursor::new(text)?;
    let mut parser = Parser { cursor, source: Source::default(), open: Vec::new() };
    parser.items()?;
    if parser.source.functions.is_empty() {
        return Err(Finding::syntax(parser.cursor.span(), "the program has no function")
            .help("give MLIR in text form, as `jax.jit(f).lower(...).as_text()` gives it"));
    }
    Ok(parser.source)
}

impl<'a> Parser<'a> {
    /// Reads modules, functions and definitions up to the end.
    fn items(&mut self) -> Result<()> {
        let mut modules = 0_usize;
        while let Some(token) = self.cursor.peek() {
            match token {
                Token::Name("module" | "builtin.module") => {
                    self.cursor.next();
                    self.module_header()?;
                    modules += 1;
                }
                Token::String("builtin.module") => {
                    self.cursor.next();
                    self.generic_module()?;
                    modules += 1;
                }
                Token::Name("func.func") => {
                    self.cursor.next();
                    self.function()?;
                }
                Token::String("func.func") => self.generic_function()?,
                Token::Sign('}') if modules > 0 => {
                    self.cursor.next();
                    modules -= 1;
                    self.module_end()?;
                }
                // A definition of an attribute or a location: `#loc = loc("x")`.
                Token::Attribute(name) if self.cursor.ahead(1) == Some(Token::Sign('=')) => {
                    self.cursor.next();
                    self.cursor.next();
                    match self.cursor.location()? {
                        Some(text) => drop(self.source.locations.insert(name, text)),
                        None => drop(values::named(&mut self.cursor, "")?),
                    }
                }
                Token::Resources => self.source.resources.read(&mut self.cursor)?,
                Token::Name("sdy.mesh") => {
                    self.cursor.next();
                    self.cursor.symbol()?;
                    self.cursor.expect('=')?;
                    values::named(&mut self.cursor, "")?;
                    if self.cursor.peek() == Some(Token::Sign('{')) {
                        values::dictionary(&mut self.cursor, &mut Vec::new())?;
                    }
                    self.cursor.location()?;
                }
                Token::String("sdy.mesh") => {
                    self.cursor.next();
                    self.cursor.expect('(')?;
                    self.cursor.expect(')')?;
                    if self.cursor.peek() == Some(Token::Sign('<')) {
                        values::dictionary(&mut self.cursor, &mut Vec::new())?;
                    }
                    self.attributes_and_types()?;
                }
                _ => return Err(self.cursor.unexpected("`module` or `func.func`")),
            }
        }
        match modules {
            0 => Ok(()),
            _ => Err(self.cursor.unexpected("`}` of the module")),
        }
    }

    /// Reads what stands before the functions of a module.
    fn module_header(&mut self) -> Result<()> {
        if matches!(self.cursor.peek(), Some(Token::Symbol(_))) {
            self.cursor.next();
        }
        if self.cursor.eat_word("attributes") {
            values::dictionary(&mut self.cursor, &mut Vec::new())?;
        }
        self.cursor.expect('{')
    }

    /// Reads what stands before the functions of a module in the generic form.
    fn generic_module(&mut self) -> Result<()> {
        self.cursor.expect('(')?;
        self.cursor.expect(')')?;
        if self.cursor.peek() == Some(Token::Sign('<')) {
            values::dictionary(&mut self.cursor, &mut Vec::new())?;
        }
        self.cursor.expect('(')?;
        self.cursor.expect('{')?;
        if self.cursor.peek() == Some(Token::Block) {
            self.cursor.next();
            self.cursor.expect(':')?;
        }
        Ok(())
    }

    /// Reads what stands after the functions of a module, in either form.
    fn module_end(&mut self) -> Result<()> {
        if self.cursor.eat(')') {
            return self.attributes_and_types();
        }
        self.cursor.location()?;
        Ok(())
    }

    /// Reads what stands at the end of the generic form of an operation that is not used here.
    fn attributes_and_types(&mut self) -> Result<()> {
        if self.cursor.peek() == Some(Token::Sign('{')) {
            values::dictionary(&mut self.cursor, &mut Vec::new())?;
        }
        self.cursor.expect(':')?;
        form::types(&mut self.cursor)?;
        self.cursor.location()?;
        Ok(())
    }

    /// Reads a function after `func.func`.
    fn function(&mut self) -> Result<()> {
        let is_private = self.cursor.eat_word("private");
        if !is_private {
            self.cursor.eat_word("public");
        }
        let name = self.cursor.symbol()?;
        let mut function = Function {
            name,
            span: self.cursor.last_span(),
            is_public: !is_private,
            labels: Vec::new(),
            results: Some(Vec::new()),
            body: None,
        };
        if is_private && matches!(self.cursor.ahead(1), Some(Token::Type(_))) {
            // A declaration has types without names.
            values::types(&mut self.cursor)?;
            self.function_results(&mut function)?;
            return self.declared(function);
        }
        let arguments = form::labelled_arguments(&mut self.cursor)?;
        let (arguments, labels) = arguments.into_iter().unzip();
        function.labels = labels;
        self.function_results(&mut function)?;
        if self.cursor.peek() != Some(Token::Sign('{')) {
            return self.declared(function);
        }
        self.begin(arguments, Owner::Function(Box::new(function)))?;
        self.body()
    }

    /// Reads the types of a function's results, and its attributes.
    fn function_results(&mut self, function: &mut Function<'a>) -> Result<()> {
        if self.cursor.peek() == Some(Token::Arrow) {
            self.cursor.next();
            function.results = Some(match self.cursor.peek() {
                Some(Token::Sign('(')) => values::types(&mut self.cursor)?,
                _ => vec![(self.cursor.a_type()?, None)],
            });
        }
        if self.cursor.eat_word("attributes") {
            values::dictionary(&mut self.cursor, &mut Vec::new())?;
        }
        Ok(())
    }

    /// Adds a function without a body.
    fn declared(&mut self, function: Function<'a>) -> Result<()> {
        self.cursor.location()?;
        self.add_function(function)
    }

    fn add_function(&mut self, function: Function<'a>) -> Result<()> {
        let number = self.source.functions.len();
        if self.source.numbers.insert(function.name, number).is_some() {
            let message = format!("function `@{}` is defined twice", function.name);
            return Err(Finding::syntax(function.span, message)
                .help("give each function a name of its own"));
        }
        self.source.functions.push(function);
        Ok(())
    }

    /// Reads a function in the generic form.
    fn generic_function(&mut self) -> Result<()> {
        self.operation()?;
        if self.open.is_empty() {
            return Err(Finding::syntax(self.cursor.last_span(), "this function has no region"));
        }
        self.body()
    }

    /// Opens a region: the cursor is at its brace.
    fn begin(&mut self, arguments: Arguments<'a>, owner: Owner<'a>) -> Result<()> {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} regions are within each other");
            return Err(Finding::syntax(self.cursor.span(), message));
        }
        self.cursor.expect('{')?;
        let region = self.source.regions.len();
        self.source.regions.push(Region::default());
        self.open.push(Open { region, names: HashMap::new(), owner });
        self.arguments(arguments)?;
        if self.cursor.peek() == Some(Token::Block) {
            self.cursor.next();
            if self.cursor.peek() == Some(Token::Sign('(')) {
                let arguments = form::arguments(&mut self.cursor)?;
                self.arguments(arguments)?;
            }
            self.cursor.expect(':')?;
        }
        Ok(())
    }

    /// Adds arguments to the innermost region.
    fn arguments(&mut self, arguments: Arguments<'a>) -> Result<()> {
        for (name, of, span) in arguments {
            self.define(name, 1, &span)?;
            if let Some(open) = self.open.last() {
                self.source.regions[open.region].arguments.push((name, of));
            }
        }
        Ok(())
    }

    /// Gives values of the innermost region a name, and returns the number of the first one.
    fn define(&mut self, name: &'a str, count: usize, span: &Range<usize>) -> Result<usize> {
        let Some(open) = self.open.last_mut() else { return Ok(0) };
        let region = &mut self.source.regions[open.region];
        let first = region.values;
        region.values += count;
        match open.names.insert(name, (first, count)) {
            None => Ok(first),
            Some(_) => {
                let message = format!("value `%{name}` is defined twice");
                Err(Finding::syntax(span.clone(), message)
                    .help("each name of a value stands left of `=` once in a region"))
            }
        }
    }

    /// Reads operations until all regions are closed.
    fn body(&mut self) -> Result<()> {
        while !self.open.is_empty() {
            if self.cursor.eat('}') {
                self.end()?;
            } else if self.cursor.peek() == Some(Token::Block) {
                let message = "a region with several blocks is not read";
                return Err(Finding::syntax(self.cursor.span(), message)
                    .help("StableHLO has no branches between blocks; use `select`"));
            } else {
                self.operation()?;
            }
        }
        Ok(())
    }

    /// Reads what stands after a region.
    fn end(&mut self) -> Result<()> {
        let Some(Open { region, owner, .. }) = self.open.pop() else { return Ok(()) };
        match owner {
            Owner::Function(mut function) => {
                self.cursor.location()?;
                function.body = Some(region);
                self.add_function(*function)
            }
            Owner::Reduce(mut draft) => {
                draft.location = self.cursor.location()?.or(draft.location);
                self.add(*draft, vec![region])
            }
            Owner::Generic(mut draft, mut regions) => {
                regions.push(region);
                if self.cursor.eat(',') {
                    return self.begin(Vec::new(), Owner::Generic(draft, regions));
                }
                self.cursor.expect(')')?;
                form::generic_end(&mut self.cursor, &mut draft)?;
                match (draft.name, self.open.is_empty()) {
                    ("func.func", true) => self.add_generic_function(*draft, &regions),
                    _ => self.add(*draft, regions),
                }
            }
        }
    }

    /// Adds a function that was read in the generic form.
    fn add_generic_function(&mut self, draft: Draft<'a>, regions: &[RegionId]) -> Result<()> {
        let text = |name: &str| {
            let named = draft.attributes.iter().find(|named| named.name == name)?;
            match named.value {
                Attribute::String(text) | Attribute::Symbol(text) => Some(text),
                _ => None,
            }
        };
        let (Some(name), &[body]) = (text("sym_name"), regions) else {
            let message = "a function has an attribute `sym_name` and one region";
            return Err(Finding::syntax(draft.span, message));
        };
        let count = self.source.regions[body].arguments.len();
        self.add_function(Function {
            name,
            is_public: text("sym_visibility") != Some("private"),
            labels: vec![None; count],
            results: None,
            body: Some(body),
            span: draft.span,
        })
    }

    /// Reads an operation, up to its first region if it has one.
    fn operation(&mut self) -> Result<()> {
        let results = self.result_names()?;
        let (Some(Token::Name(name)) | Some(Token::String(name))) = self.cursor.peek() else {
            return Err(self.cursor.unexpected("an operation"));
        };
        let is_generic = matches!(self.cursor.peek(), Some(Token::String(_)));
        self.cursor.next();
        let mut draft = Draft {
            name,
            span: self.cursor.last_span(),
            results,
            operands: Vec::new(),
            attributes: Vec::new(),
            types: Types::None,
            location: None,
            is_skipped: false,
        };
        let meaning = names::meaning(name);
        if meaning.is_none() && name != "func.func" {
            draft.is_skipped = true;
            draft.location = self.cursor.skip_operation()?;
            return self.add(draft, Vec::new());
        }
        if is_generic {
            if form::generic(&mut self.cursor, &mut draft)? {
                return self.begin(Vec::new(), Owner::Generic(Box::new(draft), Vec::new()));
            }
            form::generic_end(&mut self.cursor, &mut draft)?;
            return self.add(draft, Vec::new());
        }
        if meaning != Some(Meaning::Reduce) {
            form::pretty(&mut self.cursor, &mut draft)?;
            return self.add(draft, Vec::new());
        }
        match form::reduce(&mut self.cursor, &mut draft)? {
            Some(arguments) => self.begin(arguments, Owner::Reduce(Box::new(draft))),
            None => self.add(draft, Vec::new()),
        }
    }

    /// Reads the names of results, and the `=` after them.
    fn result_names(&mut self) -> Result<Vec<(&'a str, usize, Range<usize>)>> {
        let mut names = Vec::new();
        while let Some(Token::Value(name)) = self.cursor.peek() {
            self.cursor.next();
            let span = self.cursor.last_span();
            let mut count = 1;
            if self.cursor.eat(':') {
                count = self.cursor.integer("a number of results")?;
                if count == 0 || count > MAX_RESULTS {
                    let message = format!("an operation has 1 to {MAX_RESULTS} results here");
                    return Err(Finding::syntax(self.cursor.last_span(), message));
                }
            }
            names.push((name, count, span));
            if !self.cursor.eat(',') {
                self.cursor.expect('=')?;
                return Ok(names);
            }
        }
        Ok(names)
    }

    /// Adds an operation that was read as a whole to the innermost region.
    fn add(&mut self, draft: Draft<'a>, regions: Vec<RegionId>) -> Result<()> {
        let look_up =
            |used| self.look_up(used).map_err(|finding: Box<Finding>| finding.of(draft.name));
        let operands = draft.operands.iter().map(look_up);
        let operands = operands.collect::<Result<Vec<Operand<'a>>>>()?;
        let Some(region) = self.open.last().map(|open| open.region) else {
            return Err(Finding::syntax(draft.span, "this operation is not in a function"));
        };
        let first = self.source.regions[region].values;
        for (name, count, span) in &draft.results {
            self.define(name, *count, span)?;
        }
        let results = first..self.source.regions[region].values;
        check_results(&draft, results.len())?;
        let Draft { name, span, attributes, types, location, is_skipped, .. } = draft;
        self.source.regions[region].operations.push(self.source.operations.len());
        self.source.operations.push(Operation {
            name,
            span,
            results,
            operands,
            attributes,
            regions,
            types,
            location,
            is_skipped,
        });
        Ok(())
    }

    /// Finds the value of a name in the innermost region that has it.
    fn look_up(&self, used: &Use<'a>) -> Result<Operand<'a>> {
        let Use { name, part, span } = used;
        let depth = self.open.iter().rev().position(|open| open.names.contains_key(name));
        let found = depth.and_then(|depth| {
            let open = self.open.iter().rev().nth(depth)?;
            open.names.get(name).map(|&(first, count)| (depth, first, count))
        });
        let Some((depth, first, count)) = found else {
            return Err(Finding::syntax(span.clone(), format!("value `%{name}` is not defined"))
                .help("a value is defined before its uses, in the same region"));
        };
        if *part >= count {
            let message = format!("`%{name}` has {count} results, counted from 0");
            return Err(Finding::syntax(span.clone(), message));
        }
        Ok(Operand { name, span: span.clone(), depth, value: first + part })
    }
}

/// Checks that as many results have names as have types.
fn check_results(draft: &Draft<'_>, named: usize) -> Result<()> {
    let Types::Function(_, results) = &draft.types else { return Ok(()) };
    if draft.is_skipped || results.len() == named || named == 0 {
        return Ok(());
    }
    let message = format!("{} results have types, but {named} have names", results.len());
    Err(Finding::syntax(draft.span.clone(), message).of(draft.name))
}
