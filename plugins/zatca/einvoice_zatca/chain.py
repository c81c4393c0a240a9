"""The chain of a unit: counter and hash of its last document, in the state of the connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.stamp import Stamped

_COUNTER, _HASH = "counter", "lastHash"
KEY: Final = "chain"


@dataclass(frozen=True, slots=True)
class Chain:
    """The last link. A document that was prepared has its place, whatever becomes of it."""

    counter: int = 0
    hash: str = FIRST_HASH

    @classmethod
    def of(cls, state: Mapping[str, str]) -> Chain:
        """The chain in a state. Raises ValueError for a state with only a part of it."""
        if _COUNTER not in state and _HASH not in state:
            return cls()
        if _COUNTER not in state or _HASH not in state:
            raise ValueError("the state of the unit has only a part of its chain")
        return cls(int(state[_COUNTER]), state[_HASH])

    def after(self, made: Stamped) -> Chain:
        return Chain(made.counter, made.hash)

    def in_state(self, state: Mapping[str, str]) -> dict[str, str]:
        return {**state, _COUNTER: str(self.counter), _HASH: self.hash}
