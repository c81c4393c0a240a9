"""GET /v1/countries: the mandates for electronic invoices, by country."""

from __future__ import annotations

import hashlib

from flask import Response, request

from einvoice.services import compliance
from einvoice.web import credentials, paging, responses
from einvoice.web.api import Family
from einvoice.web.runtime import runtime
from einvoice.web.submission.country_schemas import CountryList, CountryQuery

family = Family(
    "compliance", __name__, url_prefix="/v1", credential=credentials.bearer, tag="Countries"
)

ONE_DAY = "private, max-age=86400"


_QUERY, _LIST = CountryQuery(), CountryList()


@family.route("/compliance/countries")
@family.doc(parameters=[{"in": "query", "schema": CountryQuery}])
@family.reads_headers("If-None-Match")
@family.response(200, _LIST)
def list_countries() -> Response:
    """List countries with their mandates, formats and networks; may be cached for a day.

    Each fact has its source and the day on which it was checked. It is not legal advice.
    """
    asked = paging.read_query(_QUERY)
    points = runtime().access_points
    networks = {point.network for point in points}
    found = compliance.list_countries(networks, asked.get("countryCode"), asked.get("network"))
    response = responses.json_response(_LIST.write(list(found)))
    response.headers["Cache-Control"] = ONE_DAY
    response.headers["Vary"] = "Authorization"
    response.set_etag(hashlib.sha256(response.get_data()).hexdigest()[:32])
    response.make_conditional(request)
    return response
