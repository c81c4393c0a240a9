"""The hierarchy of refusals. Each class has a permanent slug.

One table of the web layer maps a slug to its HTTP status and title; the layers below know nothing
of HTTP. `extras()` are the additional members of the problem document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Self

from einvoice.domain.bounds import MAX_LISTED, listed
from einvoice.domain.roles import Role


class RequestRefused(Exception):
    """An error that the caller can correct. The message is for the person who sent the request."""

    slug = "invalid-field"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    def extras(self) -> Mapping[str, object]:
        """Members of the problem document beyond type, title, status and detail."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its attributes: a computing process raises refusals in its parent."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[RequestRefused], arguments: tuple[Any, ...], state: dict[str, Any]
) -> RequestRefused:
    refusal = kind.__new__(kind, *arguments)
    refusal.__dict__.update(state)
    return refusal


@dataclass(frozen=True, slots=True)
class Phrase:
    """A message by its name, with the values of its places, for readers of other languages."""

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
    hint: Phrase | None = None


@dataclass(frozen=True, slots=True)
class FieldError:
    """One invalid field: its JSON pointer (RFC 6901), a stable code, and a message in English.

    phrase  the same message for readers of other languages, where it has a name
    """

    pointer: str
    code: str
    message: str
    phrase: Phrase | None = field(default=None, compare=False)


class InvalidBody(RequestRefused):
    """The body is not a JSON object (decisions 19.2)."""

    slug = "invalid-body"


class UnreadableDocument(InvalidBody):
    """An XML document that holds no invoice: `path` and `line` of the element, and the reason."""

    def __init__(self, detail: str, *, path: str, line: int) -> None:
        super().__init__(f"{detail} (line {line}, {path})")
        self.reason = detail
        self.path = path
        self.line = line

    def extras(self) -> Mapping[str, object]:
        return {"path": self.path, "line": self.line}


class InvalidField(RequestRefused):
    """All fields of a body that have a wrong type, range or name."""

    slug = "invalid-field"

    def __init__(
        self, errors: Sequence[FieldError], detail: str | None = None, *, truncated: bool = False
    ) -> None:
        """`truncated`: more fields are wrong than these."""
        first = errors[0]
        rest = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        super().__init__(detail or f"{first.pointer or '/'}: {first.message}{rest}")
        self.errors = list(errors)
        self.truncated = truncated

    def extras(self) -> Mapping[str, object]:
        shown = self.errors[: MAX_LISTED + 1]
        member = listed(
            "errors",
            [{"pointer": e.pointer, "code": e.code, "message": e.message} for e in shown],
        )
        return member | {"truncated": True} if self.truncated else member


class InvalidParticipant(RequestRefused):
    slug = "invalid-participant-id"


class InvalidSender(InvalidParticipant):
    slug = "invalid-sender-id"


class InvalidReceiver(InvalidParticipant):
    slug = "invalid-receiver-id"


class MissingParticipant(RequestRefused):
    slug = "missing-participant-id"


class MissingRouting(RequestRefused):
    """Send without sender, receiver, access point reference or the invoice itself."""

    slug = "missing-routing"


class MissingReceiver(MissingRouting):
    """No participant id of the receiver, for a network that needs one. `message`: what to do."""

    def __init__(self, message: str, field: str = "routing.receiverParticipantId") -> None:
        super().__init__(f"missing: {field}; {message}")
        self._message = message

    def naming(self, field: str) -> MissingReceiver:
        """This refusal for a body with another name for the receiver."""
        return MissingReceiver(self._message, field)


class SelfInvoicing(RequestRefused):
    slug = "self-invoicing"


class DeclaredTotalsMismatch(RequestRefused):
    """Declared and computed totals differ (validation rule 3); `computed` has the latter."""

    slug = "declared-totals-mismatch"

    def __init__(self, detail: str, computed: Mapping[str, object]) -> None:
        super().__init__(detail)
        self.computed = computed

    def extras(self) -> Mapping[str, object]:
        return self.computed


class TotalsMismatch(RequestRefused):
    """v1 only: lines with VAT and totalAmount differ by more than 0.02 (validation rule 4)."""

    slug = "totals-mismatch"

    def __init__(self, detail: str, computed: Decimal) -> None:
        super().__init__(detail)
        self.computed = computed

    def extras(self) -> Mapping[str, object]:
        return {"computedTotalAmount": self.computed}


