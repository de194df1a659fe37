"""Reading what a judge wrote."""

from scopeif.errors import JudgeFormatError
from scopeif.judge.judgment import Judgment, parse_judgment
from scopeif.judge.tool_design import NoTool, ToolDesign, parse_checker, parse_tool_design

__all__ = [
    "JudgeFormatError", "Judgment", "NoTool", "ToolDesign", "parse_checker", "parse_judgment", "parse_tool_design",
]  # fmt: skip
