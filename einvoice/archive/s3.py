"""Objects in a bucket of S3 or of a server with its interface.

Writes are conditional (If-None-Match), so an object is never replaced, and carry a SHA-256 that the
server compares. Where the bucket has object lock, each object gets its retention date when it is
written. boto3 is imported when the first object is used: it takes 0.2 s.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from einvoice.archive.objects import ObjectMissing, ObjectRetained, StoreFault

CONNECT_SECONDS, READ_SECONDS, ATTEMPTS = 5, 30, 3
_GONE = frozenset({"NoSuchKey", "404", "NotFound"})
_THERE = frozenset({"PreconditionFailed", "412", "ConditionalRequestConflict"})
_PROBE, _CONTENT = "einvoice-doctor", b"einvoice doctor"


@dataclass(frozen=True, slots=True)
class Bucket:
    """Where the objects lie; the values of the settings.

    object_lock  "": none, else the mode of the retention: governance or compliance
    """

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""
    access_key: str = ""
    secret_key: str = field(default="", repr=False)
    object_lock: str = ""


class S3Store:
    """Objects below a prefix of a bucket."""

    name = "s3"

    def __init__(self, place: Bucket) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._made: Any = None

    def put(self, key: str, packed: bytes, retain_until: date | None) -> None:
        lock = self._retention(retain_until)
        try:
            with self._faults(key):
                self._client.put_object(
                    **self._of(key),
                    Body=packed,
                    IfNoneMatch="*",
                    ChecksumAlgorithm="SHA256",
                    **lock,
                )
        except _Exists:
            self._retain(key, retain_until)

    def _retention(self, until: date | None) -> dict[str, Any]:
        if not self._place.object_lock or until is None:
            return {}
        mode = self._place.object_lock.upper()
        return {"ObjectLockMode": mode, "ObjectLockRetainUntilDate": _end_of(until)}

    def _retain(self, key: str, until: date | None) -> None:
        """Prolong the retention of an object that is there; never shorten it."""
        if not self._place.object_lock or until is None:
            return
        with self._faults(key):
            head = self._client.head_object(**self._of(key))
            now = head.get("ObjectLockRetainUntilDate")
            if now is None or now < _end_of(until):
                mode = self._place.object_lock.upper()
                self._client.put_object_retention(
                    **self._of(key), Retention={"Mode": mode, "RetainUntilDate": _end_of(until)}
                )

    def get(self, key: str) -> bytes:
        with self._faults(key):
            found: bytes = self._client.get_object(**self._of(key))["Body"].read()
            return found

    def delete(self, key: str) -> None:
        """Delete all versions of the object: a bucket with object lock keeps deleted ones."""
        with self._faults(key):
            for version in self._versions(key):
                self._client.delete_object(**self._of(key), **version)

    def _versions(self, key: str) -> list[Mapping[str, str]]:
        name = self._of(key)["Key"]
        answer = self._client.list_object_versions(Bucket=self._place.bucket, Prefix=name)
        found = [*answer.get("Versions", ()), *answer.get("DeleteMarkers", ())]
        return [{"VersionId": each["VersionId"]} for each in found if each["Key"] == name]

    def problems(self) -> list[str]:
        try:
            self.put(_PROBE, _CONTENT, None)
            if self.get(_PROBE) != _CONTENT:
                return [f"the bucket {self._place.bucket}: another server answers for it"]
            self.delete(_PROBE)
            return self._lock_problems()
        except (StoreFault, ObjectMissing, ObjectRetained) as fault:
            return [str(fault)]

    def _lock_problems(self) -> list[str]:
        if not self._place.object_lock:
            return []
        try:
            with self._faults("object lock"):
                found = self._client.get_object_lock_configuration(Bucket=self._place.bucket)
        except (StoreFault, ObjectMissing):
            found = {}
        if found.get("ObjectLockConfiguration", {}).get("ObjectLockEnabled") == "Enabled":
            return []
        return [f"The bucket {self._place.bucket} has no object lock, which the settings ask for"]

    def _of(self, key: str) -> dict[str, str]:
        return {"Bucket": self._place.bucket, "Key": f"{self._place.prefix}{key}"}

    @property
    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                self._made = _connect(self._place)
            return self._made

    @contextmanager
    def _faults(self, key: str) -> Iterator[None]:
        """Raise the faults of boto3 as those of the interface; no message has a credential."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as fault:
            code = str(fault.response.get("Error", {}).get("Code"))
            if code in _GONE:
                raise ObjectMissing(key) from fault
            if code in _THERE:
                raise _Exists from fault
            if code == "AccessDenied" and fault.operation_name == "DeleteObject":
                raise ObjectRetained(key) from fault
            raise StoreFault(f"the bucket {self._place.bucket}: {code}") from fault
        except BotoCoreError as fault:
            raise StoreFault(f"the bucket {self._place.bucket}: {type(fault).__name__}") from fault


class _Exists(Exception):
    """There is an object of this key."""


def _end_of(day: date) -> datetime:
    return datetime.combine(day, time(23, 59, 59), UTC)


def _connect(place: Bucket) -> Any:
    """A client with deadlines; without a key in the settings boto3 looks for one itself."""
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
        s3={"addressing_style": "path" if place.endpoint else "auto"},
    )
    return boto3.session.Session().client(
        "s3",
        endpoint_url=place.endpoint or None,
        region_name=place.region or None,
        aws_access_key_id=place.access_key or None,
        aws_secret_access_key=place.secret_key or None,
        config=config,
    )
