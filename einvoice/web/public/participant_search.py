"""GET /api/participants/search: participants by name or number, here and in networks."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.roles import Role
from einvoice.services.directory import number_search, participant_search
from einvoice.services.directory.number_search import NumberTerms
from einvoice.services.directory.participant_search import (
    SearchedSource,
    SearchTerms,
)
from einvoice.web import credentials, paging
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.public.participant_search_schemas import (
    DEFAULT_HITS,
    ParticipantSearchQuery,
    ParticipantSearchResponse,
)
from einvoice.web.runtime import runtime

family = Family(
    "participant_search",
    __name__,
    url_prefix="/api",
    credential=credentials.key_or_session,
    tag="Participants",
)

_QUERY = ParticipantSearchQuery()


@family.route("/participants/search", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": ParticipantSearchQuery}])
@family.response(200, ParticipantSearchResponse())
def search_participants() -> Sequence[SearchedSource]:
    """Search participants by name or number: customers, suppliers, and directories of networks.

    Of customers and suppliers, those with a participant id are found. Networks are searched where
    they offer it; one that does not answer is `unavailable` beside the hits of the others. Each
    source has at most `limit` hits, and `hasMore` where a longer name would find others.

    By `taxId`, a VAT or company number, networks are asked for the ids that companies of its
    country are registered by; each that is registered is a hit with its document types.
    """
    credentials.require("participants:read")
    query = paging.read_query(_QUERY)
    name, number = query.get("name"), query.get("taxId")
    if (name is None) == (number is None):
        message = "is needed, or taxId, and not both"
        raise InvalidField([FieldError("/name", "required", message)])
    country, limit = query.get("country"), query.get("limit", DEFAULT_HITS)
    points, reader = runtime().access_points, credentials.reader()
    with slots.released():
        if number is not None:
            return number_search.search(reader, NumberTerms(number, country, limit), points)
        return participant_search.search(reader, SearchTerms(query["name"], country, limit), points)
