"""The verification service: the engine behind HTTP, on Ray Serve."""
