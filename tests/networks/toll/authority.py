"""The toll authority's accounts: it issues tokens, and keeps its own book of them."""

from __future__ import annotations

import secrets
import threading


class Refused(Exception):
    """The authority refuses what it was given."""


class Authority:
    """OAuth with refresh tokens that are replaced at each use. One thread at a time.

    issued   every refresh token of an account, the last one at the end
    refused  refreshes with a token that was not the last one
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._codes: dict[str, str] = {}
        self.issued: dict[str, list[str]] = {}
        self.refused: list[str] = []
        self.withdrawn: set[str] = set()

    def consent(self, account: str) -> str:
        """The code with which the browser of a person comes back."""
        code = secrets.token_hex(8)
        self._codes[code] = account
        return code

    def exchange(self, code: str) -> str:
        """The first refresh token for a code, which is used once."""
        with self._lock:
            account = self._codes.pop(code, None)
            if account is None:
                raise Refused("invalid_grant")
            self.withdrawn.discard(account)
            return self._issue(account)

    def refresh(self, account: str, token: str) -> str:
        """The next refresh token, for the last one."""
        with self._lock:
            if account in self.withdrawn or token != self.issued.get(account, [""])[-1]:
                self.refused.append(token)
                raise Refused("invalid_grant")
            return self._issue(account)

    def _issue(self, account: str) -> str:
        token = secrets.token_hex(16)
        self.issued.setdefault(account, []).append(token)
        return token
