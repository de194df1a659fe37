"""Measuring by rule, without a judge: units with offsets, and formal specs against responses."""

from scopeif.measure.compile import compile_spec, records_from
from scopeif.measure.counting import count, units
from scopeif.measure.describe import describe
from scopeif.measure.evaluate import evaluate
from tools_sandbox.text import Segment

MEASURE_VERSION = 2
"""Version of the measuring rules; part of every cache key and report."""

compile = compile_spec

__all__ = [
    "MEASURE_VERSION",
    "Segment",
    "compile",
    "compile_spec",
    "count",
    "describe",
    "evaluate",
    "records_from",
    "units",
]
