//! Checks the text of a function with naga, and refuses what cannot be an operation on single
//! elements.

use std::panic::{AssertUnwindSafe, catch_unwind};

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Block, Expression, Function, Handle, Module, ScalarKind, Span, Statement, TypeInner};

use crate::graph::function::body::{
    FunctionBody, LoopBounds, Loops, Value, counter_prefix, prefix_of,
};
use crate::graph::function::counters::{self, Counted};
use crate::graph::function::loop_declarations;
use crate::graph::function::tokens::{self, Prefixed, Token};
use crate::graph::function::weight::{self, Weight};
use crate::graph::function::{bounds, branches, connectives, indices, sizes};
use crate::semantics::element::{ElementType, Form};
use crate::semantics::function_error::{FunctionError, Place};
use crate::semantics::hash::hash_of;
use crate::semantics::opcode::Cost;

type Checked<T> = Result<T, FunctionError>;

/// The maximum length of a text, in bytes.
const MAX_TEXT: usize = 65_536;

/// The maximum number of operations that one call may give a compiler, including all functions that
/// it calls, as [`Weight::compiled`] counts them. (Measured on lavapipe, where compilers are
/// slowest: texts of this size took 1 to 8 s.)
const MAX_OPERATIONS: usize = 8192;

/// The maximum number of branches with two ways in a text with loops, if they cannot be rewritten.
/// (SwiftShader follows every path through a loop's body: 16 branches in a row took 0.4 s.)
const MAX_FORKS: usize = 16;

/// The maximum nesting of calls: compilers visit functions by recursion.
const MAX_DEPTH: usize = 64;

/// The maximum size of an array or struct, in bytes: each invocation has its own.
const MAX_TYPE_BYTES: u32 = 16_384;

/// The maximum number of members of a struct result, each of which is an array that a kernel
/// writes.
const MAX_RESULTS: usize = 8;

/// The maximum number of loops in one call, including all functions that it calls: compilers are
/// worse than linear in them. Lavapipe took several seconds for a kernel of 32 loops, and half a
/// minute for 64.
const MAX_LOOPS: usize = 32;

/// The stack size for parsing and checking a text with naga off the web, in bytes.
#[cfg(not(target_arch = "wasm32"))]
const STACK_BYTES: usize = 16 << 20;

/// Operations up to which a function is cheap, and up to which it is not heavy.
const CHEAP_OPERATIONS: usize = 16;
const COSTLY_OPERATIONS: usize = 256;

/// Checks a text, and returns its function.
pub(super) fn check(text: &str) -> Checked<FunctionBody> {
    if text.len() > MAX_TEXT {
        let reason = format!("the text has {} bytes; texts have at most {MAX_TEXT}", text.len());
        return Err(FunctionError::new(reason));
    }
    let plain = tokens::without_comments(text)?;
    let words = tokens::tokens(&plain);
    bounds::check(text, &words)?;
    sizes::check(text, &words)?;
    // Names are changed before naga sees them, so that reserved WGSL words are allowed.
    let text_hash = hash_of(&plain);
    let prefix = prefix_of(text_hash);
    let renamed = tokens::with_prefix(&plain, &tokens::declared_names(&words), &prefix);
    let source = Source { text, renamed, prefix: &prefix };
    let (module, info) = source.parse()?;
    source.check_types(&module)?;
    let root = source.root(&module)?;
    let function = &module.functions[root];
    let parameters = source.parameters(&module, function)?;
    let (results, result_struct) = source.results(&module, function)?;
    let Weight { operations, compiled, .. } = source.weight(&module, &info, root)?;
    let forks = weight::forks(&module)[root.index()];
    let name = source.name(&function.name).to_owned();
    let indexed = source.indexed(&module, &info)?;
    drop((module, info));
    let (wgsl, loops) = source.counted(indexed)?;
    let cost = match loops {
        None if operations <= CHEAP_OPERATIONS => Cost::Cheap,
        None if operations <= COSTLY_OPERATIONS => Cost::Costly,
        _ => Cost::Heavy,
    };
    Ok(FunctionBody {
        #[cfg(feature = "serde")]
        text: text.to_owned(),
        entry: format!("{prefix}{name}"),
        name,
        parameters,
        results,
        result_struct,
        loops,
        wgsl,
        operations,
        compiled,
        forks,
        cost,
        wide: wide_types(&words),
        prefix,
        text_hash,
    })
}

