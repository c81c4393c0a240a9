"""What modules log, whatever level and output an application of another test has set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from unittest import mock

import structlog


@contextmanager
def captured(*modules: ModuleType) -> Iterator[list[structlog.typing.EventDict]]:
    """The lines of the modules' `log`, of all levels."""
    capture = structlog.testing.LogCapture()
    own = structlog.wrap_logger(
        None,
        processors=[capture],
        wrapper_class=structlog.make_filtering_bound_logger(0),
        context_class=dict,
    )
    with ExitStack() as stack:
        for module in modules:
            stack.enter_context(mock.patch.object(module, "log", own))
        yield capture.entries
