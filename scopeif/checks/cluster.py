"""The Ray cluster that the config names: reachable, with enough nodes and GPUs."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator

from scopeif.checks.finding import Finding, fault, ok, warning
from scopeif.checks.subject import Subject
from scopeif.training.own_ray import ray_address

_CONNECT_S, _TIMEOUT_S = 5, 60
# In a process of its own: a connection that hangs can be ended, and this process stays without Ray.
_ASK = """
import json, sys, ray
ray.init(address=sys.argv[1], logging_level="ERROR", log_to_driver=False)
print(json.dumps([node["Resources"] for node in ray.nodes() if node["Alive"]]))
"""


def check_cluster(subject: Subject) -> Iterator[Finding]:
    """Nodes and GPUs against what the trainer asks for."""
    if subject.own_cluster:
        nodes = subject.config.trainer.nnodes
        if nodes > 1:
            text = f"a Ray of the run's own has this one node, {nodes} are needed"
            fix = "launch/train.sbatch starts one on all nodes of a job; or name a cluster's address"
            yield warning("Ray", text, fix)
        else:
            yield ok("Ray", "the run starts its own")
        return
    address = ray_address(subject.config)
    fix = "start it (ray start --head, see docs/cluster.md), or name no address (ray_kwargs.ray_init, RAY_ADDRESS)"
    host, _, port = address.rpartition("/")[2].rpartition(":")
    if port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()
        except OSError as error:
            yield fault("Ray", f"{address}: {error}", fix)
            return
    try:
        done = subprocess.run(
            [sys.executable, "-c", _ASK, address], capture_output=True, text=True, timeout=_TIMEOUT_S, check=True
        )
    except subprocess.TimeoutExpired:
        yield fault("Ray", f"{address} does not answer within {_TIMEOUT_S} s", fix)
        return
    except subprocess.CalledProcessError as error:
        yield fault("Ray", f"{address}: {error.stderr.strip().splitlines()[-1]}", fix)
        return
    nodes = json.loads(done.stdout.splitlines()[-1])
    trainer = subject.config.trainer
    fit = [node for node in nodes if node.get("GPU", 0) >= trainer.n_gpus_per_node]
    text = f"{len(nodes)} nodes, {len(fit)} of them with {trainer.n_gpus_per_node} GPUs or more"
    if len(fit) < trainer.nnodes:
        yield fault(
            "Ray", f"{address}: {text}; {trainer.nnodes} are needed", "wait for the other nodes, or ask for fewer"
        )
    else:
        yield ok("Ray", f"{address}: {text}")
