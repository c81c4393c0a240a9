"""GET /api/credential: what the key or token of the request may do."""

from __future__ import annotations

from einvoice.services.principal import Principal
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.public.own_credential_schemas import OwnCredential

family = Family(
    "own_credential", __name__, url_prefix="/api", credential=credentials.api_key, tag="Keys"
)


@family.route("/credential")
@family.response(200, OwnCredential())
def get_own_credential() -> Principal:
    """Get environment and rights of the key or token of this request.

    It needs no scope: a program sees with it which of its functions can work.
    """
    return credentials.principal()
