//! Writes and reads `.npy` files by hand, so that npyz is not its own reference.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use indim::ElementType;

use indim_testing::programs::compare;
use indim_testing::programs::program::Type;

/// A folder of its own for one check, in memory where there is such a place.
pub struct Folder(PathBuf);

impl Folder {
    pub fn create() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = root.join(format!("indim-fuzz-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).expect("a new folder");
        Self(folder)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The format's name for a type, if it has one.
pub fn descr(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::Pred => "|b1",
        ElementType::S8 => "|i1",
        ElementType::S16 => "<i2",
        ElementType::S32 => "<i4",
        ElementType::S64 => "<i8",
        ElementType::U8 => "|u1",
        ElementType::U16 => "<u2",
        ElementType::U32 => "<u4",
        ElementType::U64 => "<u8",
        ElementType::F16 => "<f2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
        ElementType::C64 => "<c8",
        _ => return None,
    })
}

/// Sizes as Python writes a tuple.
pub fn tuple(dims: &[usize]) -> String {
    let sizes: Vec<String> = dims.iter().map(usize::to_string).collect();
    match dims.len() {
        1 => format!("({},)", sizes[0]),
        _ => format!("({})", sizes.join(", ")),
    }
}

/// Magic, version and header, before the elements.
pub fn file(version: u8, header: &str, elements: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    if version == 1 {
        bytes.extend((header.len() as u16).to_le_bytes());
    } else {
        bytes.extend((header.len() as u32).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    bytes.extend(elements);
    bytes
}

/// An array as NumPy would write it, if it has the type.
pub fn array(ty: &Type, bits: &[u64]) -> Option<Vec<u8>> {
    let descr = descr(ty.element)?;
    let shape = tuple(&ty.dims);
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let elements = compare::literal(ty, bits).ok()?;
    Some(file(1, &header, elements.bytes()))
}

/// The elements of a file that the command wrote, whose header must match this type and shape.
pub fn read(path: &str, ty: &Type) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let cut = || format!("{path} is cut short");
    let length = bytes.get(8..10).ok_or_else(cut)?;
    let start = 10 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    let header = bytes.get(10..start).ok_or_else(cut)?;
    // Blanks and the comma after the last size make no difference.
    let plain = |text: &str| text.replace(' ', "").replace(",)", ")");
    let header = plain(&String::from_utf8_lossy(header));
    let descr = descr(ty.element).ok_or("a type that files do not have")?;
    let says = |key: &str, value: &str| header.contains(&format!("'{key}':{}", plain(value)));
    let right = bytes.starts_with(b"\x93NUMPY\x01\x00")
        && says("descr", &format!("'{descr}'"))
        && says("fortran_order", "False")
        && says("shape", &tuple(&ty.dims));
    let elements = bytes[start..].to_vec();
    let expected = ty.count() * ty.element.size_in_bytes();
    if !right || elements.len() != expected {
        return Err(format!("{header:?} and {} bytes for {ty}", elements.len()));
    }
    Ok(elements)
}
