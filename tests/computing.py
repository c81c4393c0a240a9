"""Computations without child processes, for tests that look at something else."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from einvoice.domain.errors import RequestRefused
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.process import ProcessLimits
from einvoice.web.admission import slots


class InProcess(Computing):
    """Computes in the test's process. Arguments, results and refusals are pickled all the same."""

    def __init__(self) -> None:
        limits = ProcessLimits(2**31, 60.0, 60.0)
        super().__init__(limits, wait=60.0, slot=slots)

    def _compute(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        assert function.__module__.startswith("einvoice.")
        try:
            return _copied(function(*_copied(arguments)))
        except RequestRefused as refusal:
            raise _copied(refusal) from None


def _copied(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))
