"""The object stores of the settings: the one that is written to, and all that are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from einvoice.archive.directory import DirectoryStore
from einvoice.archive.objects import ObjectStore, StoreFault
from einvoice.archive.s3 import Bucket, S3Store
from einvoice.config import Settings, SettingsFault


@dataclass(frozen=True, slots=True)
class ObjectStores:
    """`written` is None if bytes stay in the database; `all` are the stores by name.

    Objects are read from the store that they were written to, also after another one was set.
    `waiting` surrounds the wait for an object: it releases what other requests could use.
    """

    written: ObjectStore | None = None
    all: Mapping[str, ObjectStore] = field(default_factory=dict)
    waiting: Callable[[], AbstractContextManager[object]] = nullcontext

    def named(self, name: str) -> ObjectStore:
        """The store of this name. Raises StoreFault if the settings have none."""
        found = self.all.get(name)
        if found is None:
            raise StoreFault(f"the settings of the archive in a {name} are not set")
        return found


def stores_of(
    settings: Settings, waiting: Callable[[], AbstractContextManager[object]]
) -> ObjectStores:
    """The stores of these settings. Raises SettingsFault if boto3 is needed and missing."""
    found: dict[str, ObjectStore] = {}
    if settings.archive_directory:
        found[DirectoryStore.name] = DirectoryStore(Path(settings.archive_directory).resolve())
    if settings.archive_s3_bucket:
        if find_spec("boto3") is None:
            raise SettingsFault("EINVOICE_ARCHIVE_S3_BUCKET: pip install 'einvoice[s3]' first")
        found[S3Store.name] = S3Store(_bucket(settings))
    return ObjectStores(found.get(settings.archive_store), found, waiting)


def _bucket(settings: Settings) -> Bucket:
    return Bucket(
        bucket=settings.archive_s3_bucket,
        prefix=settings.archive_s3_prefix,
        endpoint=settings.archive_s3_endpoint,
        region=settings.archive_s3_region,
        access_key=settings.archive_s3_access_key,
        secret_key=settings.archive_s3_secret_key,
        object_lock=settings.archive_s3_object_lock,
    )
