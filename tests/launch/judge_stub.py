"""A stand-in for `vllm serve`: health and metrics on a port. Named files change what it does.

python judge_stub.py FOLDER PORT ...      FOLDER/PORT.args    what it was started with, and its GPUs
                                          FOLDER/sick         while it exists, health is refused
                                          FOLDER/busy         while it exists, it holds a request
                                          FOLDER/broken       when it exists at the start, it ends at once
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

folder, port = Path(sys.argv[1]), int(sys.argv[2])


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/metrics":
            running = 1.0 if (folder / "busy").exists() else 0.0
            text = f'vllm:num_requests_running{{engine="0"}} {running}\nvllm:num_requests_waiting{{engine="0"}} 0.0\n'
            self.answer(200, text)
        else:
            self.answer(503 if (folder / "sick").exists() else 200, "")

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


if (folder / "broken").exists():
    sys.exit("RuntimeError: the stub is broken")
server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
(folder / f"{port}.args").write_text("\n".join([os.environ["CUDA_VISIBLE_DEVICES"], str(os.getpid()), *sys.argv[3:]]))
server.serve_forever()
