"""The toll authority's accounts: it issues tokens, and keeps its own book of them."""

from __future__ import annotations

import secrets
import threading


class Refused(Exception):
    """The authority refuses what it was given."""


class Expired(Exception):
    """The token was used as often as it may, or is not the last one."""


class Throttled(Exception):
    """The account has used up its quota; `seconds` until the next one."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"quota used up for {seconds:g} seconds")
        self.seconds = seconds


class Authority:
    """OAuth with refresh tokens that are replaced at each use. One thread at a time.

    issued      every refresh token of an account, the last one at the end
    refused     refreshes with a token that was not the last one
    uses        how many bills are cleared with one token; None: any number
    throttled   seconds for which an account gets nothing cleared
    cleared     the account by which each message was cleared
    """

    def __init__(self, uses: int | None = None) -> None:
        self._lock = threading.Lock()
        self._used: dict[str, int] = {}
        self.uses = uses
        self.throttled: dict[str, float] = {}
        self.cleared: dict[str, str] = {}
        self.requests = 0
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

    def clear(self, account: str, token: str, message: str) -> None:
        """Clear a bill. Raises Expired, Throttled; ValueError if it was cleared before."""
        with self._lock:
            self.requests += 1
            used = self._used.get(token, 0)
            known = account not in self.withdrawn and token == self.issued[account][-1]
            if not known or used == self.uses:
                raise Expired
            if account in self.throttled:
                raise Throttled(self.throttled[account])
            if message in self.cleared:
                raise ValueError(f"{message} was cleared before")
            self._used[token] = used + 1
            self.cleared[message] = account

    def _issue(self, account: str) -> str:
        token = secrets.token_hex(16)
        self.issued.setdefault(account, []).append(token)
        return token
