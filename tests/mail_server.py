"""A mail server on loopback that answers what a test says: real sockets, no delivery.

`replies` has, by command (CONNECT, EHLO, MAIL, RCPT, DATA, END), the lines to answer in place of
the usual ones; CLOSE ends the connection and SILENCE answers nothing.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

CLOSE, SILENCE = "close", "silence"
USUAL = {
    "CONNECT": "220 stand-in",
    "EHLO": "250-stand-in\r\n250-SIZE 1000000\r\n250 DSN",
    "MAIL": "250 2.1.0 ok",
    "RCPT": "250 2.1.5 ok",
    "DATA": "354 go on",
    "END": "250 2.0.0 queued as 17",
    "QUIT": "221 bye",
}


@dataclass
class MailServer:
    """What the server was given: `commands` line by line, and whole messages."""

    port: int
    replies: Mapping[str, str]
    commands: list[str] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"


@contextmanager
def mail_server(**replies: str) -> Iterator[MailServer]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = MailServer(listener.getsockname()[1], {**USUAL, **replies})
    over = threading.Event()
    thread = threading.Thread(target=_serve, args=(listener, server, over), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        over.set()
        with socket.create_connection(("127.0.0.1", server.port)):
            pass
        thread.join(10)
        listener.close()


def _serve(listener: socket.socket, server: MailServer, over: threading.Event) -> None:
    while True:
        connection, _ = listener.accept()
        with connection:
            if over.is_set():
                return
            connection.settimeout(10)
            try:
                _converse(connection, server)
            except OSError:
                continue


def _converse(connection: socket.socket, server: MailServer) -> None:
    with connection.makefile("rb") as lines:
        if not _answer(connection, server.replies["CONNECT"]):
            return
        while line := lines.readline():
            server.commands.append(line.decode().strip())
            command = line.split()[0].decode().upper()
            reply = server.replies.get(command, "500 what")
            if not _answer(connection, reply):
                return
            if command == "DATA" and reply.startswith("354"):
                content = b""
                while not content.endswith(b"\r\n.\r\n"):
                    if not (part := lines.readline()):
                        return
                    content += part
                server.messages.append(content.removesuffix(b".\r\n"))
                if not _answer(connection, server.replies["END"]):
                    return


def _answer(connection: socket.socket, reply: str) -> bool:
    """Answer; whether the connection goes on."""
    if reply == SILENCE:
        return True
    if reply == CLOSE:
        return False
    connection.sendall(f"{reply}\r\n".encode())
    return True
