"""The settings, each with type, default and one line of documentation.

This is the only module that reads the environment. `docs/operators.md` lists what `describe()`
returns; a test compares the two.
"""

from __future__ import annotations

import ipaddress
import math
import os
import pwd
import re
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from einvoice import clock
from einvoice.clock import Pace


class SettingsFault(Exception):
    """An invalid setting. It stops the start; the message names the variable and the reason."""


def _setting(default: Any, doc: str, *, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"doc": doc, "secret": secret})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, read once at the start.

    A variable is the field's name in upper case with the prefix EINVOICE_. DATABASE_URL and
    REDIS_URL are also read without the prefix, as platforms set them. <variable>_FILE names a file
    that holds the value, for secrets that are mounted as files.
    """

    mode: str = _setting(
        "development", "development or production; production refuses unsafe settings"
    )
    data_dir: str = _setting("./data", "Directory of embedded databases, sockets and the local key")
    database_url: str = _setting("", "SQLAlchemy URL; empty: SQLite (WAL) in the data directory")
    database_pooled: bool = _setting(
        False, "The database is behind PgBouncer or another pooler that shares connections"
    )
    database_replica_url: str = _setting(
        "", "URL of a standby of this PostgreSQL, for lists, search and reports; empty: none"
    )
    redis_url: str = _setting(
        "",
        "Redis URL, or sentinel://host,host/service; empty: the embedded server's socket in the "
        "data directory",
    )
    secret_key: str = _setting(
        "",
        "32 bytes, base64: encrypts secrets at rest; empty: generated in the data directory "
        "(development)",
        secret=True,
    )
    base_url: str = _setting("http://127.0.0.1:8000", "Public address of the production host root")
    sandbox_base_url: str = _setting(
        "", "Public address of the sandbox host root; empty: the base URL"
    )
    errors_base: str = _setting("", "Prefix of problem types; empty: <base_url>/errors")
    provider: str = _setting("eInvoice", "The member `provider` of public responses")
    identification_text: str = _setting(
        "", "What companies are asked to upload when they claim an id; empty: the words of the page"
    )
    send_wait: float = _setting(2.0, "Seconds a send waits for the first outcome of the network")
    v1_wait: float = _setting(
        5.0, "Seconds POST /v1/invoices waits for the network to deliver or to refuse"
    )
    max_waiters: int = _setting(
        16, "Requests of one web process that may wait for outcomes at once"
    )
    web_workers: int = _setting(2, "Web processes; one per core")
    process_memory_mb: int = _setting(
        600, "MiB that a web process or worker may hold; one that holds more is replaced by another"
    )
    retry_for_live: int = _setting(
        86400, "Seconds for which a failed handover of a document is retried, live"
    )
    retry_for_test: int = _setting(120, "The same in the sandbox")
    lookup_fresh_for: int = _setting(
        900, "Seconds after which a stored lookup is refreshed before submitting"
    )
    queue_lease: float = _setting(
        60.0, "Seconds after which queued work that has not reached the network is due again"
    )
    lease_margin: float = _setting(
        15.0, "Seconds by which the lease of a document exceeds the access point's timeout"
    )
    max_queue_age: float = _setting(
        120.0, "Seconds the oldest due send may wait before new sends are refused with 503"
    )
    max_body_bytes: int = _setting(12 * 1024 * 1024, "Largest body of a send, attachments included")
    compute_processes: int = _setting(
        2, "Processes for long computations (PDFs, large documents and files) of one web process"
    )
    compute_memory_mb: int = _setting(
        2560, "MiB of address space that one of these processes may have"
    )
    compute_seconds: float = _setting(
        20.0, "CPU seconds that one computation may take; three times that on a busy machine"
    )
    compute_wait: float = _setting(
        10.0, "Seconds a request waits for its turn to compute before it is answered 503"
    )
    webhook_timeout: float = _setting(15.0, "Seconds a webhook receiver has to respond")
    webhook_allow_private: bool = _setting(
        False,
        "Allow private addresses for sandbox webhooks (demo and tests; refused in production)",
    )
    mail_smarthosts: str = _setting(
        "",
        "Mail servers that take the service's e-mails, tried in this order: "
        "smtp://user:password@host:587 (STARTTLS), smtps://host:465, smtp://127.0.0.1:25; "
        "empty: no e-mail is sent",
        secret=True,
    )
    mail_from: str = _setting(
        "", "The operator's address from which e-mails are sent: invoices@example.com"
    )
    mail_bounces: str = _setting(
        "",
        "The address to which undeliverable ones return, with an extension of each "
        "(bounces+…@example.com); empty: EINVOICE_MAIL_FROM",
    )
    mail_dkim_selector: str = _setting(
        "", "The name of the DKIM key in DNS: <selector>._domainkey.example.com"
    )
    mail_dkim_key: str = _setting(
        "",
        "The private RSA key (PEM) with which e-mails are signed; empty: the mail server signs",
        secret=True,
    )
    mail_ca_file: str = _setting(
        "", "File of authorities for TLS of the mail servers; empty: those of the system"
    )
    event_addresses: str = _setting(
        "",
        "Addresses and networks (192.0.2.10, 2001:db8::/48, several separated by commas) from "
        "which webhooks are posted, told to tenants for their firewalls; empty: not told",
    )
    limit_get: int = _setting(
        60, "GET and HEAD requests a minute of an API key without a policy of its own"
    )
    limit_post: int = _setting(20, "All other requests a minute of such a key")
    limit_platform_get: int = _setting(
        6000, "GET and HEAD requests a minute of a platform's key without a policy of its own"
    )
    limit_platform_post: int = _setting(3000, "All other requests a minute of such a key")
    limit_documents: int = _setting(2000, "Documents in batches a minute of an API key")
    limit_session_get: int = _setting(
        600, "GET and HEAD requests a minute of one person at the dashboard"
    )
    limit_session_post: int = _setting(120, "All other requests a minute of such a person")
    jwt_issuer: str = _setting(
        "", "Identity provider of the dashboard: the iss of its tokens; empty: none"
    )
    jwt_audience: str = _setting("", "The value that the aud of these tokens must contain")
    jwt_jwks_url: str = _setting("", "URL of the identity provider's keys (JWKS)")
    jwt_tenant_claim: str = _setting("tenant_id", "The claim that names the tenant")
    oidc_client_id: str = _setting(
        "", "Id of the dashboard's client at the identity provider; empty: no login to /dashboard"
    )
    oidc_client_secret: str = _setting(
        "", "Its secret; empty: a public client, with PKCE alone", secret=True
    )
    people_url: str = _setting(
        "", "Where owners invite people and change roles, such as a page of the identity provider"
    )
    operator_claim: str = _setting(
        "roles",
        "The claim, or a path such as realm_access.roles, in which the identity provider names "
        "operators",
    )
    operator_role: str = _setting(
        "", "The value in it that opens the console at /operator; empty: nobody logs in there"
    )
    operator: str = _setting(
        "",
        "Who runs commands, for the audit log; empty: SUDO_USER, else the user of the machine",
    )
    session_idle: int = _setting(3600, "Seconds without a request after which people log in again")
    session_lifetime: int = _setting(43200, "Seconds after a login until people log in again")
    jwt_dev_issuer: bool = _setting(
        True, "Issue and accept the tokens of einvoice dev-token (never in production)"
    )
    cors_origins: str = _setting(
        "",
        "Origins (https://app.example.com, several separated by commas) whose pages may call the "
        "routes of people; empty: none",
    )
    export_dir: str = _setting(
        "",
        "Directory for exports that people request; shared by web and the workers of `plugins`; "
        "default: `exports` in the data directory",
    )
    export_max_mb: int = _setting(
        0, "MiB that the file of an export may have; 0: what its disk has room for"
    )
    limit_failures: int = _setting(
        600, "Failed authentications a minute of one address; more are refused with 429"
    )
    limit_buyer: int = _setting(60, "Requests a minute of one address to the buyers' pages")
    trusted_proxies: int = _setting(
        0, "Number of reverse proxies whose X-Forwarded-* headers are trusted"
    )
    log_level: str = _setting("INFO", "DEBUG, INFO, WARNING or ERROR")
    log_format: str = _setting("json", "json or console")
    clock_rate: str = _setting(
        "",
        "For a simulated week (never in production): how often faster the clock runs, and from "
        "which moment on, such as 60@2026-11-28T14:00:00Z",
    )
    access_log: bool = _setting(
        False, "Log one line for each request (level INFO), which costs a twentieth of a send"
    )
    traces: str = _setting(
        "",
        "otlp: export spans of requests, jobs, attempts and webhooks to a collector (the variables "
        "OTEL_… say where); empty: none",
    )
    listen: str = _setting("127.0.0.1:8000", "Address and port of the web server")
    metrics_listen: str = _setting(
        "", "Address and port of /metrics, shared by all processes of a machine; empty: none"
    )
    archive_store: str = _setting(
        "database",
        "Where documents, originals, PDFs and evidence lie in the long term: database, directory "
        "or s3",
    )
    archive_after_days: int = _setting(
        30, "Days after which they are moved from the database to the directory or bucket"
    )
    archive_large_bytes: int = _setting(
        262144, "Bytes from which an invoice with all its artefacts is moved after an hour"
    )
    archive_min_bytes: int = _setting(
        0, "Bytes below which an invoice with all its artefacts stays in the database"
    )
    archive_retention_years: int = _setting(
        10, "Years for which documents are kept where the law of the country is not known"
    )
    archive_drop: bool = _setting(
        False, "Drop documents and evidence whose retention has ended; off: they are kept"
    )
    archive_drop_rows: bool = _setting(
        False, "Delete the rows of invoices of which everything is dropped; off: they stay"
    )
    archive_directory: str = _setting("", "The directory; also read while the store is another")
    archive_s3_bucket: str = _setting("", "The bucket; also read while the store is another")
    archive_s3_prefix: str = _setting("", "Begin of the keys of all objects, such as einvoice/")
    archive_s3_endpoint: str = _setting("", "URL of the server; empty: that of AWS")
    archive_s3_region: str = _setting("", "Region of the bucket; empty: as boto3 finds it")
    archive_s3_access_key: str = _setting(
        "", "Access key id; empty: as boto3 finds it (role of the machine, files, environment)"
    )
    archive_s3_secret_key: str = _setting("", "Secret of the access key", secret=True)
    archive_s3_object_lock: str = _setting(
        "",
        "governance or compliance: objects get their retention date when they are written; empty: "
        "none",
    )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the environment, or the given mapping. Raises SettingsFault."""
        source = os.environ if environ is None else environ
        values = {f.name: _read(source, f.name, f.default) for f in fields(cls)}
        values |= {name: values[name].rstrip("/") for name in _PREFIXES}
        settings = cls(**values)
        settings.check()
        return settings

    def check(self) -> None:
        """Refuse invalid settings, and unsafe ones in production (decisions 19.8).

        Raises SettingsFault.
        """
        for name, least in _MINIMA.items():
            most = _MAXIMA.get(name, _MOST)
            if getattr(self, name) < least:
                raise SettingsFault(f"{_variable(name)} must be at least {least}")
            if getattr(self, name) > most:
                raise SettingsFault(f"{_variable(name)} must be at most {most}")
        provider = (self.jwt_issuer, self.jwt_audience, self.jwt_jwks_url)
        if any(provider) and not all(provider):
            raise SettingsFault(
                "EINVOICE_JWT_ISSUER, EINVOICE_JWT_AUDIENCE and EINVOICE_JWT_JWKS_URL "
                "are set together or not at all"
            )
        if self.oidc_client_id and not self.jwt_issuer:
            raise SettingsFault("EINVOICE_OIDC_CLIENT_ID needs EINVOICE_JWT_ISSUER")
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise SettingsFault(f"{_variable(name)} must be one of: {', '.join(allowed)}")
        self._check_urls()
        self._check_archive()
        self._check_listening()
        self._check_origins()
        self._check_clock()
        self._check_event_addresses()
        if self.production:
            for problem in self.production_problems():
                raise SettingsFault(problem)

    def _check_listening(self) -> None:
        for name in ("listen", "metrics_listen"):
            place = getattr(self, name)
            is_socket = name == "listen" and place.startswith("unix:")
            if place and not is_socket and not _is_port(place.rpartition(":")[2]):
                wanted = "host:port, with a port of 1 to 65535"
                raise SettingsFault(f"{_variable(name)} is {place[:40]!r}, not {wanted}")

    def _check_urls(self) -> None:
        for name, schemes in _SCHEMES.items():
            url = getattr(self, name)
            if url and url.partition(":")[0] not in schemes:  # the rest may hold a password
                raise SettingsFault(
                    f"{_variable(name)} must begin with {' or '.join(f'{s}:' for s in schemes)}"
                )
            if url and "http" in schemes and not _has_host(url):
                raise SettingsFault(
                    f"{_variable(name)} must have a host, and a port of 1 to 65535 if any"
                )
        if self.database_replica_url and not self.database.startswith("postgres"):
            raise SettingsFault("EINVOICE_DATABASE_REPLICA_URL needs PostgreSQL as the database")

    def _check_archive(self) -> None:
        """Refuse settings of an archive that are not complete."""
        needed = {"directory": "archive_directory", "s3": "archive_s3_bucket"}
        name = needed.get(self.archive_store)
        if name is not None and not getattr(self, name):
            message = f"EINVOICE_ARCHIVE_STORE={self.archive_store} needs {_variable(name)}"
            raise SettingsFault(message)
        if bool(self.archive_s3_access_key) != bool(self.archive_s3_secret_key):
            raise SettingsFault(
                "EINVOICE_ARCHIVE_S3_ACCESS_KEY and EINVOICE_ARCHIVE_S3_SECRET_KEY are set "
                "together or not at all"
            )
        if not self.archive_s3_bucket:
            for name in _OF_THE_BUCKET:
                if getattr(self, name):
                    raise SettingsFault(f"{_variable(name)} needs EINVOICE_ARCHIVE_S3_BUCKET")

    def _check_origins(self) -> None:
        for origin in self.allowed_origins:
            if not _ORIGIN.fullmatch(origin):
                raise SettingsFault(
                    f"EINVOICE_CORS_ORIGINS: {origin[:80]!r} is not an origin such as "
                    "https://app.example.com"
                )

    def _check_clock(self) -> None:
        try:
            self.pace  # noqa: B018 - parsed
        except ValueError:
            raise SettingsFault(
                f"EINVOICE_CLOCK_RATE: {self.clock_rate[:80]!r} is not a rate from 1 to 1000 and a "
                "moment, such as 60@2026-11-28T14:00:00Z"
            ) from None

    @property
    def pace(self) -> Pace:
        """How fast the clock runs. Raises ValueError."""
        return Pace.parse(self.clock_rate) if self.clock_rate else clock.REALITY

    def _check_event_addresses(self) -> None:
        for place in self.event_sources:
            try:
                ipaddress.ip_network(place)
            except ValueError:
                raise SettingsFault(
                    f"EINVOICE_EVENT_ADDRESSES: {place[:80]!r} is not an address or a network "
                    "such as 192.0.2.0/28"
                ) from None

    @property
    def event_sources(self) -> tuple[str, ...]:
        """The addresses and networks of `event_addresses`."""
        return tuple(part.strip() for part in self.event_addresses.split(",") if part.strip())

    @property
    def production(self) -> bool:
        return self.mode == "production"

    def production_problems(self) -> list[str]:
        """Reasons why these settings are unsafe for production, each naming its variable."""
        wrong = []
        if not self.base_url.startswith("https://"):
            wrong.append("EINVOICE_BASE_URL must be https in production")
        if self.sandbox_base_url and not self.sandbox_base_url.startswith("https://"):
            wrong.append("EINVOICE_SANDBOX_BASE_URL must be https in production")
        if self.errors_base and not self.errors_base.startswith("https://"):
            wrong.append("EINVOICE_ERRORS_BASE must be https in production")
        if not self.secret_key:
            wrong.append("EINVOICE_SECRET_KEY must be set in production: einvoice doctor --new-key")
        if self.jwt_jwks_url and not self.jwt_jwks_url.startswith("https://"):
            wrong.append("EINVOICE_JWT_JWKS_URL must be https in production")
        if not all(origin.startswith("https://") for origin in self.allowed_origins):
            wrong.append("EINVOICE_CORS_ORIGINS must be https in production")
        if self.clock_rate:
            wrong.append("EINVOICE_CLOCK_RATE must be empty in production")
        if self.webhook_allow_private:
            wrong.append("EINVOICE_WEBHOOK_ALLOW_PRIVATE must be off in production")
        return wrong

    @property
    def allowed_origins(self) -> frozenset[str]:
        """The origins of `cors_origins`, as browsers write them."""
        parts = (part.strip().lower() for part in self.cors_origins.split(","))
        return frozenset(part for part in parts if part)

    @property
    def errors_prefix(self) -> str:
        return (self.errors_base or f"{self.base_url}/errors").rstrip("/")

    @property
    def export_path(self) -> Path:
        """Where exports are kept for their download."""
        return Path(self.export_dir).resolve() if self.export_dir else self.data_path / "exports"

    @property
    def data_path(self) -> Path:
        return Path(self.data_dir).resolve()

    @property
    def metrics_path(self) -> Path:
        """Directory in which the processes of a machine keep their counts."""
        return self.data_path / "metrics"

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.data_path / 'einvoice.sqlite3'}"

    @property
    def redis(self) -> str:
        return self.redis_url or f"unix://{self.data_path / 'redis.sock'}"


