"""The data of a tenant at the console: exports, whose files need a reason, and its purge."""

from __future__ import annotations

from flask import Response

from einvoice import clock
from einvoice.services.console import tenants as console
from einvoice.services.tenant_data import export_jobs, purge
from einvoice.web.operator import data, pages
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_data_pages", __name__, "/tenants/<tenant>")

_PAGE = "operator_data_pages.show_data"


@family.page("/data")
def show_data(tenant: str) -> Response:
    """The exports of a tenant, and what stands in the way of its purge."""
    return pages.render(
        "operator/data.html",
        found=console.get(tenant),
        exports=export_jobs.newest(tenant),
        prospect=purge.prospect(tenant, runtime().settings),
        now=clock.now(),
    )


@family.page("/exports", methods=["POST"])
def request_export(tenant: str) -> Response:
    """Request an export."""
    export_jobs.request(tenant, runtime().settings)
    return pages.redirect_to(_PAGE, "exported", tenant=tenant)


@family.page("/exports/<export_id>/file", methods=["POST"])
def download_export(tenant: str, export_id: str) -> Response:
    """The file of an export, whose reason is written into the tenant's audit log."""
    return data.export_file(tenant, export_id, pages.reason())


@family.page("/purge", methods=["POST"])
def purge_tenant(tenant: str) -> Response:
    """Begin the purge of a closed tenant, once its id is typed in."""
    data.begin_purge(tenant, pages.field("confirm"))
    return pages.redirect_to(_PAGE, "purged", tenant=tenant)
