"""Between a client and a server: a connection that is lost after so many bytes of the server."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Cutting:
    """Relays one connection after the other. `after`: bytes until it is cut; None: never."""

    def __init__(self, port: int) -> None:
        self._to = port
        self.after: int | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def stop(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            threading.Thread(target=_passed, args=(client, server, None), daemon=True).start()
            threading.Thread(target=_passed, args=(server, client, self.after), daemon=True).start()


def _passed(source: socket.socket, target: socket.socket, most: int | None) -> None:
    """Pass bytes on until the end, or until so many were passed; then close both."""
    with suppress(OSError):
        while most is None or most > 0:
            got = source.recv(65536 if most is None else min(65536, most))
            if not got:
                break
            target.sendall(got)
            most = None if most is None else most - len(got)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
