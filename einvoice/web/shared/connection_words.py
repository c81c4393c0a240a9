"""The meaning of a connection's state for people, and the next step, by language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from einvoice.domain.connections import State


def meaning(state: State, language: str) -> str:
    """The meaning of the state, in a sentence."""
    return _words()[language]["state"][state]


def next_step(state: State, language: str) -> str:
    """The next step, in a sentence."""
    return _words()[language]["next"][state]


@cache
def _words() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    text = resources.files(__package__).joinpath("connection_words.toml").read_text("utf-8")
    return tomllib.loads(text)
