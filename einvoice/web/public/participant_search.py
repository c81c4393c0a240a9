"""GET /api/participants/search: participants by name, in the directory and in networks."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.roles import Role
from einvoice.services.directory import participant_search
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
    """Search participants by name: customers, suppliers, and directories of networks.

    Of customers and suppliers, those with a participant id are found. Networks are searched where
    they offer it; one that does not answer is `unavailable` beside the hits of the others. Each
    source has at most `limit` hits, and `hasMore` where a longer name would find others.
    """
    credentials.require("participants:read")
    query = paging.read_query(_QUERY)
    terms = SearchTerms(query["name"], query.get("country"), query.get("limit", DEFAULT_HITS))
    with slots.released():
        return participant_search.search(credentials.reader(), terms, runtime().access_points)
