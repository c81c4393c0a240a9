"""A family of endpoints: a blueprint that says which credential it demands."""

from __future__ import annotations

from flask_smorest import Blueprint

from einvoice.web.credentials import Credential


class Family(Blueprint):  # type: ignore[misc]
    """A smorest blueprint whose every route first asks for the family's credential."""

    def __init__(self, name: str, import_name: str, *, credential: Credential, **rest: str) -> None:
        super().__init__(name, import_name, **rest)
        self.credential = credential
        self.before_request(credential)
