"""Secrets at rest."""

import base64
from concurrent.futures import ThreadPoolExecutor

import pytest

from einvoice.config import Settings, SettingsFault
from einvoice.security.sealing import KEY_FILE, Keyring, SealBroken, keyring, new_key


def test_what_is_sealed_opens_for_its_own_row_only():
    """A sealed value copied to another row is of no use to the one who copied it."""
    ring = keyring(Settings(secret_key=new_key()))
    sealed = ring.seal(b"whsec_abc", "webhook_endpoints/1/secret")

    assert ring.open(sealed, "webhook_endpoints/1/secret") == b"whsec_abc"
    with pytest.raises(SealBroken):
        ring.open(sealed, "webhook_endpoints/2/secret")


def test_the_sealed_value_shows_nothing_of_the_secret():
    """Not even that two secrets are equal."""
    ring = keyring(Settings(secret_key=new_key()))

    assert b"whsec_abc" not in ring.seal(b"whsec_abc", "row")
    assert ring.seal(b"whsec_abc", "row") != ring.seal(b"whsec_abc", "row")


@pytest.mark.parametrize("position", [0, 8, 20, -1], ids=["key id", "nonce", "text", "tag"])
def test_a_changed_byte_is_noticed(position):
    """Authenticated encryption: a damaged value is refused, never misread."""
    ring = keyring(Settings(secret_key=new_key()))
    sealed = bytearray(ring.seal(b"secret", "row"))
    sealed[position] ^= 1

    with pytest.raises(SealBroken):
        ring.open(bytes(sealed), "row")


@pytest.mark.parametrize("sealed", [b"", b"short"])
def test_a_value_too_short_to_be_sealed_is_refused(sealed):
    """A column that was emptied by hand does not crash the sender."""
    with pytest.raises(SealBroken):
        keyring(Settings(secret_key=new_key())).open(sealed, "row")


def test_a_new_key_in_front_seals_and_the_old_one_still_opens():
    """Rotation needs no moment at which nothing can be read."""
    old, new = new_key(), new_key()
    sealed = keyring(Settings(secret_key=old)).seal(b"secret", "row")
    rotated = keyring(Settings(secret_key=f"{new}, {old}"))

    assert rotated.open(sealed, "row") == b"secret"
    assert keyring(Settings(secret_key=new)).open(rotated.seal(b"x", "row"), "row") == b"x"
    with pytest.raises(SealBroken):
        keyring(Settings(secret_key=new)).open(sealed, "row")


SHORT, LONG = (base64.urlsafe_b64encode(bytes(n)).decode() for n in (31, 33))


@pytest.mark.parametrize("text", ["c2hvcnQ=", SHORT, LONG, "not base64!", "", " , "], ids=repr)
def test_a_malformed_key_stops_the_start(text):
    """And says which setting, without showing it."""
    settings = Settings(secret_key=text or ",")

    with pytest.raises(SettingsFault, match="EINVOICE_SECRET_KEY") as fault:
        keyring(settings)
    assert not text.strip(" ,") or text not in str(fault.value)


def test_development_makes_one_key_that_only_its_owner_reads(tmp_path):
    """Eight processes that start at once agree on one key."""
    with ThreadPoolExecutor(8) as starting:
        made = list(
            starting.map(
                lambda n: keyring(Settings(data_dir=str(tmp_path), max_waiters=n)).first, range(8)
            )
        )

    assert len(set(made)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_production_never_makes_a_key(tmp_path):
    """A key that lives beside the data it protects is for development."""
    with pytest.raises(SettingsFault):
        keyring(Settings(mode="production", data_dir=str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


def test_a_keyring_does_not_show_its_keys():
    """It may end in a traceback or a log line."""
    key = bytes(range(32))

    assert key.hex() not in repr(Keyring.of([key]))
    assert "keys" not in repr(Keyring.of([key]))
