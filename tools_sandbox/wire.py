"""The messages on the control socket of a zygote (SOCK_SEQPACKET: one message, one packet)."""

from __future__ import annotations

import struct
from typing import NamedTuple

RUN, STOP, STOP_ENDED = 1, 2, 3
"""Start a run (its socket comes along); end it now; end it, and it looks as if it had ended by itself."""

_COMMAND = struct.Struct("<BI")
_ACCOUNT = struct.Struct("<IiBBQQQ")


class Command(NamedTuple):
    """From the pool to the zygote."""

    kind: int
    serial: int

    def pack(self) -> bytes:
        return _COMMAND.pack(*self)


class Account(NamedTuple):
    """From the zygote to the pool: how a run ended, by the kernel's word alone."""

    serial: int
    wait_status: int
    was_killed: bool  # the zygote ended it
    not_started: bool  # fork failed
    user_us: int
    system_us: int
    peak_kb: int

    def pack(self) -> bytes:
        return _ACCOUNT.pack(*self)

    @property
    def cpu_s(self) -> float:
        return (self.user_us + self.system_us) / 1e6


def command(message: bytes) -> Command:
    return Command(*_COMMAND.unpack(message))


def account(message: bytes) -> Account:
    serial, status, killed, not_started, user, system, peak = _ACCOUNT.unpack(message)
    return Account(serial, status, bool(killed), bool(not_started), user, system, peak)
