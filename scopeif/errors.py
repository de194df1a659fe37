"""Every error that ScopeIF raises on purpose, as one tree.

ScopeIFError                     base: message, place and fix; picklable (errors cross Ray processes)
├── InvalidInputError            (also ValueError) a value that the caller gave is wrong
│   ├── RecordError              a quantitative record that is none: NaN, reversed bounds, missing value
│   ├── SpecError                a formal spec that cannot be built, measured or compiled
│   ├── ScopeTextError           a Scope text that does not parse
│   ├── JudgeFormatError         a judge's text that cannot be used: no records, broken or contradictory ones
│   ├── DataError                a bad data row, with file, line, field and reason
│   └── ConfigError              a config key or value that is unknown or out of bounds
├── AmbiguousResponse            a response that the measuring rules can fairly read in two ways
├── JudgeError                   a judge call that brought no answer; the constraint stays unverified
│   ├── JudgeUnavailable         no endpoint answered within the patience: transport
│   └── JudgeRefused             the judge's server refuses the request: configuration
├── ModelNotFoundError           policy weights or tokenizer are not where the config says
├── ClusterError                 the nodes of a job do not form a cluster, or no longer do
├── ResourceError                too little memory, disk or another machine resource
├── ServiceFailed                the verification service did not start
├── SandboxIsolationError        the tool sandbox cannot isolate on this machine
├── StackError                   the installed packages are not the ones ScopeIF is pinned to
├── TrainingFailed               the trainer ended by an error that is none of ours
└── TrainingStopped              a run ended before its last step, on purpose, with the reason
    ├── NonFiniteError           loss, reward or KL is NaN or infinite
    └── UnverifiedLimitError     too many samples of a step stayed unverified
"""

from __future__ import annotations

from typing import Any


class ScopeIFError(Exception):
    """Base of all errors of this package.

    Args:
        message: what is wrong, naming the value.
        place: where it was met (file and line, config key, step), if known.
        fix: what the reader can do about it, if known.
    """

    def __init__(self, message: str, *, place: str | None = None, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.fix = fix

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  fix: {self.fix}" if self.fix else text

    def __reduce__(self) -> tuple[Any, ...]:
        # The default reduction re-calls __init__ with `args` alone and would lose place and fix.
        return _rebuild, (type(self), self.message, self.__dict__)


def _rebuild(cls: type[ScopeIFError], message: str, state: dict[str, Any]) -> ScopeIFError:
    error = cls.__new__(cls)
    Exception.__init__(error, message)
    error.__dict__.update(state)
    return error


class InvalidInputError(ScopeIFError, ValueError):
    """A value that the caller gave is wrong."""


class RecordError(InvalidInputError):
    """A quantitative record that is none: NaN, reversed bounds, an infinite or missing actual value."""


class SpecError(InvalidInputError):
    """A formal spec that cannot be built, measured or compiled."""


class ScopeTextError(InvalidInputError):
    """A Scope text such as ``Traversal(Paragraph) -> Position(Sentence)`` that does not parse."""


class JudgeFormatError(InvalidInputError):
    """A judge's text that cannot be used; the message tells the judge what to mend."""


class DataError(InvalidInputError):
    """A bad data row; `place` names the file and line, the message the field and the reason."""


class ConfigError(InvalidInputError):
    """A config key or value that is unknown or out of bounds."""


class AmbiguousResponse(ScopeIFError):
    """A response that the measuring rules can fairly read in two ways; the judge decides, or nobody."""


class JudgeError(ScopeIFError):
    """A judge call that brought no answer; the constraint stays unverified."""


class JudgeUnavailable(JudgeError):
    """No judge endpoint answered within the configured patience; the message says what each of them did."""


class JudgeRefused(JudgeError):
    """The judge's server refuses a request (4xx); asking again would not help.

    `place` is the endpoint, the message its answer, `status` the HTTP status: 401, 403, 404 and 405 speak of the
    configuration, 400, 413 and 422 of this one request.
    """

    status: int | None = None


class ModelNotFoundError(ScopeIFError):
    """Policy weights or tokenizer are not where the config says; `fix` tells how to get them."""


class ClusterError(ScopeIFError):
    """The nodes of a cluster job are not all there; the message names the missing ones and what they said."""


class ResourceError(ScopeIFError):
    """Too little memory, disk or another resource; the message says how much is needed and present."""


class ServiceFailed(ScopeIFError):
    """The verification service did not start; the message is what its replicas said."""


class SandboxIsolationError(ScopeIFError):
    """The tool sandbox cannot isolate on this machine; the message names the missing layer."""


class StackError(ScopeIFError):
    """The installed packages are not the ones that ScopeIF is pinned to."""


class TrainingFailed(ScopeIFError):
    """The trainer ended by an error that is none of ours; `fix` names the files with its traceback and the logs."""


class TrainingStopped(ScopeIFError):
    """A run ended before its last step, on purpose; the message is the reason."""


class NonFiniteError(TrainingStopped):
    """Loss, reward or KL is NaN or infinite; the message says which and at which step."""


class UnverifiedLimitError(TrainingStopped):
    """More samples of a step stayed unverified than `unverified.max_frac` allows."""
