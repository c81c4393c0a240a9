"""Messages between a process and its computing child: pickles after their length, on a socket."""

from __future__ import annotations

import pickle
import socket
import struct
from dataclasses import dataclass
from typing import Any

from einvoice import clock

_LENGTH = struct.Struct("!Q")
_CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Call:
    """A function by its module and name, and its arguments."""

    module: str
    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """The result or error of the function, and the memory of the process in bytes.

    `out_of_memory`: it did not end because the limit of memory was reached.
    """

    value: Any = None
    raised: Exception | None = None
    out_of_memory: bool = False
    resident_bytes: int = 0


class ComputationFailed(RuntimeError):
    """A computation raised what is no refusal, so it has a defect; the text is its traceback."""


class Closed(Exception):
    """The other side has closed the socket, or has ended."""


def send(connection: socket.socket, message: object, deadline: float | None = None) -> None:
    """Send a message. Raises Closed, and TimeoutError at the deadline (of `clock.monotonic`)."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    connection.settimeout(_seconds_until(deadline))
    try:
        connection.sendall(_LENGTH.pack(len(data)))
        connection.sendall(data)
    except (BrokenPipeError, ConnectionResetError) as fault:
        raise Closed from fault


def receive(connection: socket.socket, deadline: float | None = None) -> Any:
    """The next message. Raises Closed, and TimeoutError at the deadline (of `clock.monotonic`)."""
    (length,) = _LENGTH.unpack(_read(connection, _LENGTH.size, deadline))
    return pickle.loads(_read(connection, length, deadline))  # noqa: S301 - of our own processes


def _read(connection: socket.socket, length: int, deadline: float | None) -> bytearray:
    data = bytearray()
    while len(data) < length:
        connection.settimeout(_seconds_until(deadline))
        try:
            part = connection.recv(min(length - len(data), _CHUNK_BYTES))
        except ConnectionResetError as fault:
            raise Closed from fault
        if not part:
            raise Closed
        data += part
    return data


def _seconds_until(deadline: float | None) -> float | None:
    """Raises TimeoutError if it has passed."""
    if deadline is None:
        return None
    seconds = deadline - clock.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds
