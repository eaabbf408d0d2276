//! Runs other programs as columns: `COMMAND FUNCTION` reads operands from its standard input and
//! writes results to its standard output, both as little-endian f32; where a function has two
//! operands, all of the first come first. `FUNCTION` is XLA's name in snake case. A program that
//! has no such function exits with status 3. For the function `adapter` it may write the name of
//! its device, the driver and the backend, a line each.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::thread;

use indim::Opcode;

use crate::Result;
use crate::chunk::Chunk;
use crate::column::{Adapter, Column};
use crate::function::{Function, Operation};

/// The exit status of a program without the function.
const NO_FUNCTION: i32 = 3;

/// Another program.
#[derive(Debug)]
pub struct Peer {
    name: String,
    command: String,
    adapter: Adapter,
}

impl Peer {
    /// Returns the program of `NAME=COMMAND`; the command is the shell's to read.
    ///
    /// # Errors
    /// Another form.
    pub fn new(text: &str) -> Result<Self> {
        let (name, command) =
            text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=COMMAND"))?;
        let adapter = adapter(command)?;
        Ok(Self { name: name.to_owned(), command: command.to_owned(), adapter })
    }
}

/// Returns the device that the program reports.
fn adapter(command: &str) -> Result<Adapter> {
    let output = Command::new("sh")
        .args(["-c", &format!("{command} adapter")])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines().filter(|_| output.status.success()).map(str::to_owned);
    Ok(Adapter {
        name: lines.next().unwrap_or_else(|| "its own".to_owned()),
        driver: lines.next().unwrap_or_default(),
        backend: lines.next().unwrap_or_default(),
    })
}

impl Column for Peer {
    fn name(&self) -> &str {
        &self.name
    }

    fn adapter(&self) -> Adapter {
        self.adapter.clone()
    }

    fn compute(&mut self, function: &Function, chunk: &Chunk) -> Result<Option<Vec<u32>>> {
        let (Operation::Unary(opcode) | Operation::Binary(opcode)) = function.operation else {
            return Ok(None);
        };
        if function.gives_pred() {
            return Ok(None);
        }
        let mut operands = chunk.lhs();
        if let Chunk::Listed { rhs, .. } = chunk {
            operands.extend_from_slice(rhs);
        }
        self.run(opcode, &operands, chunk.len())
    }
}

impl Peer {
    fn run(&self, opcode: Opcode, operands: &[u32], results: usize) -> Result<Option<Vec<u32>>> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("{} {}", self.command, opcode.method())])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(mut stdout)) = (stdin, stdout) else {
            return Err("a program without its pipes".into());
        };
        let input: Vec<u8> = operands.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        // A program may write before it has read everything. One without this function reads
        // nothing, so a broken pipe is not an error here.
        let writer = thread::spawn(move || drop(stdin.write_all(&input)));
        let mut output = Vec::new();
        stdout.read_to_end(&mut output)?;
        let status = child.wait()?;
        if writer.join().is_err() {
            return Err("a thread that writes to a program ended".into());
        }
        if status.code() == Some(NO_FUNCTION) {
            return Ok(None);
        }
        let words: Vec<u32> = output
            .chunks_exact(4)
            .map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            .collect();
        if !status.success() || words.len() != results {
            return Err(format!(
                "`{} {}`: {status}, {} results of {results}",
                self.command,
                opcode.method(),
                words.len()
            )
            .into());
        }
        Ok(Some(words))
    }
}
