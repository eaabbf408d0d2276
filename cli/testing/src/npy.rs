//! Checks the command on `.npy` files of any bytes, and on files whose header lies: elements are
//! read as they were written, a lying header is refused before memory is allocated for it, and
//! files that the command writes can be read again.

use indim::{ElementType, Literal};
use indim_cli::Session;

use crate::files::{self, Folder};
use crate::report;
use indim_testing::oracle::convert::convert;
use indim_testing::oracle::value::Value;
use indim_testing::programs::compare;
use indim_testing::programs::data;
use indim_testing::programs::program::Type;
use indim_testing::random::Random;

/// Types that a result can be written in.
const WRITABLE: &[ElementType] = &[
    ElementType::Pred,
    ElementType::S8,
    ElementType::S16,
    ElementType::S32,
    ElementType::S64,
    ElementType::U8,
    ElementType::U16,
    ElementType::U32,
    ElementType::U64,
    ElementType::F16,
    ElementType::F32,
    ElementType::F64,
    ElementType::C64,
];

/// The address space that a lying header may cost, beyond twice the file.
const MOST_WASTED: u64 = 64 << 20;

pub fn check(session: &mut Session, random: &mut Random) -> Result<(), String> {
    let folder = Folder::create();
    if random.percent(30) {
        let bytes = random.rest();
        if !bytes.is_empty() {
            return any_bytes(session, &folder, &bytes);
        }
    }
    let array = Stored::draw(random);
    let mut bytes = array.file(random);
    if random.percent(40) {
        corrupt(random, &mut bytes);
        return any_bytes(session, &folder, &bytes);
    }
    if random.percent(35) {
        return lie(session, random, &folder, &array);
    }
    told_apart(session, random, &folder, &array, &bytes)
}

/// An array as it may lie in a file.
struct Stored {
    ty: Type,
    bits: Vec<u64>,
    fortran: bool,
    big_endian: bool,
}

impl Stored {
    fn draw(random: &mut Random) -> Self {
        let element = random.pick(WRITABLE);
        let rank = random.below(5);
        let dims: Vec<usize> = (0..rank).map(|_| random.pick(&[0, 1, 2, 3, 4, 5, 7])).collect();
        let ty = Type { element, dims };
        let bits = data::elements(random, element, ty.count());
        let (fortran, big_endian) = (random.percent(30), random.percent(30));
        Self { ty, bits, fortran, big_endian }
    }

    fn descr(&self) -> String {
        let descr = files::descr(self.ty.element).unwrap_or("|V1");
        if self.big_endian && descr.starts_with('<') {
            descr.replacen('<', ">", 1)
        } else {
            descr.to_owned()
        }
    }

    /// The elements' bytes in the file's order.
    fn elements(&self) -> Vec<u8> {
        let (dims, size) = (&self.ty.dims, self.ty.element.size_in_bytes());
        let mut bytes = Vec::new();
        for place in 0..self.bits.len() {
            // In Fortran's order the first index is the fastest.
            let (mut rest, mut from, mut step) = (place, 0, self.bits.len());
            if self.fortran {
                for &size in dims {
                    step /= size;
                    from += rest % size * step;
                    rest /= size;
                }
            } else {
                from = place;
            }
            let mut element = self.bits[from].to_le_bytes()[..size].to_vec();
            if self.big_endian {
                let part = if self.ty.element == ElementType::C64 { 4 } else { size };
                element.chunks_mut(part).for_each(<[u8]>::reverse);
            }
            bytes.extend(element);
        }
        bytes
    }

    /// The file, its header spelled as NumPy does, or in another way that means the same.
    fn file(&self, random: &mut Random) -> Vec<u8> {
        let order = if self.fortran { "True" } else { "False" };
        let mut entries = [
            format!("'descr': '{}'", self.descr()),
            format!("'fortran_order': {order}"),
            format!("'shape': {}", files::tuple(&self.ty.dims)),
        ];
        if random.percent(30) {
            random.shuffle(&mut entries);
        }
        let mut header = format!("{{{}, }}", entries.join(", "));
        if random.percent(20) {
            header = header.replace(": ", ":").replace('\'', "\"");
        }
        header.push_str(&" ".repeat(random.below(64)));
        header.push('\n');
        files::file(random.pick(&[1, 1, 2, 3]), &header, &self.elements())
    }
}

