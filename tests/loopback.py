"""A site on loopback for tests: real HTTP, whose answers a function gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sculpt.interchange.access import Response


@contextmanager
def served(answer: Callable[[str], Response]) -> Iterator[str]:
    """The address of a site whose paths, queries included, are answered by `answer`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            response = answer(self.path)
            self.send_response(response.status)
            self.send_header("Content-Length", str(len(response.body)))
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
