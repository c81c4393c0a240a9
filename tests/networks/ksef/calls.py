"""One request as the handlers of the stand-in see it, and the table of its routes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.networks.ksef.answers import Refused
from tests.networks.ksef.callers import Login
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

READ: Final = ("InvoiceRead",)
WRITE: Final = ("InvoiceWrite", "PefInvoiceWrite", "EnforcementOperations")
STATUS: Final = ("InvoiceWrite", "Introspection", "PefInvoiceWrite", "EnforcementOperations")


@dataclass
class Request:
    """A request. `login` is that of its Bearer token, of calls that need one."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case
    body: bytes = b""
    ip: str = "127.0.0.1"
    params: Mapping[str, str] = field(default_factory=dict)
    caller: Login | None = None

    @property
    def bearer(self) -> str:
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() == "bearer" else ""

    @property
    def login(self) -> Login:
        assert self.caller is not None, "the route has no Bearer token"
        return self.caller

    def json(self) -> dict[str, Any]:
        """The object in the body. Raises Refused."""
        try:
            values = json.loads(self.body)
        except ValueError as fault:
            raise Refused(21405, f"Treść żądania nie jest poprawnym JSON: {fault}") from fault
        if not isinstance(values, dict):
            raise Refused(21405, "Treść żądania nie jest obiektem.")
        return values


def member(values: Mapping[str, Any], path: str, kind: type = str, *, needed: bool = True) -> Any:
    """A member of a request by its path with dots. Raises Refused."""
    found: Any = values
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    if found is None and not needed:
        return None
    if not isinstance(found, kind) or isinstance(found, bool) is not (kind is bool):
        raise Refused(21405, f"Pole '{path}' jest wymagane i ma typ {kind.__name__}.")
    return found


Handler = Callable[["Authority", Request], Answer]


@dataclass(frozen=True)
class Route:
    """A call: which token it needs, which of the permissions, and what it counts as."""

    method: str
    template: str
    handler: Handler
    bearer: str | None = "access"
    group: str = "other"
    any_of: tuple[str, ...] = ()
    sandbox: bool = False

    @property
    def name(self) -> str:
        return f"{self.method} {self.template}"

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.template))
