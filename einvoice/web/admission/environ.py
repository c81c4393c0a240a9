"""Keys of the WSGI environment of a server that receives bodies itself (web/serving/intake)."""

from __future__ import annotations

# The refusal that answers the request.
REFUSAL = "einvoice.refusal"
# The whole body has arrived.
ARRIVED = "einvoice.arrived"
# The name of the caller (web/admission/callers).
CALLER = "einvoice.caller"
# The function that counts the bytes to which a compressed body is inflated.
GROWN = "einvoice.grown"
# The function that gets a compressed body when it is inflated (web/answered_posts).
INFLATED = "einvoice.inflated"
# The spool of a large body of an endpoint (web/admission/spools).
SPOOL = "einvoice.spool"
# The group of the request has taken the slots for it (web/serving/grouped_sends).
GROUPED = "einvoice.grouped"
