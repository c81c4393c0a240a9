"""Object stores: a directory and a real S3 server keep the same promises."""

from __future__ import annotations

import errno
import gzip
import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import date, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from einvoice import clock
from einvoice.archive.directory import DirectoryStore, synchronise
from einvoice.archive.objects import (
    GZIP,
    PLAIN,
    ObjectDamaged,
    ObjectMissing,
    ObjectName,
    ObjectRetained,
    ObjectStore,
    StoreFault,
    digest,
    pack,
    unpack,
)
from einvoice.archive.s3 import Bucket, S3Store
from tests.ports import free_port

KEYS = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "region_name": "us-east-1"}


def a_bucket(server: str, *, lock: str = "", has_lock: bool = False) -> Bucket:
    """A new bucket, with versions and object lock if the bucket is to have them."""
    name = f"b-{uuid.uuid4().hex}"
    import boto3

    client = boto3.client("s3", endpoint_url=server, **KEYS)
    client.create_bucket(Bucket=name, ObjectLockEnabledForBucket=has_lock)
    return Bucket(name, "einvoice/", server, "us-east-1", "k", "s", lock)


def test_a_mount_that_cannot_force_its_directories_takes_objects_and_a_broken_disk_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One function says so of archives and of files for tenants. What is no directory is forced."""
    (tmp_path / "file").touch()
    failing = {errno.EINVAL: False, errno.ENOTSUP: False, errno.EIO: True, errno.ENOSPC: True}
    for number, of_directories in failing.items():

        def fail(_: int, number: int = number) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", fail)
        for path, fails in ((tmp_path, of_directories), (tmp_path / "file", True)):
            with pytest.raises(OSError) if fails else nullcontext():
                synchronise(path)


@pytest.fixture(params=["directory", "s3", "s3 with object lock"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "directory":
        (tmp_path / "archive").mkdir()
        return DirectoryStore(tmp_path / "archive")
    server = request.getfixturevalue("s3_server")
    locked = "lock" in request.param
    return S3Store(a_bucket(server, lock="governance" if locked else "", has_lock=locked))


def test_an_object_is_returned_as_it_was_put(store: ObjectStore) -> None:
    store.put("t/aa/x.gz", b"\x00bytes", None)

    assert store.get("t/aa/x.gz") == b"\x00bytes"


def test_an_object_is_written_once(store: ObjectStore) -> None:
    """A second put of a key leaves the first object."""
    store.put("t/aa/x", b"first", None)
    store.put("t/aa/x", b"second", None)

    assert store.get("t/aa/x") == b"first"


def test_of_several_writers_one_writes(store: ObjectStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.put("t/aa/x", b"%d" % n, None), range(8)))

    assert store.get("t/aa/x") in {b"%d" % n for n in range(8)}


def test_a_missing_object_is_not_a_fault_of_the_store(store: ObjectStore) -> None:
    store.delete("t/aa/x")

    with pytest.raises(ObjectMissing):
        store.get("t/aa/x")


def test_a_deleted_object_is_gone_with_all_its_versions(store: ObjectStore) -> None:
    store.put("t/aa/x", b"first", None)
    store.put("t/aa/x2", b"other", None)
    store.delete("t/aa/x")

    with pytest.raises(ObjectMissing):
        store.get("t/aa/x")
    assert store.get("t/aa/x2") == b"other"


def test_a_store_that_is_set_up_has_no_problems(store: ObjectStore) -> None:
    assert store.problems() == []


def test_a_directory_that_is_away_is_a_fault_and_no_missing_object(tmp_path: Path) -> None:
    """An unmounted disk must not look like lost objects."""
    store = DirectoryStore(tmp_path / "away")

    with pytest.raises(StoreFault):
        store.get("t/aa/x")
    assert "is not a directory" in store.problems()[0]


def test_a_directory_that_is_away_is_not_created(tmp_path: Path) -> None:
    """Objects written below the mount point would be hidden when the disk is mounted again."""
    with pytest.raises(StoreFault):
        DirectoryStore(tmp_path / "away").put("t/aa/x", b"x", None)

    assert not (tmp_path / "away").exists()


def test_files_are_for_the_service_alone(tmp_path: Path) -> None:
    DirectoryStore(tmp_path).put("t/aa/x", b"x", None)

    assert (tmp_path / "t/aa/x").stat().st_mode & 0o777 == 0o400
    assert (tmp_path / "t/aa").stat().st_mode & 0o777 == 0o700
    assert list((tmp_path / ".drafts").iterdir()) == []


def test_a_server_that_does_not_answer_is_a_fault() -> None:
    away = Bucket("b", "", f"http://127.0.0.1:{free_port()}", "us-east-1", "k", "s")

    with pytest.raises(StoreFault) as raised:
        S3Store(away).get("t/aa/x")
    assert "the bucket b" in str(raised.value)


class _Page(BaseHTTPRequestHandler):
    """A proxy, or a captive portal, that answers whatever it is asked with a page."""

    status, page = HTTPStatus.OK, b""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.status)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    def do_PUT(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("status", "page"),
    [
        (HTTPStatus.OK, b"<html><body>Please log in<br></body></html>"),
        (HTTPStatus.OK, b"<html><body>Please log in</body></html>"),
        (HTTPStatus.FORBIDDEN, b"<html><body>Blocked</body></html>"),
    ],
)
def test_a_page_in_place_of_an_answer_is_a_fault_of_the_store(
    monkeypatch: pytest.MonkeyPatch, status: HTTPStatus, page: bytes
) -> None:
    """Also one that is XML: `doctor` says so."""
    monkeypatch.setattr(_Page, "status", status)
    monkeypatch.setattr(_Page, "page", page)
    with HTTPServer(("127.0.0.1", 0), _Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        place = Bucket("b", "", f"http://127.0.0.1:{server.server_port}", "us-east-1", "k", "s")
        found = S3Store(place).problems()
        server.shutdown()

    assert len(found) == 1
    assert "the bucket b" in found[0]


def test_a_bucket_that_is_not_there_is_a_fault(s3_server: str) -> None:
    store = S3Store(Bucket("none-such", "", s3_server, "us-east-1", "k", "s"))

    with pytest.raises(StoreFault, match="NoSuchBucket"):
        store.get("t/aa/x")
    assert store.problems() == ["the bucket none-such: NoSuchBucket"]


# -- object lock -----------------------------------------------------------------------------------


def in_days(days: int) -> date:
    return clock.today() + timedelta(days=days)


def retained(place: Bucket, key: str) -> date | None:
    import boto3

    client = boto3.client("s3", endpoint_url=place.endpoint, **KEYS)
    until = client.head_object(Bucket=place.bucket, Key=f"einvoice/{key}").get(
        "ObjectLockRetainUntilDate"
    )
    return until.date() if until else None


@pytest.mark.parametrize("mode", ["governance", "compliance"])
def test_a_locked_object_cannot_be_deleted_before_its_date(s3_server: str, mode: str) -> None:
    place = a_bucket(s3_server, lock=mode, has_lock=True)
    store = S3Store(place)
    store.put("t/aa/x", b"x", in_days(3))

    with pytest.raises(ObjectRetained):
        store.delete("t/aa/x")
    assert store.get("t/aa/x") == b"x"
    assert retained(place, "t/aa/x") == in_days(3)


def test_the_retention_of_an_object_is_prolonged_and_never_shortened(s3_server: str) -> None:
    place = a_bucket(s3_server, lock="governance", has_lock=True)
    store = S3Store(place)
    kept = []
    for days in (3, 5, 2):
        store.put("t/aa/x", b"x", in_days(days))
        kept.append(retained(place, "t/aa/x"))

    assert kept == [in_days(3), in_days(5), in_days(5)]


def test_a_bucket_without_the_lock_that_is_asked_for_is_a_problem(s3_server: str) -> None:
    store = S3Store(a_bucket(s3_server, lock="compliance"))

    assert "no object lock" in store.problems()[0]


# -- packing ---------------------------------------------------------------------------------------


def test_text_is_compressed_as_gzip_reads_it() -> None:
    encoding, packed = pack(b"<Invoice/>" * 100)

    assert encoding == GZIP
    assert gzip.decompress(packed) == b"<Invoice/>" * 100


def test_what_does_not_compress_is_stored_as_it_is() -> None:
    content = uuid.uuid4().bytes * 1

    assert pack(content) == (PLAIN, content)


@pytest.mark.parametrize(
    "packed",
    [b"", b"nonsense", pack(b"a" * 99)[1], pack(b"a" * 101)[1], pack(b"b" * 100)[1],
     pack(b"a" * 100)[1][:-9], pack(b"a" * 10_000_000)[1]],
)  # fmt: skip
def test_bytes_that_were_changed_are_refused(packed: bytes) -> None:
    name = ObjectName("t", digest(b"a" * 100), GZIP)

    assert unpack(pack(b"a" * 100)[1], name, 100) == b"a" * 100
    with pytest.raises(ObjectDamaged):
        unpack(packed, name, 100)


@pytest.mark.parametrize("tenant", ["", "..", "a/b", "a.b", "x" * 41])
def test_a_tenant_that_is_no_name_of_a_directory_is_refused(tenant: str) -> None:
    with pytest.raises(ValueError):
        ObjectName(tenant, "ab" * 32, PLAIN)
