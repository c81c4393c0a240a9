"""GET /v1/countries: the mandates for electronic invoices, by country."""

from __future__ import annotations

import hashlib
from typing import Any

from flask import Response, request

from einvoice.services import compliance
from einvoice.services.compliance import ListedCountry
from einvoice.web import credentials, paging, responses
from einvoice.web.api import Family
from einvoice.web.runtime import runtime
from einvoice.web.submission.country_schemas import CountryList, CountryQuery

family = Family(
    "compliance", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Countries"
)

ONE_DAY = "private, max-age=86400"


_QUERY = CountryQuery()


@family.route("/compliance/countries")
@family.doc(parameters=[{"in": "query", "schema": CountryQuery}])
@family.reads_headers("If-None-Match")
@family.response(200, CountryList())
def list_countries() -> Response:
    """List countries with their mandates, formats and networks; may be cached for a day.

    Each fact has its source and the day on which it was checked. It is not legal advice.
    """
    asked = paging.read_query(_QUERY)
    points = runtime().access_points
    networks = {point.network for point in points}
    found = compliance.list_countries(networks, asked.get("countryCode"), asked.get("network"))
    body = {"items": [_country(one) for one in found], "provider": responses.provider()}
    response = responses.json_response(body)
    response.headers["Cache-Control"] = ONE_DAY
    response.headers["Vary"] = "Authorization"
    response.set_etag(hashlib.sha256(response.get_data()).hexdigest()[:32])
    response.make_conditional(request)
    return response


def _country(listed: ListedCountry) -> dict[str, Any]:
    country = listed.country
    return {
        "countryCode": country.code,
        "name": country.name,
        "mandates": [
            {
                "mandateId": mandate.id,
                "type": mandate.type,
                "status": mandate.status.value,
                "voluntary": mandate.voluntary,
                "effectiveDate": mandate.since.isoformat() if mandate.since else None,
                "network": mandate.network,
                "formats": list(mandate.formats),
                "schemes": list(mandate.schemes),
                "supported": mandate.id in listed.supported,
                "notes": mandate.notes,
                "sourceUrl": country.url,
                "checkedAt": country.checked.isoformat(),
                "confidence": country.confidence.value,
            }
            for mandate in country.mandates
        ],
    }