class ValidationFailed(RequestRefused):
    """The document violates fatal rules. `violations` are strings `RULE-ID: text`."""

    slug = "validation-failed"

    def __init__(
        self,
        violations: Sequence[str],
        findings: Sequence[Mapping[str, object]] = (),
        validation: Mapping[str, object] | None = None,
    ) -> None:
        """`validation`: the whole report, which replaces the findings."""
        rules = "rule" if len(violations) == 1 else "rules"
        super().__init__(f"{len(violations)} {rules} violated: {violations[0]}")
        self.violations = list(violations)
        self.findings = list(findings)
        self.validation = validation

    def extras(self) -> Mapping[str, object]:
        if self.validation is None:
            return {"validationErrors": self.violations, "findings": self.findings}
        return {"validationErrors": self.violations, "validation": self.validation}


class UnknownAccessPointRef(RequestRefused):
    """`message_for` makes the detail of what the caller's body calls the reference."""

    slug = "unknown-access-point-ref"

    def __init__(
        self, message_for: Callable[[str], str], field: str = "routing.accessPointRef"
    ) -> None:
        super().__init__(message_for(field))
        self._message_for = message_for

    def naming(self, field: str) -> UnknownAccessPointRef:
        """This refusal for a body with another name for the reference."""
        return UnknownAccessPointRef(self._message_for, field)


class ReceiverNotRegistered(RequestRefused):
    slug = "receiver-not-registered"

    def __init__(self, detail: str, receiver: object | None) -> None:
        """`receiver`: None if it has no participant id."""
        super().__init__(detail)
        self.receiver = None if receiver is None else str(receiver)

    def extras(self) -> Mapping[str, object]:
        return {} if self.receiver is None else {"receiverParticipantId": self.receiver}


class _NamesNetworks(RequestRefused):
    """A refusal that lists the networks to choose from."""

    def __init__(self, detail: str, networks: Sequence[str]) -> None:
        super().__init__(detail)
        self.networks = list(networks)

    def extras(self) -> Mapping[str, object]:
        return {"supportedNetworks": self.networks}


class NetworkNotSupported(_NamesNetworks):
    """No access point offers this network in this environment."""

    slug = "network-not-supported"


class AmbiguousNetwork(_NamesNetworks):
    """Several networks reach the receiver, and the request names none (decisions 20.13)."""

    slug = "ambiguous-network"


class NoConnection(RequestRefused):
    """The tenant has no account at the network that the send goes to."""

    slug = "no-connection"


class AmbiguousConnection(RequestRefused):
    """Several accounts of the tenant may send the document, and the request names none."""

    slug = "ambiguous-connection"

    def __init__(self, detail: str, connections: Sequence[Mapping[str, str]]) -> None:
        super().__init__(detail)
        self.connections = list(connections)

    def extras(self) -> Mapping[str, object]:
        return {"connections": self.connections}


class DocumentTypeNotSupported(ReceiverNotRegistered):
    slug = "document-type-not-supported"


class NetworkFailed(RequestRefused):
    """The access point rejected a valid invoice (decisions 0.1)."""

    slug = "network-failed"

    def __init__(
        self,
        detail: str,
        *,
        error_code: str,
        upstream_status: int | None,
        retryable: bool,
        invoice_id: str,
        transaction_id: str,
        findings: Sequence[Mapping[str, object]] = (),
    ) -> None:
        super().__init__(detail)
        self._extras: dict[str, object] = {
            "errorCode": error_code,
            "upstreamStatus": upstream_status,
            "retryable": retryable,
            "invoiceId": invoice_id,
            "transactionId": transaction_id,
        }
        if findings:
            self._extras["networkFindings"] = list(findings)

    def as_submission(self) -> NetworkFailed:
        """This refusal for the /v1 family, where an invoice's id is `id`."""
        self._extras["id"] = self._extras["invoiceId"]
        return self

    def extras(self) -> Mapping[str, object]:
        return self._extras


class InvalidIdempotencyKey(RequestRefused):
    slug = "invalid-idempotency-key"


class IdempotencyKeyUnsupported(RequestRefused):
    """The request has no first result that a key could stand for."""

    slug = "idempotency-key-unsupported"


