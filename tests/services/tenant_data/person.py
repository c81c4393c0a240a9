"""A person who reads everything that the API says of a tenant."""

from __future__ import annotations

import copy
from typing import Any

from flask import Flask

from einvoice.domain.roles import Role
from tests.web.dashboard import Dashboard


class Person:
    """What the API says to a person of the tenant, without what names the host."""

    def __init__(self, app: Flask, tenant: str) -> None:
        self._of = Dashboard(app, tenant, role=Role.OWNER)

    def says(self, path: str) -> Any:
        answer = self._of.get(path)
        assert answer.status_code == 200, answer.text
        return copy.deepcopy(answer.json) if answer.is_json else answer.data

    def everything(self) -> dict[str, Any]:
        """Answers by path: lists, and of each document its details and artefacts."""
        lists = (
            "/api/invoices?limit=200&include=total",
            "/api/customers",
            "/api/suppliers",
            "/api/tenant",
            "/api/participants",
            "/api/events?limit=200",
            "/api/usage",
            "/api/drafts",
        )
        found = {path: self.says(path) for path in lists}
        for item in found[lists[0]]["items"]:
            base = f"/api/invoices/{item['invoiceId']}"
            found[base] = self.says(base)
            found[f"{base}/artefacts"] = self.says(f"{base}/artefacts")
            for artefact in found[f"{base}/artefacts"]["items"]:
                path = f"{base}/artefacts/{artefact['artefactId']}"
                found[path] = self.says(path)
        for item in found["/api/drafts"]["items"]:
            path = f"/api/drafts/{item['draftId']}"
            found[path] = self.says(path)
        for answer in found.values():
            if isinstance(answer, dict):
                answer.pop("nextCursor", None)
        return found
