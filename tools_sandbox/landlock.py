"""The second layer: Landlock, with no rule that allows anything."""

from __future__ import annotations

import ctypes
import os
import struct

from tools_sandbox import kernel

_CREATE_RULESET_VERSION = 1


def abi() -> int:
    """The kernel's Landlock version; raises OSError where there is none."""
    return kernel.syscall(
        kernel.LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_CREATE_RULESET_VERSION)
    )


def ruleset(version: int) -> bytes:
    """struct landlock_ruleset_attr with everything that this version can handle, and thus forbid."""
    files = 13 + (version >= 2) + (version >= 3) + (version >= 5)  # refer, truncate, ioctl_dev came later
    attributes = struct.pack("=Q", (1 << files) - 1)
    if version >= 4:
        attributes += struct.pack("=Q", 0b11)  # bind and connect of TCP
    if version >= 6:
        attributes += struct.pack("=Q", 0b11)  # abstract Unix sockets and signals to other domains
    return attributes


def restrict() -> int:
    """Forbid this process and its children whatever Landlock knows. Needs no_new_privs; gives the version."""
    version = abi()
    attributes = ruleset(version)
    descriptor = kernel.syscall(
        kernel.LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    )
    try:
        kernel.syscall(kernel.LANDLOCK_RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)
    return version
