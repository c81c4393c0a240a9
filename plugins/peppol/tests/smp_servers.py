"""The SMP of the practice network for tests, with answers that no good SMP gives."""

from __future__ import annotations

from contextlib import contextmanager

from einvoice_peppol.practice.smp import (
    IDS,
    SMP,
    Publisher,
    endpoint,
    group,
    information,
    path_of,
    served,
    signed,
)

__all__ = [
    "IDS",
    "SMP",
    "endpoint",
    "group",
    "information",
    "path_of",
    "redirect",
    "serving",
    "signed",
]


class _Recorded(Publisher):
    """`asked`: the paths that were requested."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def answer(self, path):
        self.asked.append(path)
        return super().answer(path)


@contextmanager
def serving():
    """A server with `put(path, body)`, `url` and `asked`, the paths that were requested."""
    with served(_Recorded()) as server:
        yield server


def redirect(address, uid):
    return f'<Redirect href="{address}"><CertificateUID>{uid}</CertificateUID></Redirect>'