class IdempotencyKeyReuse(RequestRefused):
    """Strict mode: the key was used with another body before."""

    slug = "idempotency-key-reuse"


class IdempotencyInProgress(RequestRefused):
    slug = "idempotency-in-progress"


class DuplicateInvoice(RequestRefused):
    """Tenant switch rejectDuplicateNumbers: this number was sent before."""

    slug = "duplicate-invoice"

    def __init__(self, detail: str, existing_id: str) -> None:
        super().__init__(detail)
        self.existing_id = existing_id

    def extras(self) -> Mapping[str, object]:
        return {"existingId": self.existing_id}


class DuplicateEntry(RequestRefused):
    """Another entry of the directory has this tax id, externalId or participant id (decisions 2).

    field  the field of the request that another entry has the value of
    """

    def __init__(self, detail: str, existing_id: str, field: str) -> None:
        super().__init__(detail)
        self.existing_id, self.field = existing_id, field

    def extras(self) -> Mapping[str, object]:
        return {"existingId": self.existing_id, "field": self.field}


class DuplicateCustomer(DuplicateEntry):
    slug = "duplicate-customer"


class DuplicateSupplier(DuplicateEntry):
    slug = "duplicate-supplier"


class NotFound(RequestRefused):
    slug = "not-found"


class Conflict(RequestRefused):
    slug = "conflict"


class ExportsNotShared(Conflict):
    """Workers write exports into a directory that the web does not have."""

    slug = "exports-not-shared"


class PreconditionFailed(RequestRefused):
    """If-Match names another version of the resource than the current one."""

    slug = "precondition-failed"


class NotShareable(RequestRefused):
    """Only a sent invoice that was delivered can have a share link."""

    slug = "not-shareable"


class NotCleared(RequestRefused):
    """The law of the invoice's network forbids handing it out before it is cleared."""

    slug = "not-cleared"

    def __init__(self, detail: str, status: str) -> None:
        super().__init__(detail)
        self.status = status

    def extras(self) -> Mapping[str, object]:
        return {"networkStatus": self.status}


class SandboxParticipant(RequestRefused):
    """A live key named a participant of the sandbox (decisions 14)."""

    slug = "sandbox-participant"


class SenderNotOwned(RequestRefused):
    slug = "sender-not-owned"


class SenderNotVerified(RequestRefused):
    """The sender id is claimed, and the claim is not verified (decisions 20.1).

    `field` is what a send calls the sender id.
    """

    slug = "sender-not-verified"

    def __init__(self, detail: str, status: str, field: str) -> None:
        super().__init__(detail)
        self.status = status
        self.field = field

    def extras(self) -> Mapping[str, object]:
        return {"participantStatus": self.status, "field": self.field}


class ApiKeyRequired(RequestRefused):
    slug = "api-key-required"


@dataclass(frozen=True, slots=True)
class CredentialOwner:
    """Whose credential was refused: `actor` is a person's subject, or the id of a key or client."""

    tenant_id: str
    actor: str
    person: bool = False


class CredentialRefused(RequestRefused):
    """A credential that does not authenticate. `owner` is not in the answer; None: not known."""

    owner: CredentialOwner | None = None

    def of(self, owner: CredentialOwner | None) -> Self:
        """This refusal, with the owner of the credential."""
        self.owner = owner
        return self


class InvalidApiKey(CredentialRefused):
    slug = "invalid-api-key"


class InsufficientScope(RequestRefused):
    slug = "insufficient-scope"


class IpNotAllowed(CredentialRefused):
    slug = "ip-not-allowed"


class ReceiverNotAllowed(RequestRefused):
    """The key is limited to named receivers (allowedReceivers, decisions 9)."""

    slug = "receiver-not-allowed"


class EmptyBatch(RequestRefused):
    slug = "empty-batch"


class BatchTooLarge(RequestRefused):
    """More documents than one request may have."""

    slug = "batch-too-large"

    def __init__(self, detail: str, max_items: int) -> None:
        super().__init__(detail)
        self.max_items = max_items

    def extras(self) -> Mapping[str, object]:
        return {"maxItems": self.max_items}


class RateLimitExceeded(RequestRefused):
    """The key's limit of requests a minute is reached; the response has Retry-After."""

    slug = "rate-limit-exceeded"