def _has_host(url: str) -> bool:
    """Whether a URL has a host, and no port or one that there is."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) < 65_536


def describe() -> Iterator[tuple[str, str, str, bool]]:
    """(variable, default, doc, secret) of every setting, in the order of the class."""
    for f in fields(Settings):
        yield _variable(f.name), str(f.default), f.metadata["doc"], f.metadata["secret"]


def misspelt(
    declared: Iterable[str], environ: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Variables that nobody reads, each with the setting that it resembles.

    declared  the settings of plugins, which may read others as well: what resembles none is passed
    """
    source = os.environ if environ is None else environ
    settings = [*(_variable(f.name) for f in fields(Settings)), *declared]
    known = {name.removeprefix(_PREFIX) for one in settings for name in (one, f"{one}_FILE")}
    for variable in sorted(name for name in source if name.startswith(_PREFIX)):
        name = variable.removeprefix(_PREFIX)
        near = [] if name in known else get_close_matches(name, sorted(known), 1, _LIKENESS)
        if near:
            yield variable, _PREFIX + near[0]


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _read(source: Mapping[str, str], name: str, default: Any) -> Any:
    text = given(source, _variable(name))
    if text is None and name in _BARE:
        text = source.get(name.upper())
    if text is None:
        return default
    if isinstance(default, str) and default and not text.strip():
        raise SettingsFault(f"{_variable(name)} is empty: give it a value, or leave it out")
    try:
        return PARSE[type(default)](text.strip())
    except ValueError as fault:
        kind = KINDS[type(default)]
        raise SettingsFault(f"{_variable(name)} is {text.strip()[:40]!r}, not {kind}") from fault


