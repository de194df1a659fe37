"""A stalled trainer writes its stacks, and the console says where they are."""

import subprocess
import sys

from scopeif.training.stall import STALL_FILE

STALLED = """
import sys, time
from pathlib import Path
from scopeif.training.stall import StallWatch

def waits_for_a_worker(limit):
    while not file.stat().st_size and time.monotonic() < limit:
        time.sleep(0.01)

watch = StallWatch(Path(sys.argv[1]), stall_s=0.2)
watch.progress()
file = Path(sys.argv[2])
waits_for_a_worker(time.monotonic() + 30)
watch.close()
"""
BUSY = """
import sys, time
from pathlib import Path
from scopeif.training.stall import StallWatch

watch = StallWatch(Path(sys.argv[1]), stall_s=60)
for _ in range(3):
    watch.progress()
watch.close()
"""


def run(code, folder):
    command = [sys.executable, "-c", code, str(folder), str(folder / STALL_FILE)]
    subprocess.run(command, check=True, timeout=60)


def test_stacks_of_a_stall_name_where_it_waits(tmp_path):
    run(STALLED, tmp_path)
    assert "waits_for_a_worker" in (tmp_path / STALL_FILE).read_text()


def test_a_run_that_goes_on_leaves_no_file(tmp_path):
    run(BUSY, tmp_path)
    assert not (tmp_path / STALL_FILE).exists()
