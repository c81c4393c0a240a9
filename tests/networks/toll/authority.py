"""The toll authority's accounts: it issues tokens, and keeps its own book of them."""

from __future__ import annotations

import hashlib
import secrets
import threading
from dataclasses import dataclass


class Refused(Exception):
    """The authority refuses what it was given."""


class Expired(Exception):
    """The token was used as often as it may, or is not the last one."""


class Throttled(Exception):
    """The account has used up its quota; `seconds` until the next one."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"quota used up for {seconds:g} seconds")
        self.seconds = seconds


@dataclass(frozen=True)
class Link:
    """The place of a bill in the chain of its unit."""

    unit: str
    counter: int
    previous: str
    digest: str

    @classmethod
    def after(cls, last: Link | None, unit: str, document: bytes) -> Link:
        """The link of the next bill of the unit; `last`: None for the first."""
        counter, previous = (last.counter + 1, last.digest) if last else (1, "")
        whole = f"{unit} {counter} {previous} ".encode() + document
        return cls(unit, counter, previous, hashlib.sha256(whole).hexdigest())

    def follows(self, last: Link | None) -> bool:
        expected = (last.counter + 1, last.digest) if last else (1, "")
        return (self.counter, self.previous) == expected


class Authority:
    """OAuth with refresh tokens that are replaced at each use. One thread at a time.

    issued      every refresh token of an account, the last one at the end
    refused     refreshes with a token that was not the last one
    uses        how many bills are cleared with one token; None: any number
    throttled   seconds for which an account gets nothing cleared
    cleared     the account by which each message was cleared
    chains      the links of each account and unit, in the order of their bills
    faults      bills that were not the next of their chain
    """

    def __init__(self, uses: int | None = None) -> None:
        self._lock = threading.Lock()
        self._used: dict[str, int] = {}
        self.uses = uses
        self.throttled: dict[str, float] = {}
        self.cleared: dict[str, str] = {}
        self.chains: dict[tuple[str, str], list[Link]] = {}
        self.faults: list[Link] = []
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

    def clear(self, account: str, token: str, message: str, link: Link | None = None) -> None:
        """Clear a bill. Raises Expired, Throttled; ValueError if it was cleared before, or is not
        the next of its chain."""
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
            if link is not None:
                self._append(account, link)
            self._used[token] = used + 1
            self.cleared[message] = account

    def knows(self, message: str) -> bool:
        """Whether a message was cleared."""
        return message in self.cleared

    def _append(self, account: str, link: Link) -> None:
        chain = self.chains.setdefault((account, link.unit), [])
        if not link.follows(chain[-1] if chain else None):
            self.faults.append(link)
            raise ValueError(f"{link.counter} is not the next bill of {link.unit}")
        chain.append(link)

    def _issue(self, account: str) -> str:
        token = secrets.token_hex(16)
        self.issued.setdefault(account, []).append(token)
        return token
