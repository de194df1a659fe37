"""Files that appear when they are whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from scopeif.errors import DataError


@contextmanager
def replaced(path: str | PathLike[str]) -> Iterator[Path]:
    """A new file beside `path` to write to; it takes the place of `path` at the end, and goes after an error.

    Raises:
        DataError: the folder does not exist or cannot be written to, or `path` is a folder.
    """
    path = Path(path)
    if path.is_dir():
        raise DataError("a folder, not a file", place=str(path), fix="name a file in it")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        fix = None if path.parent.is_dir() else f"make the folder: mkdir -p {path.parent}"
        raise DataError(f"cannot be written: {error.strerror}", place=str(path), fix=fix) from None
    os.close(handle)
    new = Path(name)
    try:
        yield new
        new.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        new.replace(path)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", place=str(path)) from None
    finally:
        new.unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
