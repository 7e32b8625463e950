"""Sites on loopback for tests: real HTTP, whose answers a function gives; or a slow server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


@contextmanager
def sending(answer: bytes) -> Iterator[str]:
    """The address of a server that answers each request with some bytes, and hangs up."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    connection.recv(1 << 16)
                    connection.sendall(answer)

    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


_MOST_DRIPS = 2000
"""Then the server gives up, so that a reader without a limit ends, too."""


@contextmanager
def dripping(start: bytes) -> Iterator[str]:
    """The address of a server that answers with a start at once, and then a byte now and then."""
    is_over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.sendall(start)
            for _ in range(_MOST_DRIPS):
                if is_over.wait(0.01):
                    return
                connection.sendall(b"x")

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=drip, args=listener.accept()[:1], daemon=True).start()

    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        is_over.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)
