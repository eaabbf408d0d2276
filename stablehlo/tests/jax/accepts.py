"""Has JAX's own MLIR parse and verify the programs in a folder:

accepts.py FOLDER
"""

import pathlib
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir


def main() -> None:
    """Prints the number of programs; the first one that is refused raises an error."""
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.mlir"))
    for path in paths:
        with mlir.make_ir_context():
            module = ir.Module.parse(path.read_text())
            assert module.operation.verify(), path
    assert len(paths) > 100, paths
    print(f"{len(paths)} printed programs are accepted")


if __name__ == "__main__":
    main()