/// A text, with a copy for naga, without comments and with prefixes.
struct Source<'a> {
    text: &'a str,
    renamed: Prefixed,
    prefix: &'a str,
}

impl Source<'_> {
    fn refuse<T>(&self, span: Span, reason: impl Into<String>) -> Checked<T> {
        // naga's messages contain the prefixed names.
        let reason = reason.into().replace(self.prefix, "");
        Err(match span.to_range() {
            Some(range) => {
                let [start, end] = [range.start, range.end].map(|at| self.renamed.before(at));
                FunctionError::at(self.text, Place { start, end }, reason)
            }
            None => FunctionError::new(reason),
        })
    }

    /// Returns a name as the user wrote it.
    fn name<'n>(&self, name: &'n Option<String>) -> &'n str {
        let name = name.as_deref().unwrap_or_default();
        name.strip_prefix(self.prefix).unwrap_or(name)
    }

    /// Parses and validates the text, on a separate stack where there are threads: naga visits
    /// nested expressions by recursion.
    fn parse(&self) -> Checked<(Module, ModuleInfo)> {
        Self::on_own_stack(|| self.parse_here())
    }

    /// Returns the text with its indices within bounds, if any need it.
    fn indexed(&self, module: &Module, info: &ModuleInfo) -> Checked<Option<String>> {
        let prefix = counter_prefix(self.prefix);
        indices::bounded(&self.renamed.text, module, info, &prefix).or_else(|span| {
            self.refuse(span, "what this index chooses from is not known; name it by let or var")
        })
    }

    /// Returns the text to compile, with bounds for indices that need them and a counter in each
    /// loop; and its loops, if there are any. A text with loops has its branches rewritten so that
    /// all compilers can handle it.
    fn counted(&self, indexed: Option<String>) -> Checked<(String, Option<Loops>)> {
        let prefix = counter_prefix(self.prefix);
        let text = indexed.as_ref().unwrap_or(&self.renamed.text);
        let Some(Counted { text: counted, loops: count }) = counters::counted(text, &prefix) else {
            if indexed.is_some() {
                self.check_again("", text)?;
            }
            return Ok((text.clone(), None));
        };
        let loops = Loops { count, bounds: LoopBounds::default() };
        let declared = loop_declarations::declarations(&prefix, loops, None);
        let operators = connectives::as_operators(text);
        // A connective beside a template may be taken for more than it is.
        for text in [&operators, text] {
            let ifs = branches::as_ifs(text, &format!("{prefix}branch"));
            let rewritten = ifs.and_then(|ifs| counters::counted(&ifs, &prefix));
            if let Some(Counted { text, .. }) = rewritten
                && let Ok(forks) = self.check_again(&declared, &text)
                && forks <= MAX_FORKS
            {
                return Ok((text, Some(loops)));
            }
        }
        let forks = self.check_again(&declared, &counted)?;
        if forks > MAX_FORKS {
            return Err(FunctionError::new(format!(
                "the text has loops and {forks} branches with two ways, with those of each call; \
                 {MAX_FORKS} are the most; call functions with loops outside of `&&` and `||`"
            )));
        }
        Ok((counted, Some(loops)))
    }

    /// Checks a valid text again after bounds were added, which leave it valid. Returns the most
    /// forks of one of its functions.
    fn check_again(&self, declared: &str, text: &str) -> Checked<usize> {
        let whole = format!("{declared}{text}");
        Self::on_own_stack(|| match naga::front::wgsl::parse_str(&whole) {
            Ok(module) => {
                self.validate(&module)?;
                Ok(weight::forks(&module).into_iter().max().unwrap_or_default())
            }
            Err(error) => Err(FunctionError::new(error.message())),
        })
        .map_err(|error| {
            let reason = error.reason().replace(self.prefix, "");
            FunctionError::new(format!(
                "no bound fits into a loop or an index of the text: {reason}"
            ))
        })
    }

    fn on_own_stack<T: Send>(check: impl FnOnce() -> Checked<T> + Send) -> Checked<T> {
        let checked = || catch_unwind(AssertUnwindSafe(check)).ok();
        #[cfg(not(target_arch = "wasm32"))]
        let checked = std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            builder.spawn_scoped(scope, checked).ok()?.join().ok().flatten()
        });
        #[cfg(target_arch = "wasm32")]
        let checked = checked();
        checked.unwrap_or_else(|| Err(FunctionError::new("naga cannot check this text")))
    }

    fn parse_here(&self) -> Checked<(Module, ModuleInfo)> {
        let module = match naga::front::wgsl::parse_str(&self.renamed.text) {
            Ok(module) => module,
            Err(error) => {
                let span = error.labels().next().map_or(Span::UNDEFINED, |(span, _)| span);
                return self.refuse(span, error.message());
            }
        };
        // These checks come first, so that forbidden features are refused with our own message.
        self.check_items(&module)?;
        for (_, function) in module.functions.iter() {
            self.check_function(&module, function)?;
        }
        let info = self.validate(&module)?;
        Ok((module, info))
    }

    fn validate(&self, module: &Module) -> Checked<ModuleInfo> {
        let capabilities = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
        let mut validator = Validator::new(ValidationFlags::all(), capabilities);
        let error = match validator.validate(module) {
            Ok(info) => return Ok(info),
            Err(error) => error,
        };
        // The smallest part of the text is the most precise, and so is the innermost cause.
        let spans = error.spans().filter_map(|&(span, _)| Some((span.to_range()?.len(), span)));
        let span = spans.min_by_key(|&(length, _)| length).map_or(Span::UNDEFINED, |(_, s)| s);
        let mut cause: &dyn std::error::Error = error.as_inner();
        while let Some(source) = cause.source() {
            cause = source;
        }
        let reason = cause.to_string();
        if reason.starts_with("The `return` expression") {
            return self.refuse(
                span,
                "not every way through the function returns a value of the type that it declares",
            );
        }
        self.refuse(span, reason)
    }

    /// Refuses items other than functions, structs and constants.
    fn check_items(&self, module: &Module) -> Checked<()> {
        if let Some(entry) = module.entry_points.first() {
            let reason = format!(
                "`{}` is an entry point; a function that is called has no attribute of a stage",
                entry.name
            );
            let name = entry.name.strip_prefix(self.prefix).unwrap_or(&entry.name);
            return self.refuse(self.declaration("fn", name), reason);
        }
        if let Some((handle, variable)) = module.global_variables.iter().next() {
            let name = self.name(&variable.name);
            let what = match variable.space {
                naga::AddressSpace::WorkGroup => "workgroup variables are",
                naga::AddressSpace::Private => "private variables are",
                naga::AddressSpace::Handle => "textures and samplers are",
                _ => "bindings are",
            };
            let reason = format!(
                "{what} not taken: `{name}` can be a parameter, or a variable within the function"
            );
            return self.refuse(module.global_variables.get_span(handle), reason);
        }
        if let Some((handle, _)) = module.overrides.iter().next() {
            let reason = "overrides are not taken: write const, or a parameter";
            return self.refuse(module.overrides.get_span(handle), reason);
        }
        Ok(())
    }

    /// Returns the name of the item after a keyword, if there is one.
    fn declaration(&self, keyword: &str, name: &str) -> Span {
        let words = tokens::tokens(&self.renamed.text);
        let is_it = |text: &str| text.strip_prefix(self.prefix).unwrap_or(text) == name;
        let found = words.windows(2).find(|pair| pair[0].text == keyword && is_it(pair[1].text));
        found.map_or(Span::UNDEFINED, |pair| {
            let Place { start, end } = pair[1].place();
            Span::new(start as u32, end as u32)
        })
    }

    /// Refuses features that need more than the values of one element.
    fn check_function(&self, module: &Module, function: &Function) -> Checked<()> {
        let name = self.name(&function.name);
        for argument in &function.arguments {
            let ty = &module.types[argument.ty];
            if matches!(ty.inner, TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }) {
                let parameter = self.name(&argument.name);
                let reason = format!(
                    "parameter `{parameter}` of `{name}` is a pointer, which is not taken: pass and return values"
                );
                return self.refuse(self.declaration("fn", name), reason);
            }
        }
        for (handle, expression) in function.expressions.iter() {
            let what = match expression {
                Expression::Derivative { .. } => "derivatives are",
                Expression::ImageSample { .. }
                | Expression::ImageLoad { .. }
                | Expression::ImageQuery { .. } => "textures are",
                Expression::AtomicResult { .. } => "atomics are",
                Expression::WorkGroupUniformLoadResult { .. } => "workgroup variables are",
                Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. } => {
                    "subgroup operations are"
                }
                _ => continue,
            };
            let reason = format!("{what} not taken: a function sees the values of one element");
            return self.refuse(function.expressions.get_span(handle), reason);
        }
        self.check_block(&function.body)
    }

    fn check_block(&self, block: &Block) -> Checked<()> {
        let mut blocks = vec![block];
        while let Some(block) = blocks.pop() {
            for (statement, &span) in block.span_iter() {
                match statement {
                    Statement::Emit(_)
                    | Statement::Break
                    | Statement::Continue
                    | Statement::Return { .. }
                    | Statement::Store { .. }
                    | Statement::Call { .. } => {}
                    Statement::Block(inner) => blocks.push(inner),
                    Statement::If { accept, reject, .. } => blocks.extend([accept, reject]),
                    Statement::Loop { body, continuing, .. } => blocks.extend([body, continuing]),
                    Statement::Switch { cases, .. } => {
                        blocks.extend(cases.iter().map(|case| &case.body));
                    }
                    Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                        return self.refuse(
                            span,
                            "barriers are not taken: a function sees the values of one element",
                        );
                    }
                    Statement::Atomic { .. } => {
                        return self.refuse(
                            span,
                            "atomics are not taken: a function sees the values of one element",
                        );
                    }
                    Statement::Kill => {
                        return self.refuse(span, "discard is not taken: return a value");
                    }
                    _ => {
                        return self.refuse(span, "this statement is not taken: a function computes values from its parameters");
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses types for which each invocation would need too much memory.
    fn check_types(&self, module: &Module) -> Checked<()> {
        for (handle, ty) in module.types.iter() {
            let bytes = ty.inner.size(module.to_ctx());
            if bytes > MAX_TYPE_BYTES {
                let reason = format!(
                    "an array, a struct or a matrix in the text has {bytes} bytes; {MAX_TYPE_BYTES} are the most, for each invocation has its own"
                );
                return self.refuse(module.types.get_span(handle), reason);
            }
        }
        Ok(())
    }

    /// Returns the function that is not called by another one.
    fn root(&self, module: &Module) -> Checked<Handle<Function>> {
        let mut called = vec![false; module.functions.len()];
        for (_, function) in module.functions.iter() {
            weight::calls(function).into_iter().for_each(|callee| called[callee.index()] = true);
        }
        let mut roots =
            module.functions.iter().map(|(handle, _)| handle).filter(|f| !called[f.index()]);
        let Some(root) = roots.next() else {
            return Err(FunctionError::new(
                "there is no function in the text: it needs one, such as fn half(x: f32) -> f32 { return 0.5 * x; }",
            ));
        };
        if let Some(other) = roots.next() {
            let [first, second] =
                [root, other].map(|handle| self.name(&module.functions[handle].name));
            let reason = format!(
                "neither `{first}` nor `{second}` is called by the other, so that it is not clear which is the operation; leave out one, or make two texts"
            );
            return self.refuse(self.declaration("fn", second), reason);
        }
        Ok(root)
    }

    fn parameters(&self, module: &Module, function: &Function) -> Checked<Vec<Value>> {
        let name = self.name(&function.name);
        if function.arguments.is_empty() {
            let reason =
                format!("`{name}` has no parameter; it needs one, whose shape the result has");
            return self.refuse(self.declaration("fn", name), reason);
        }
        let parameter = |argument: &naga::FunctionArgument| {
            let parameter = self.name(&argument.name).to_owned();
            match form(&module.types[argument.ty].inner) {
                Some(form) => Ok(Value { name: parameter, form }),
                None => self.refuse(
                    self.declaration("fn", name),
                    format!("parameter `{parameter}` of `{name}` is of a type that no element has; {TYPES}"),
                ),
            }
        };
        function.arguments.iter().map(parameter).collect()
    }

    /// Returns the results, and the struct's name if they are members of one.
    fn results(
        &self,
        module: &Module,
        function: &Function,
    ) -> Checked<(Vec<Value>, Option<String>)> {
        let name = self.name(&function.name);
        let at = self.declaration("fn", name);
        let Some(result) = &function.result else {
            return self.refuse(at, format!("`{name}` returns nothing; {TYPES}"));
        };
        let inner = &module.types[result.ty].inner;
        let TypeInner::Struct { members, .. } = inner else {
            return match form(inner) {
                Some(form) => Ok((vec![Value { name: String::new(), form }], None)),
                None => {
                    self.refuse(at, format!("`{name}` returns a type that no element has; {TYPES}"))
                }
            };
        };
        if members.len() > MAX_RESULTS {
            let reason = format!(
                "`{name}` returns a struct of {} members; {MAX_RESULTS} are the most, for each is an array",
                members.len()
            );
            return self.refuse(at, reason);
        }
        let value = |member: &naga::StructMember| {
            let member_name = member.name.clone().unwrap_or_default();
            match form(&module.types[member.ty].inner) {
                Some(form) => Ok(Value { name: member_name, form }),
                None => self.refuse(at, format!("member `{member_name}` of what `{name}` returns is of a type that no element has; {TYPES}")),
            }
        };
        Ok((
            members.iter().map(value).collect::<Checked<_>>()?,
            module.types[result.ty].name.clone(),
        ))
    }

    /// Returns the code that a call gives compilers, unless it is too much.
    fn weight(
        &self,
        module: &Module,
        info: &ModuleInfo,
        root: Handle<Function>,
    ) -> Checked<Weight> {
        let weight = weight::weights(module, info)[root.index()];
        let name = self.name(&module.functions[root].name);
        let refuse = |verb: &str, count: usize, of: &str, most: usize| {
            let reason = format!(
                "`{name}` {verb} {count} {of}, with those of the functions that it calls; {most} are the most"
            );
            self.refuse(self.declaration("fn", name), reason)
        };
        if weight.loops > MAX_LOOPS {
            return refuse("has", weight.loops, "loops", MAX_LOOPS);
        }
        if weight.compiled > MAX_OPERATIONS {
            return refuse("computes", weight.compiled, "operations", MAX_OPERATIONS);
        }
        if weight.depth > MAX_DEPTH {
            return refuse("calls functions", weight.depth, "deep", MAX_DEPTH);
        }
        Ok(weight)
    }
}

const TYPES: &str =
    "parameters and results are bool, i32, u32, f32, vec2<f32> (c64), i64, u64 and f64";

/// Returns the form of a type if an element may have it.
fn form(inner: &TypeInner) -> Option<Form> {
    let (scalar, is_pair) = match inner {
        TypeInner::Scalar(scalar) => (scalar, false),
        TypeInner::Vector { size: naga::VectorSize::Bi, scalar } => (scalar, true),
        _ => return None,
    };
    Some(match (scalar.kind, scalar.width, is_pair) {
        (ScalarKind::Bool, _, false) => Form::Bool,
        (ScalarKind::Sint, 4, false) => Form::S32,
        (ScalarKind::Uint, 4, false) => Form::U32,
        (ScalarKind::Sint, 8, false) => Form::S64,
        (ScalarKind::Uint, 8, false) => Form::U64,
        (ScalarKind::Float, 4, false) => Form::F32,
        (ScalarKind::Float, 8, false) => Form::F64,
        (ScalarKind::Float, 4, true) => Form::C64,
        _ => return None,
    })
}

/// Returns the 64-bit types that a text names, which not all devices have.
fn wide_types(words: &[Token<'_>]) -> Vec<ElementType> {
    let names = |name: &str, suffix: &str| {
        words.iter().any(|token| {
            let is_number = token.text.starts_with(|c: char| c.is_ascii_digit());
            token.text == name || is_number && token.text.ends_with(suffix)
        })
    };
    let mut wide = Vec::new();
    if names("f64", "lf") {
        wide.push(ElementType::F64);
    }
    if names("i64", "li") {
        wide.push(ElementType::S64);
    }
    if names("u64", "lu") {
        wide.push(ElementType::U64);
    }
    wide
}
