"""verl finds the class that it looks for in TRL, and TRL is not loaded for it."""

import subprocess
import sys

LOOK = """
import sys
from scopeif.training.cpu import trl_value_head
trl_value_head.install()
from trl.experimental.ppo import AutoModelForCausalLMWithValueHead as found
assert found.__module__.startswith("scopeif"), found.__module__
assert "trl" not in sys.modules
"""


def test_the_stand_in_is_found_without_loading_trl():
    subprocess.run([sys.executable, "-c", LOOK], check=True, timeout=60)