class TokenRequired(RequestRefused):
    """A route of sessions or of the /v1 family was called without `Authorization: Bearer`."""

    slug = "token-required"


class InvalidToken(CredentialRefused):
    slug = "invalid-token"


class TokenExpired(CredentialRefused):
    slug = "token-expired"


class SessionEnded(CredentialRefused):
    """The token is valid, but the sessions of its subject or tenant were ended after its issue."""

    slug = "session-ended"


class AccountClosed(CredentialRefused):
    slug = "account-closed"


class TenantMoved(AccountClosed):
    """The account is at another installation. `moved_to`: its base URL."""

    slug = "tenant-moved"

    def __init__(self, detail: str, moved_to: str) -> None:
        super().__init__(detail)
        self.moved_to = moved_to

    def extras(self) -> Mapping[str, object]:
        return {"movedTo": self.moved_to}


class TenantClosed(RequestRefused):
    """The tenant that a platform names is closed."""

    slug = "account-closed"


class TenantRequired(RequestRefused):
    """A platform names none of its tenants."""

    slug = "tenant-required"


class TenantSuspended(RequestRefused):
    """The account receives, and sends nothing."""

    slug = "tenant-suspended"


class PlanLimitReached(RequestRefused):
    """The documents of the month are sent, and the plan has no more."""

    slug = "plan-limit-reached"


class PlanLimitPaused(RequestRefused):
    """The same, where the plan lets the account wait for the next month (seconds)."""

    slug = "plan-limit-paused"

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.headers = {"Retry-After": str(retry_after)}


class NotInPlan(RequestRefused):
    """The plan does not have the network, or no room for another person."""

    slug = "not-in-plan"


class Forbidden(RequestRefused):
    """The user's role is too low for the route."""

    slug = "forbidden"

    def __init__(self, detail: str, required: Role) -> None:
        super().__init__(detail)
        self.required = required

    def extras(self) -> Mapping[str, object]:
        return {"requiredRole": self.required.value}


class ServiceUnavailable(RequestRefused):
    """A temporary fault of the service, answered with Retry-After.

    is_provoked  whether a key of the sandbox has asked for it: nobody has to mend anything
    """

    slug = "access-point-unavailable"
    retry_after = 5
    is_provoked = False


class AccessPointUnavailable(ServiceUnavailable):
    """No access point serves this environment, or its directory cannot be reached."""

    slug = "access-point-unavailable"


class IdentityProviderUnavailable(ServiceUnavailable):
    """The signing keys of session tokens cannot be fetched."""

    slug = "identity-provider-unavailable"


class ValidationUnavailable(ServiceUnavailable):
    """The rules could not be run; documents are not sent unvalidated."""

    slug = "validation-unavailable"

    def __init__(self) -> None:
        super().__init__("The validation rules cannot be run at the moment. Nothing was sent.")


class Overloaded(ServiceUnavailable):
    """The oldest work in the queue exceeds the operator's limit, so nothing is accepted now."""

    slug = "overloaded"


class ComputingUnavailable(ServiceUnavailable):
    """No computing process had time, or the one that computed ended; nothing was done."""

    slug = "computing-unavailable"


class ComputationTooLarge(RequestRefused):
    """The computation needs more memory or CPU time than one may use."""

    slug = "computation-too-large"


class ArchiveUnavailable(ServiceUnavailable):
    """The store that holds the bytes of an old document does not answer."""

    slug = "archive-unavailable"
    retry_after = 10


class ArchiveDamaged(RequestRefused):
    """The archived bytes are missing, or are not those that were stored; nothing is returned."""

    slug = "archive-damaged"

    def __init__(self, kind: str, sha256: str) -> None:
        super().__init__(
            f"The {kind} cannot be returned: its bytes in the archive are missing or are not those "
            "that were stored. The operator has been alerted."
        )
        self.sha256 = sha256

    def extras(self) -> Mapping[str, object]:
        return {"sha256": self.sha256}


