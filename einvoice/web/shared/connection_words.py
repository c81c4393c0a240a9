"""What the state of a connection means for people, and what to do next, by language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from einvoice.domain.connections import State


def meaning(state: State, language: str) -> str:
    """What the state means, in a sentence."""
    return _words()[language]["state"][state]


def next_step(state: State, language: str) -> str:
    """What to do next, in a sentence."""
    return _words()[language]["next"][state]


@cache
def _words() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    text = resources.files(__package__).joinpath("connection_words.toml").read_text("utf-8")
    return tomllib.loads(text)
