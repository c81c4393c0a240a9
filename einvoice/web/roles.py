"""The least role for each route of people, as the route declares it.

    @family.route("/tenant/logo", methods=["PUT"], least=Role.ADMIN)

Viewers read, members work with invoices and the directory, administrators change the account and
what gives others access (keys, webhooks, participants, connections).
"""

from __future__ import annotations

from einvoice.domain.roles import Role

# Endpoint → least role; filled by `Family.route`.
LEAST: dict[str, Role] = {}


class RoleUndeclared(Exception):
    """A route that takes session tokens declares no role, or one that takes none declares one."""
