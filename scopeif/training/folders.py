"""Folders that are replaced as a whole, and what folders take on disk."""

from __future__ import annotations

import shutil
from pathlib import Path


def folder_bytes(folder: Path, pattern: str = "*") -> int:
    """What the files below a folder take on disk, in bytes; a file under two names counts once."""
    found = (path.stat() for path in folder.rglob(pattern) if path.is_file())
    return sum({(one.st_dev, one.st_ino): one.st_size for one in found}.values())


def staging(target: Path) -> Path:
    """Where the next `target` is to be built; what an earlier attempt left there is gone."""
    staged = target.with_name(f".{target.name}.partial")
    shutil.rmtree(staged, ignore_errors=True)
    return staged


def put_in_place(staged: Path, target: Path) -> None:
    """Make the built folder the `target`; after a kill at any point `restore` finds the new one or the old one."""
    restore(target)
    if target.exists():
        target.rename(_replaced(target))
    staged.rename(target)
    shutil.rmtree(_replaced(target), ignore_errors=True)


def restore(target: Path) -> None:
    """Mend what a kill between the steps of `put_in_place` left."""
    replaced = _replaced(target)
    if not replaced.exists():
        return
    if target.exists():
        shutil.rmtree(replaced)
    else:
        replaced.rename(target)


def _replaced(target: Path) -> Path:
    return target.with_name(f".{target.name}.replaced")
