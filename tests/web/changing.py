"""Bodies with one value changed."""

from __future__ import annotations

import copy
from typing import Any


def change(body: Any, path: str, value: Any) -> Any:
    """A copy of the body with one value replaced; `...` removes it."""
    body = copy.deepcopy(body)
    *way, last = path.split(".")
    target = body
    for step in way:
        target = target[int(step) if step.isdigit() else step]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return body