class DocumentDropped(RequestRefused):
    """The bytes were dropped at the end of their retention; their digest is kept.

    kind, size  the kind of the artefact, and how many bytes it had
    rule        of its retention, in words
    """

    slug = "document-dropped"

    def __init__(self, kind: str, sha256: str, dropped_at: str, rule: str, size: int) -> None:
        super().__init__(f"The {kind} was dropped at the end of its retention: {rule}.")
        self.kind, self.sha256, self.dropped_at = kind, sha256, dropped_at
        self.rule, self.size = rule, size

    def extras(self) -> Mapping[str, object]:
        return {"sha256": self.sha256, "droppedAt": self.dropped_at}


class TenantMoving(ServiceUnavailable):
    """The account moves to another installation: it reads, and changes nothing for a minute."""

    slug = "tenant-moving"
    retry_after = 15


class TooBusy(ServiceUnavailable):
    """The process answers as many requests as it can; this one was not begun."""

    slug = "too-busy"
    retry_after = 2


class BodyTooSlow(RequestRefused):
    """The body did not arrive within its time."""

    slug = "body-too-slow"


class MalformedRequest(RequestRefused):
    """The head of the request is not well-formed HTTP."""

    slug = "malformed-request"


class AddressTooLong(RequestRefused):
    slug = "address-too-long"


class HeadersTooLarge(RequestRefused):
    slug = "headers-too-large"


class PayloadTooLarge(RequestRefused):
    slug = "payload-too-large"


class DocumentTooLarge(RequestRefused):
    """The document for the network is larger than the access point takes."""

    slug = "document-too-large"

    def __init__(self, detail: str, max_bytes: int) -> None:
        super().__init__(detail)
        self.max_bytes = max_bytes

    def extras(self) -> Mapping[str, object]:
        return {"maxBytes": self.max_bytes}


class NotAcceptable(RequestRefused):
    """The response is not available in the media types of the Accept header."""

    slug = "not-acceptable"


class NotAsFacturX(RequestRefused):
    """The invoice has terms that CII, and so Factur-X, cannot express."""

    slug = "factur-x-not-possible"

    def __init__(self, detail: str, reasons: Sequence[str]) -> None:
        super().__init__(detail)
        self.reasons = list(reasons)

    def extras(self) -> Mapping[str, object]:
        return {"reasons": self.reasons}


class UnsupportedMediaType(RequestRefused):
    slug = "unsupported-media-type"


class UnsupportedEncoding(UnsupportedMediaType):
    """A body in another Content-Encoding than gzip; the header names the one that is read."""

    headers: ClassVar[Mapping[str, str]] = {"Accept-Encoding": "gzip"}


class MissingFile(RequestRefused):
    """An import whose form has no file in the field `file`."""

    slug = "missing-file"


class FileTooLarge(RequestRefused):
    slug = "file-too-large"

    def __init__(self, detail: str, max_bytes: int) -> None:
        super().__init__(detail)
        self.max_bytes = max_bytes

    def extras(self) -> Mapping[str, object]:
        return {"maxBytes": self.max_bytes}


class CsvUnreadable(RequestRefused):
    """A file that is not CSV: wrong encoding, broken quotes, no header."""

    slug = "csv-unreadable"


class CsvMissingColumns(RequestRefused):
    slug = "csv-missing-columns"

    def __init__(self, detail: str, missing: Sequence[str]) -> None:
        super().__init__(detail)
        self.missing = list(missing)

    def extras(self) -> Mapping[str, object]:
        return {"missingColumns": self.missing}


class CsvTooManyColumns(RequestRefused):
    """A header with more columns than an import reads (decisions 20.10)."""

    slug = "csv-too-many-columns"

    def __init__(self, detail: str, max_columns: int) -> None:
        super().__init__(detail)
        self.max_columns = max_columns

    def extras(self) -> Mapping[str, object]:
        return {"maxColumns": self.max_columns}


class CsvTooManyRows(RequestRefused):
    slug = "csv-too-many-rows"

    def __init__(self, detail: str, max_rows: int) -> None:
        super().__init__(detail)
        self.max_rows = max_rows

    def extras(self) -> Mapping[str, object]:
        return {"maxRows": self.max_rows}


class CsvInvalid(RequestRefused):
    """An atomic import with an invalid row: nothing was stored."""

    slug = "csv-invalid"

    def __init__(self, detail: str, report: Mapping[str, object]) -> None:
        super().__init__(detail)
        self.report = report

    def extras(self) -> Mapping[str, object]:
        return self.report
