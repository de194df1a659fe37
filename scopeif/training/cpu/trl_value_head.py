"""A stand-in for the value-head model of TRL that verl looks for wherever TRL is installed.

verl/models/transformers/monkey_patch.py gives `trl.experimental.ppo.AutoModelForCausalLMWithValueHead` another method
while it loads a policy; TRL 1.16 has no such class, and the import ends the run. Only a critic would use it. Can go
when verl accepts a TRL without it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_MODULE = "trl.experimental.ppo"
_CLASS = "AutoModelForCausalLMWithValueHead"


def install() -> None:
    """Put the stand-in where verl looks first, if TRL is installed and does not have it itself. TRL is not imported."""
    spec = importlib.util.find_spec("trl")
    if spec is None or spec.origin is None or (Path(spec.origin).parent / "experimental" / "ppo").exists():
        return
    module = ModuleType(_MODULE, "Stand-in of ScopeIF.")
    setattr(module, _CLASS, type(_CLASS, (), {}))
    sys.modules.setdefault(_MODULE, module)
