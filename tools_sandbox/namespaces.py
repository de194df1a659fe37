"""The third layer: user, mount, pid, network, ipc and uts namespaces around an empty, read-only root."""

from __future__ import annotations

import ctypes
import os

from tools_sandbox import kernel

NOBODY = 65534

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUTS = 0x04000000
_CLONE_NEWIPC = 0x08000000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000
_ALL = _CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWPID | _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_REC, _MS_PRIVATE = 1 << 14, 1 << 18
_MS_BARE = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC


def enter() -> None:
    """Leave the host's namespaces; the next child is pid 1 of the new ones. Raises OSError.

    After a failure the process can be half inside (its next child would be pid 1, and the one after
    that could not be forked): find out with `obstacle` first.
    """
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(_ALL)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{NOBODY} {uid} 1")
    _write("/proc/self/gid_map", f"{NOBODY} {gid} 1")
    kernel.mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    kernel.mount("empty", "/tmp", "tmpfs", _MS_BARE, "size=4k,nr_inodes=4,mode=555")
    os.chdir("/tmp")
    here = ctypes.c_char_p(b".")
    kernel.syscall(kernel.architecture().numbers["pivot_root"], here, here)
    kernel.detach(".")
    os.chdir("/")
    kernel.mount(None, "/", None, _MS_REMOUNT | _MS_RDONLY | _MS_BARE)


def obstacle() -> str | None:
    """Why `enter` fails here, tried in a child; None where it works."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            enter()
        except OSError as error:
            os.write(writer, str(error).encode()[:4000])
        except BaseException as error:  # noqa: BLE001 - the child must not return into the caller's code
            os.write(writer, repr(error).encode()[:4000])
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        reason = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(pid, 0)
    return reason or (None if status == 0 else f"the attempt ended with wait status {status}")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
