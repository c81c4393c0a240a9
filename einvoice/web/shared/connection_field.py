"""The member of a send that names the connection, the same in both families."""

from __future__ import annotations

from einvoice.web.fields import Id


def connection_field() -> Id:
    return Id(
        "Id of the connection to send by, at a network that needs an account; needed only where "
        "several can be used and none is for the seller's tax number.",
        max_length=40,
        example="5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
    )