/// A valid file is read as its elements, converted as XLA converts them.
fn told_apart(
    session: &mut Session,
    random: &mut Random,
    folder: &Folder,
    array: &Stored,
    bytes: &[u8],
) -> Result<(), String> {
    let (file, out) = (folder.write("x.npy", bytes), folder.path("out.npy"));
    let from = array.ty.element;
    let to = if random.percent(40) { random.pick(WRITABLE) } else { from };
    let mut arguments = vec!["eval".to_owned(), "x".to_owned(), format!("x={file}")];
    arguments.extend(["-o".to_owned(), out.clone()]);
    if to != from {
        arguments.extend(["--cast".to_owned(), format!("x={to}")]);
    }
    let told = |why: String| {
        let (fortran, big) = (array.fortran, array.big_endian);
        format!("{why}\nof a file of {} to {to}, Fortran {fortran}, big-endian {big}", array.ty)
    };
    let outcome = session.run(arguments);
    report::checked(&cast_note_left_out(&outcome)).map_err(told)?;
    if outcome.code != 0 {
        return Err(told(outcome.stderr));
    }
    let ty = Type::new(to, &array.ty.dims);
    let written = files::read(&out, &ty).map_err(told)?;
    let literal = Literal::new(to, ty.dims.as_slice(), written).map_err(|e| e.to_string())?;
    for (place, (&bits, got)) in array.bits.iter().zip(compare::bits(&literal)).enumerate() {
        let want =
            if to == from { Value::Bits(bits) } else { convert(from, to, Value::Bits(bits)) };
        if !want.admits(got, to) {
            let want = want.show(to);
            return Err(told(format!("element {place}, {bits:#x}, became {got:#x}, not {want}")));
        }
    }
    Ok(())
}

/// The outcome without the line of `--cast` about the operand, which is not a warning.
fn cast_note_left_out(outcome: &indim_cli::Outcome) -> indim_cli::Outcome {
    let kept = |line: &&str| !line.contains(" converted to ");
    let stderr: String =
        outcome.stderr.lines().filter(kept).map(|line| format!("{line}\n")).collect();
    let stderr = if outcome.code == 0 { stderr } else { outcome.stderr.clone() };
    indim_cli::Outcome { stderr, ..outcome.clone() }
}

/// Bytes changed, put in, taken out or cut off.
fn corrupt(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(4) {
        let place = random.below(bytes.len() + 1);
        match random.below(4) {
            0 if place < bytes.len() => bytes[place] = random.below(256) as u8,
            1 if place < bytes.len() => {
                bytes.remove(place);
            }
            2 => bytes.insert(place, random.pick(b"\x00\xff()[]{},:'0189<>fiub\x1b")),
            _ if random.percent(20) => bytes.truncate(place),
            _ => {}
        }
    }
}

/// A header that claims more than there is.
fn lie(
    session: &mut Session,
    random: &mut Random,
    folder: &Folder,
    array: &Stored,
) -> Result<(), String> {
    let mut dims = array.ty.dims.clone();
    dims.retain(|&size| size > 0);
    dims.push(random.pick(&[1 << 20, 1 << 31, 1 << 33, 1 << 61, usize::MAX, 4_294_967_297]));
    let place = random.below(dims.len());
    dims.swap(place, array.ty.dims.len().min(place));
    let shape = files::tuple(&dims);
    let order = if array.fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': '{}', 'fortran_order': {order}, 'shape': {shape}, }}\n", array.descr());
    let file = folder.write("x.npy", &files::file(1, &header, &array.elements()));
    let before = address_space();
    let outcome = session.run(["eval", "x", &format!("x={file}")]);
    let wasted = address_space().saturating_sub(before);
    report::checked(&outcome)?;
    if outcome.code == 0 {
        return Err(format!("{header} is believed"));
    }
    if wasted > MOST_WASTED {
        return Err(format!("{header} took {wasted} bytes of address space"));
    }
    Ok(())
}

/// The most address space that this process has ever had, where that can be known.
fn address_space() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    let kib = peak.and_then(|text| text.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Any bytes are refused, or read as some array, which is then written and read again as the same.
fn any_bytes(session: &mut Session, folder: &Folder, bytes: &[u8]) -> Result<(), String> {
    let file = folder.write("x.npy", bytes);
    let (once, twice) = (folder.path("once.npy"), folder.path("twice.npy"));
    let first = session.run(["eval", "x", &format!("x={file}"), "-o", &once]);
    report::checked(&first).map_err(|why| format!("{why}\nof {bytes:?}"))?;
    if first.code != 0 {
        return Ok(());
    }
    let second = session.run(["eval", "x", &format!("x={once}"), "-o", &twice]);
    let read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    if second.code != 0 || first.stdout != second.stdout || read(&once)? != read(&twice)? {
        return Err(format!("{first:?}, read again {second:?}, of {bytes:?}"));
    }
    Ok(())
}