def given(source: Mapping[str, str], variable: str) -> str | None:
    """The value of the variable, or of the file <variable>_FILE names. Raises SettingsFault.

    Both may name systemd's ${CREDENTIALS_DIRECTORY}, which is another one in each unit.
    """
    text, path = (_in_credentials(source, name) for name in (variable, f"{variable}_FILE"))
    if not path:
        return text
    if text is not None:
        raise SettingsFault(f"set {variable} or {variable}_FILE, not both")
    try:
        return Path(path).read_text()
    except (OSError, UnicodeError) as fault:
        raise SettingsFault(f"{variable}_FILE cannot be read: {type(fault).__name__}") from fault


_CREDENTIALS = "CREDENTIALS_DIRECTORY"


def _in_credentials(source: Mapping[str, str], variable: str) -> str | None:
    text = source.get(variable)
    if text is None or f"${{{_CREDENTIALS}}}" not in text:
        return text
    directory = source.get(_CREDENTIALS)
    if not directory:
        raise SettingsFault(
            f"{variable} names ${{{_CREDENTIALS}}}, which only units of systemd have"
        )
    return text.replace(f"${{{_CREDENTIALS}}}", directory)


def share_metrics() -> None:
    """Make this process keep its counts in a file; /metrics adds up the files of all processes.

    Call it before prometheus_client is imported, which reads PROMETHEUS_MULTIPROC_DIR then.
    """
    with suppress(SettingsFault, ValueError):  # the reader of the settings reports the fault
        settings = Settings.from_env()
        if settings.metrics_listen:
            settings.data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
            settings.metrics_path.mkdir(exist_ok=True)
            os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.metrics_path))


