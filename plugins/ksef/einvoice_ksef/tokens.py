"""The names under which a connection stores its tokens, when they end, and the session secret."""

from __future__ import annotations

from typing import Final

# Members of the credentials.
ACCESS: Final = "accessToken"
REFRESH: Final = "refreshToken"
SECRET: Final = "sessionSecret"  # noqa: S105 - a name
# Members of the state.
ACCESS_ENDS: Final = "accessEnds"
REFRESH_ENDS: Final = "refreshEnds"
ENDS: Final = "ends"  # of the credentials
