"""The standard modules that a tool can import.

The file system is out of reach of a run, so a module can be imported only if the zygote holds it already.
"""

from __future__ import annotations

import sys

DEFAULT_PRELOAD: tuple[str, ...] = (
    "__future__", "abc", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "codecs",
    "collections", "collections.abc", "colorsys", "configparser", "contextlib", "copy", "csv",
    "dataclasses", "datetime", "decimal", "difflib", "email.utils", "enum", "fnmatch", "fractions",
    "functools", "graphlib", "hashlib", "heapq", "html", "html.entities", "html.parser", "inspect", "io",
    "ipaddress", "itertools", "json", "keyword", "locale", "math", "numbers", "operator", "pprint",
    "random", "re", "secrets", "shlex", "statistics", "string", "stringprep", "struct", "textwrap", "time",
    "tokenize", "traceback", "types", "typing", "unicodedata", "urllib.parse", "uuid", "warnings",
    "weakref", "xml.etree.ElementTree", "zlib",
)  # fmt: skip

# Imported on first use by other modules (codecs, time.strptime, ...), which would be too late in a run.
SILENT_PRELOAD: tuple[str, ...] = (
    "_strptime", "encodings.ascii", "encodings.idna", "encodings.latin_1", "encodings.utf_16",
    "encodings.utf_32", "encodings.utf_8", "encodings.utf_8_sig", "encodings.cp1252", "pyexpat",
    *(("_pylong",) if sys.version_info >= (3, 12) else ()),  # for long integers as text
)  # fmt: skip
