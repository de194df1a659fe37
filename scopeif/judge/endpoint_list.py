"""The list of judge endpoints, and the file that holds it while judge jobs come and go."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from scopeif.errors import InvalidInputError


def base_url(text: str) -> str:
    """A base URL without its last slash.

    Raises:
        InvalidInputError: it is no http or https URL with a host.
    """
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid or any(character.isspace() for character in url):
        raise InvalidInputError(f"{text.strip()!r} is no base URL", fix="write it like http://node7:8000/v1")
    return url


@dataclass(frozen=True)
class EndpointList:
    """What the file says: base URLs in order, and faults of lines that are none."""

    urls: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass
class EndpointFile:
    """One base URL a line; `#` begins a comment. Write it whole: a new file renamed over the old one."""

    path: Path
    _seen: tuple[int, int, int] | None = field(default=None, init=False)

    def read_if_changed(self) -> EndpointList | None:
        """The list, or None when the file is as it was when it was last read.

        Raises:
            OSError: the file is not there, or cannot be read.
            UnicodeDecodeError: it is no text.
        """
        state = self.path.stat()
        seen = (state.st_mtime_ns, state.st_size, state.st_ino)
        if seen == self._seen:
            return None
        lines = self.path.read_text(encoding="utf-8").splitlines()
        self._seen = seen
        urls: dict[str, None] = {}
        faults: list[str] = []
        for number, line in enumerate(lines, 1):
            if text := line.partition("#")[0].strip():
                try:
                    urls[base_url(text)] = None
                except InvalidInputError as error:
                    faults.append(f"line {number}: {error.message}")
        return EndpointList(tuple(urls), tuple(faults))
