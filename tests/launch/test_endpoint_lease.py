"""Several judge jobs, one list of endpoints."""

import os
import threading
import time

import pytest

from scopeif.judge.endpoint_list import EndpointFile
from scopeif.launch import endpoint_lease
from scopeif.launch.endpoint_lease import EndpointLease


def listed(shared):
    """What training reads."""
    found = EndpointFile(shared).read_if_changed()
    assert found.faults == ()
    return list(found.urls)


@pytest.fixture
def shared(tmp_path):
    return tmp_path / "judge_endpoints.txt"


def test_jobs_come_and_go(shared):
    first, second = EndpointLease(shared, "11"), EndpointLease(shared, "12")
    first.hold(["http://a:1/v1", "http://a:2/v1"])
    second.hold(["http://b:1/v1"])
    assert listed(shared) == ["http://a:1/v1", "http://a:2/v1", "http://b:1/v1"]
    first.hold(["http://a:2/v1"])
    assert listed(shared) == ["http://a:2/v1", "http://b:1/v1"]
    first.release()
    assert listed(shared) == ["http://b:1/v1"]
    second.release()
    assert listed(shared) == []
    assert list(shared.parent.rglob("*.partial")) == []


def test_an_unchanged_list_is_not_written_again(shared):
    lease = EndpointLease(shared, "11")
    lease.hold(["http://a:1/v1"])
    before = shared.stat().st_ino
    lease.hold(["http://a:1/v1"])
    assert shared.stat().st_ino == before


def test_a_job_that_died_is_forgotten_and_one_that_was_slow_comes_back(shared):
    dead, alive = EndpointLease(shared, "11"), EndpointLease(shared, "12")
    dead.hold(["http://a:1/v1"])
    long_ago = time.time() - endpoint_lease.STALE_S - 1
    os.utime(shared.with_name(shared.name + ".d") / "11", (long_ago, long_ago))
    alive.hold(["http://b:1/v1"])
    assert listed(shared) == ["http://b:1/v1"]
    dead.hold(["http://a:1/v1"])
    assert listed(shared) == ["http://a:1/v1", "http://b:1/v1"]


def test_an_overwritten_list_is_mended_by_the_next_round(shared):
    first, second = EndpointLease(shared, "11"), EndpointLease(shared, "12")
    first.hold(["http://a:1/v1"])
    stale = shared.read_text()
    second.hold(["http://b:1/v1"])
    shared.write_text(stale)  # as if the first had merged before the second, and written after it
    first.hold(["http://a:1/v1"])
    assert listed(shared) == ["http://a:1/v1", "http://b:1/v1"]


def test_many_at_once_agree_in_the_end(shared):
    leases = [EndpointLease(shared, str(number)) for number in range(8)]

    def hold(lease):
        for _ in range(20):
            lease.hold([f"http://{lease.owner}:1/v1"])
            listed(shared)  # never cut, never gone

    threads = [threading.Thread(target=hold, args=[lease]) for lease in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    leases[0].hold(["http://0:1/v1"])
    assert sorted(listed(shared)) == [f"http://{number}:1/v1" for number in range(8)]
