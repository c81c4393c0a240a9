"""Converting a document or the body of a send to UBL or CII, without storing anything."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.request import SendRequest
from einvoice.network.access_points import PEPPOL
from einvoice.services.computing.sizes import is_large
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import judging
from einvoice.services.send.check import profile_of
from einvoice.services.send.conversion import Conversion, convert_document, convert_request
from einvoice.services.send.defaults import defaults_of
from einvoice.services.send.submission import Submission

# A conversion reads, writes and compares a document several times: it takes about so many times as
# long as reading and judging it.
TIMES = 6


def convert(submission: Submission, to: str | None, who: Principal, runtime: Runtime) -> Conversion:
    """A document in the syntax, by default in the other one than its own.

    Raises UnreadableDocument, InvalidField for a contradiction to the request;
    ComputingUnavailable and ComputationTooLarge for a large document.
    """
    forms = runtime.forms.of(submission.network)
    submission = judging.opened_submission(submission, who.tenant_id, runtime.computing)
    on = submission.on or clock.today()
    large = is_large(submission.content, TIMES)
    run = runtime.computing.run_by_size
    return run(who.tenant_id, large, convert_document, submission, to, on, forms)


def convert_send(
    request: SendRequest, to: str, who: Principal, runtime: Runtime, language: str
) -> Conversion:
    """The document that a send would write, in the syntax. `language`: of the findings.

    Raises what `convert_request` raises; ComputingUnavailable and ComputationTooLarge for a large
    one.
    """
    defaults = defaults_of(who, request, runtime)
    forms = runtime.forms.of(request["routing"].network or PEPPOL)
    profile = profile_of(request, forms, who, runtime).name
    large, today = judging.is_large_send(request, TIMES), clock.today()
    run, own = runtime.computing.run_by_size, who.tenant_id
    return run(own, large, convert_request, request, defaults, to, today, language, forms, profile)