def name_authorities() -> None:
    """Name the machine's certificates of authorities to libraries with an OpenSSL of their own.

    That of the PostgreSQL driver looks where it was built, so that `sslrootcert=system` finds none.
    """
    if "SSL_CERT_FILE" in os.environ or "SSL_CERT_DIR" in os.environ:
        return
    known = ssl.get_default_verify_paths()
    if known.cafile:
        os.environ["SSL_CERT_FILE"] = known.cafile
    if known.capath:
        os.environ["SSL_CERT_DIR"] = known.capath


def _flag(text: str) -> bool:
    if text.lower() in {"1", "true", "yes", "on"}:
        return True
    if text.lower() in {"", "0", "false", "no", "off"}:
        return False
    raise ValueError("write true or false")


def user_of_command(settings: Settings) -> str:
    """Who runs this command, for the audit log: the setting, who called sudo, or the user."""
    named = settings.operator.strip() or os.environ.get("SUDO_USER", "").strip()
    if named:
        return named[:100]
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user without a name
        return str(os.getuid())


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("not finite")
    return value


# Variables that a child process without settings and secrets needs.
_PLAIN = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")


def plain_environment() -> dict[str, str]:
    """The environment for a child process that must not have settings and secrets."""
    return {name: os.environ[name] for name in _PLAIN if name in os.environ}


