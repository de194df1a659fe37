"""Prints SLURM's names of the nodes that the Ray cluster at RAY_ADDRESS counts as alive.

A process of its own: connecting to a head that is not there yet, or that refuses, may take any time.
"""

from scopeif.launch.ray_node import NODE_LABEL

if __name__ == "__main__":
    import ray

    ray.init(log_to_driver=False, logging_level="CRITICAL")
    print(*(node["Labels"].get(NODE_LABEL, "") for node in ray.nodes() if node["Alive"]))