_PREFIX, _LIKENESS = "EINVOICE_", 0.85
# A scheme and a host, with a port where it is not the default one.
_ORIGIN = re.compile(r"https?://(?:[a-z0-9.\-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
# Of every number.
_MINIMA = {
    "send_wait": 0,
    "v1_wait": 0,
    "max_waiters": 1,
    "web_workers": 1,
    "retry_for_live": 0,
    "retry_for_test": 0,
    "lookup_fresh_for": 0,
    "queue_lease": 1,
    "lease_margin": 0,
    "max_queue_age": 1,
    "max_body_bytes": 1024,
    "webhook_timeout": 1,
    "export_max_mb": 0,
    "trusted_proxies": 0,
    "limit_get": 1,
    "limit_post": 1,
    "limit_platform_get": 1,
    "limit_platform_post": 1,
    "limit_documents": 1,
    "limit_session_get": 1,
    "limit_session_post": 1,
    "limit_failures": 1,
    "limit_buyer": 1,
    "session_idle": 60,
    "session_lifetime": 60,
    "compute_processes": 1,
    "compute_memory_mb": 512,  # what the libraries map before they compute
    "process_memory_mb": 256,  # more than a process holds at its start
    "compute_seconds": 1,
    "compute_wait": 0,
    "archive_after_days": 0,
    "archive_large_bytes": 1,
    "archive_min_bytes": 0,
    "archive_retention_years": 1,
}
# Of numbers that are added to a moment, started, or waited for: what is more is a typo.
_MOST = 2_000_000_000
_MAXIMA = {
    "send_wait": 3600,
    "v1_wait": 3600,
    "max_waiters": 10_000,
    "web_workers": 1000,
    "compute_processes": 1000,
    "trusted_proxies": 100,
    "archive_after_days": 36_500,
    "archive_retention_years": 1000,
}
_OF_THE_BUCKET = (
    "archive_s3_prefix",
    "archive_s3_endpoint",
    "archive_s3_region",
    "archive_s3_access_key",
    "archive_s3_object_lock",
)
_CHOICES = {
    "mode": ("development", "production"),
    "log_level": ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
    "log_format": ("json", "console"),
    "traces": ("", "otlp"),
    "archive_store": ("database", "directory", "s3"),
    "archive_s3_object_lock": ("", "governance", "compliance"),
}
_SCHEMES = {
    "database_url": ("sqlite", "postgresql", "postgres", "postgresql+psycopg"),
    "database_replica_url": ("postgresql", "postgres", "postgresql+psycopg"),
    "redis_url": ("redis", "rediss", "unix", "sentinel", "sentinels"),
    "base_url": ("https", "http"),
    "sandbox_base_url": ("https", "http"),
    "people_url": ("https", "http"),
    "errors_base": ("https", "http"),
    "jwt_jwks_url": ("https", "http"),
    "archive_s3_endpoint": ("https", "http"),
}
KINDS = {int: "a whole number", float: "a number", bool: "true or false"}
_PREFIXES = ("base_url", "sandbox_base_url", "errors_base")  # paths are appended to them
_BARE = ("database_url", "redis_url")
PARSE: dict[type, Callable[[str], Any]] = {str: str, int: int, float: _number, bool: _flag}
