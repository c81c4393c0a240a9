"""Session tokens: what holds, and everything that must not (decisions 10)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import warnings
from collections.abc import Iterator

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey
from joserfc.jws import JWSRegistry

from einvoice import clock
from einvoice.config import Settings, SettingsFault
from einvoice.domain.errors import IdentityProviderUnavailable, InvalidToken, TokenExpired
from einvoice.domain.roles import Role
from einvoice.http import Limits
from einvoice.security import dev_issuer, jwks
from einvoice.security.jwks import (
    EXPIRE_AFTER_SECONDS,
    MIN_FETCH_INTERVAL_SECONDS,
    REFRESH_AFTER_SECONDS,
)
from einvoice.security.jwt import Claims, Verifier
from tests.security.provider import AUDIENCE, ISSUER, Provider

HOUR, DAY = 3600, 86_400


@pytest.fixture(scope="module")
def provider():
    made = Provider()
    yield made
    made.server.stop()


def settings_of(provider, tmp_path, **changes) -> Settings:
    given = {"jwt_issuer": ISSUER, "jwt_audience": AUDIENCE, "jwt_jwks_url": provider.url}
    return Settings(data_dir=str(tmp_path), **(given | changes))


@pytest.fixture
def verifier(provider, tmp_path) -> Verifier:
    return Verifier.of(settings_of(provider, tmp_path))


def b64(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def test_a_good_token_says_who_is_asking(provider, verifier):
    assert verifier.read(provider.token()) == Claims("t1", "ann", "ann@example.com", Role.ADMIN)


@pytest.mark.parametrize("kind", ["RSA", "EC", "OKP"])
def test_rs256_es256_and_eddsa_are_taken(provider, tmp_path, kind):
    provider.add(f"one-{kind}", kind)
    verifier = Verifier.of(settings_of(provider, tmp_path))

    assert verifier.read(provider.token(f"one-{kind}")).subject == "ann"


def test_eddsa_is_taken_under_its_old_name_too(provider, tmp_path):
    """RFC 9864 renamed it; identity providers have not."""
    provider.add("old", "OKP")
    head = b64({"alg": "EdDSA", "kid": "old"})
    signed = f"{head}.{b64(provider.claims())}"
    signature = provider.keys["old"].private_key.sign(signed.encode())
    verifier = Verifier.of(settings_of(provider, tmp_path))

    assert verifier.read(f"{signed}.{b64(signature)}").subject == "ann"


@pytest.mark.parametrize(
    ("changes", "role"),
    [({"role": None}, Role.MEMBER), *(({"role": r.value}, r) for r in Role)],
)
def test_a_role_is_read_and_member_without_one(provider, verifier, changes, role):
    assert verifier.read(provider.token(**changes)).role is role


def test_an_audience_may_be_one_of_several(provider, verifier):
    assert verifier.read(provider.token(aud=["other", AUDIENCE])).tenant_id == "t1"


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "other"},
        {"aud": ["other"]},
        {"aud": None},
        {"sub": None},
        {"sub": "  "},
        {"sub": 7},
        {"iat": None},
        {"iat": "now"},
        {"exp": None},
        {"exp": True},
        {"tenant_id": None},
        {"tenant_id": ["t1"]},
        {"role": "root"},
        {"role": ["owner"]},
        {"role": None, "email": 5},
    ],
)
def test_a_claim_that_is_missing_or_wrong_is_no_token(provider, verifier, changes):
    with pytest.raises(InvalidToken):
        verifier.read(provider.token(**changes))


@pytest.mark.parametrize(
    ("shift", "fault"),
    [
        ({"iat": -HOUR, "exp": -59}, None),
        ({"iat": -HOUR, "exp": -60}, TokenExpired),
        ({"iat": 50, "exp": HOUR}, None),
        ({"iat": 70, "exp": HOUR}, InvalidToken),
        ({"iat": 0, "exp": HOUR, "nbf": 50}, None),
        ({"iat": 0, "exp": HOUR, "nbf": 70}, InvalidToken),
        ({"iat": 0, "exp": DAY}, None),
        ({"iat": 0, "exp": DAY + 1}, InvalidToken),
    ],
)
def test_times_are_held_to_with_a_minute_of_leeway(provider, verifier, monkeypatch, shift, fault):
    """And no token lives for more than a day."""
    now = clock.now().replace(microsecond=0)
    monkeypatch.setattr(clock, "now", lambda: now)
    token = provider.token(**{name: int(now.timestamp()) + s for name, s in shift.items()})
    if fault is None:
        assert verifier.read(token).subject == "ann"
        return

    with pytest.raises(fault):
        verifier.read(token)


# -- algorithm confusion ---------------------------------------------------------------------------


@pytest.mark.parametrize("alg", ["none", "None", "NONE", ""])
def test_an_unsigned_token_is_worth_nothing(provider, verifier, alg):
    head = b64({"alg": alg, "kid": "rsa"})
    for signature in ("", "AAAA"):
        with pytest.raises(InvalidToken):
            verifier.read(f"{head}.{b64(provider.claims())}.{signature}")


@pytest.mark.parametrize("alg", ["HS256", "HS384", "HS512"])
def test_a_public_key_is_no_password(provider, verifier, alg):
    """Everybody knows it: a MAC made with it proves nothing."""
    digest = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}[alg]
    for public in (
        provider.keys["rsa"].as_pem(private=False),
        json.dumps(provider.keys["rsa"].as_dict(private=False)).encode(),
    ):
        signed = f"{b64({'alg': alg, 'kid': 'rsa'})}.{b64(provider.claims())}"
        mac = hmac.new(public, signed.encode(), digest).digest()
        with pytest.raises(InvalidToken):
            verifier.read(f"{signed}.{b64(mac)}")


def test_the_kind_of_the_key_decides_the_algorithm(provider, verifier):
    """RS512 or PS256 with the right RSA key is still not what is agreed."""
    key = provider.keys["rsa"]
    for alg in ("RS384", "RS512", "PS256"):
        token = jwt.encode({"alg": alg, "kid": "rsa"}, provider.claims(), key, algorithms=[alg])
        with pytest.raises(InvalidToken):
            verifier.read(token)


def test_a_key_that_travels_in_the_token_is_not_believed(provider, verifier):
    mine = RSAKey.generate_key(2048, {"kid": "rsa"})
    header = {"alg": "RS256", "kid": "rsa", "jwk": mine.as_dict(private=False)}
    token = jwt.encode(header, provider.claims(), mine)

    with pytest.raises(InvalidToken):
        verifier.read(token)


def test_another_issuers_key_does_not_sign_for_this_one(provider, tmp_path):
    """The local issuer's key is known here too, and good for its own tokens only."""
    settings = settings_of(provider, tmp_path)
    verifier = Verifier.of(settings)
    good = dev_issuer.mint(settings, tenant_id="t1", role=Role.OWNER, subject="ann")
    key = ECKey.import_key(json.loads(dev_issuer.key_file(settings).read_text()))
    forged = jwt.encode({"alg": "ES256", "kid": key.kid}, provider.claims(), key)

    assert verifier.read(good).role is Role.OWNER
    with pytest.raises(InvalidToken):
        verifier.read(forged)


@pytest.mark.parametrize(
    "token",
    [
        "", "x", "a.b", "a.b.c", "a.b.c.d.e", "...", "é.é.é", "sk_test_" + "a" * 49, "x" * 20_000,
        f"{b64([])}.{b64({})}.AA", f"{b64({'alg': 'RS256'})}.{b64([1])}.AA",
        f"{b64({'alg': 'RS256', 'kid': 5})}.{b64({'iss': ISSUER})}.AA",
        f"{b64({'alg': ['RS256'], 'kid': 'rsa'})}.{b64({'iss': ISSUER})}.AA",
        f"{b64({'alg': 'RS256', 'kid': 'rsa', 'crit': ['x'], 'x': 1})}.{b64({'iss': ISSUER})}.AA",
        f"{b64({'alg': 'RS256', 'kid': 'rsa', 'b64': False})}.{b64({'iss': ISSUER})}.AA",
        f"{b64({'alg': 'RS256'})}.{b64(b'[' * 50_000)}.AA"[:15_999],
    ],
)  # fmt: skip
def test_what_is_no_token_is_told_so(verifier, token):
    with pytest.raises(InvalidToken):
        verifier.read(token)


def test_a_changed_claim_breaks_the_signature(provider, verifier):
    head, _, signature = provider.token().split(".")
    with pytest.raises(InvalidToken, match="signature"):
        verifier.read(f"{head}.{b64(provider.claims(tenant_id='t2'))}.{signature}")


# -- keys ------------------------------------------------------------------------------------------


@pytest.fixture
def time(monkeypatch):
    """`time.pass_(seconds)`: the service's stop-watch, at will."""

    class Time:
        now = 1000.0

        def pass_(self, seconds: float) -> None:
            self.now += seconds

    moving = Time()
    monkeypatch.setattr(clock, "monotonic", lambda: moving.now)
    # On a busy machine a provider that is late would count as one that is away.
    patient = Limits(connect=60.0, read=60.0, total=60.0)
    monkeypatch.setattr(jwks, "_LIMITS", patient)
    return moving


@pytest.fixture
def own_provider():
    made = Provider()
    yield made
    made.server.stop()


def test_keys_are_asked_for_once_in_ten_minutes(own_provider, tmp_path, time):
    verifier = Verifier.of(settings_of(own_provider, tmp_path))
    for _ in range(5):
        verifier.read(own_provider.token())
    assert own_provider.visits == 1
    time.pass_(REFRESH_AFTER_SECONDS + 1)
    verifier.read(own_provider.token())

    assert own_provider.visits == 2


def test_a_new_key_is_found_and_made_up_ones_cost_the_provider_little(own_provider, tmp_path, time):
    """One visit for an unknown key id, then none for half a minute, whatever comes."""
    verifier = Verifier.of(settings_of(own_provider, tmp_path))
    verifier.read(own_provider.token())
    time.pass_(MIN_FETCH_INTERVAL_SECONDS + 1)
    own_provider.add("new")
    assert verifier.read(own_provider.token("new")).subject == "ann"
    assert own_provider.visits == 2
    for number in range(20):
        with pytest.raises(InvalidToken):
            verifier.read(own_provider.token(header={"kid": f"made-up-{number}"}))

    assert own_provider.visits == 2


def test_a_key_that_is_withdrawn_ends_within_ten_minutes(own_provider, tmp_path, time):
    own_provider.add("second")
    verifier = Verifier.of(settings_of(own_provider, tmp_path))
    token = own_provider.token()
    verifier.read(token)
    del own_provider.keys["rsa"]
    time.pass_(REFRESH_AFTER_SECONDS + 1)

    with pytest.raises(InvalidToken, match="publish"):
        verifier.read(token)


def test_while_the_provider_is_away_known_keys_are_good_for_an_hour(own_provider, tmp_path, time):
    verifier = Verifier.of(settings_of(own_provider, tmp_path))
    verifier.read(own_provider.token())
    own_provider.down = True
    time.pass_(REFRESH_AFTER_SECONDS + 1)
    assert verifier.read(own_provider.token()).subject == "ann"
    time.pass_(EXPIRE_AFTER_SECONDS)

    with pytest.raises(IdentityProviderUnavailable):
        verifier.read(own_provider.token())


def test_a_provider_that_never_answered_is_our_trouble_not_the_callers(own_provider, tmp_path):
    """503, not 401: people would log in again and again."""
    own_provider.down = True
    verifier = Verifier.of(settings_of(own_provider, tmp_path))

    with pytest.raises(IdentityProviderUnavailable):
        verifier.read(own_provider.token())


@pytest.mark.parametrize("status", ["201 Created", "404 Gone", "500 Broken"])
def test_keys_are_read_from_a_response_of_200_only(own_provider, tmp_path, status):
    """A cache or a firewall may answer for the provider, in its form."""
    body = own_provider.published()
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    own_provider.server.script = lambda connection: connection.sendall(head.encode() + body)

    with pytest.raises(IdentityProviderUnavailable):
        Verifier.of(settings_of(own_provider, tmp_path)).read(own_provider.token())


def test_a_token_without_a_key_id_is_taken_where_there_is_one_key(own_provider, tmp_path):
    verifier = Verifier.of(settings_of(own_provider, tmp_path))
    token = jwt.encode({"alg": "RS256"}, own_provider.claims(), own_provider.keys["rsa"])
    assert verifier.read(token).subject == "ann"
    own_provider.add("second")
    verifier = Verifier.of(settings_of(own_provider, tmp_path))

    with pytest.raises(InvalidToken):
        verifier.read(token)


def test_keys_of_other_kinds_are_left_out(own_provider, tmp_path):
    """Other curves, secrets, keys for encryption: a set may hold them all."""
    good = json.loads(own_provider.published())["keys"]
    odd = [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "rsa"},
        {"kty": "EC", "crv": "P-384", "kid": "p384"},
        {**good[0], "use": "enc", "kid": "enc"},
        {**good[0], "key_ops": ["encrypt"], "kid": "ops"},
        "nonsense",
    ]
    own_provider.published = lambda: json.dumps({"keys": [*odd, *good]}).encode()
    verifier = Verifier.of(settings_of(own_provider, tmp_path))
    assert verifier.read(own_provider.token()).subject == "ann"

    for kid in ("p384", "enc", "ops"):
        with pytest.raises(InvalidToken):
            verifier.read(own_provider.token(header={"kid": kid}))


@pytest.fixture
def short_keys() -> Iterator[None]:
    """The library warns of them; here they are wanted."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Key size should be")
        yield


@pytest.mark.usefixtures("short_keys")
@pytest.mark.parametrize(
    ("bits", "is_used"), [(1024, False), (2040, False), (2048, True), (3072, True)]
)
def test_rsa_keys_of_fewer_than_2048_bits_are_left_out(bits, is_used):
    """NIST SP 800-131A; the library only warns."""
    published = RSAKey.generate_key(bits, {"kid": "rsa"}).as_dict(private=False)

    assert [key.kid for key in jwks.usable([published])] == (["rsa"] if is_used else [])


@pytest.mark.usefixtures("short_keys")
def test_a_token_signed_with_a_short_rsa_key_is_refused(own_provider, tmp_path):
    own_provider.keys["rsa"] = RSAKey.generate_key(1024, {"kid": "rsa"})
    verifier = Verifier.of(settings_of(own_provider, tmp_path))

    with pytest.raises(InvalidToken, match="a key its issuer does not publish"):
        verifier.read(own_provider.token())


@pytest.mark.parametrize(
    ("curve", "is_used"), [("P-256", True), ("P-384", False), ("P-521", False)]
)
def test_only_the_curve_of_es256_is_used(curve, is_used):
    published = ECKey.generate_key(curve, {"kid": "ec"}).as_dict(private=False)

    assert bool(jwks.usable([published])) is is_used


@pytest.mark.parametrize(
    ("marks", "is_used"),
    [({}, True), ({"use": "sig"}, True), ({"use": "enc"}, False), ({"key_ops": ["sign"]}, False)],
)
def test_only_keys_for_signatures_are_used(marks, is_used):
    """Without a mark a key may be used for anything."""
    published = ECKey.generate_key("P-256", {"kid": "ec"}).as_dict(private=False)

    assert bool(jwks.usable([published | marks])) is is_used


@pytest.mark.parametrize(("length", "is_taken"), [(255, True), (256, False)])
def test_a_subject_has_at_most_255_characters(provider, verifier, length, is_taken):
    token = provider.token(sub="s" * length)
    if is_taken:
        assert len(verifier.read(token).subject) == 255
        return
    with pytest.raises(InvalidToken, match="sub"):
        verifier.read(token)


@pytest.mark.parametrize(("length", "is_taken"), [(16_000, True), (16_002, False)])
def test_a_session_token_has_at_most_16000_characters(provider, verifier, length, is_taken):
    """Longer ones are refused before they are parsed, with any signature."""
    guess = (length - len(provider.token(pad=""))) * 3 // 4
    sized = (provider.token(pad="p" * n) for n in range(guess - 3, guess + 4))
    token = next(token for token in sized if len(token) == length)
    if is_taken:
        assert verifier.read(token).subject == "ann"
        return
    with pytest.raises(InvalidToken, match="not a session token"):
        verifier.read(token)


def test_members_of_the_header_that_are_not_known_are_ignored(provider, verifier):
    """Identity providers add members of their own."""
    anything = JWSRegistry(algorithms=["RS256"], strict_check_header=False)
    header = {"alg": "RS256", "kid": "rsa", "org": "acme"}
    token = jwt.encode(header, provider.claims(), provider.keys["rsa"], registry=anything)

    assert verifier.read(token).subject == "ann"


# -- the local issuer ------------------------------------------------------------------------------


def test_production_neither_issues_nor_takes_local_tokens(tmp_path):
    here = Settings(data_dir=str(tmp_path))
    token = dev_issuer.mint(here, tenant_id="t1", role=Role.OWNER, subject="ann")
    live = Settings(data_dir=str(tmp_path), mode="production")
    with pytest.raises(SettingsFault):
        dev_issuer.mint(live, tenant_id="t1", role=Role.OWNER, subject="ann")

    assert Verifier.of(here).read(token).tenant_id == "t1"
    with pytest.raises(InvalidToken):
        Verifier.of(live).read(token)


def test_the_local_issuer_can_be_switched_off(tmp_path):
    off = Settings(data_dir=str(tmp_path), jwt_dev_issuer=False)
    with pytest.raises(SettingsFault):
        dev_issuer.mint(off, tenant_id="t1", role=Role.OWNER, subject="ann")


def test_its_key_is_for_the_service_alone(tmp_path):
    settings = Settings(data_dir=str(tmp_path))
    dev_issuer.mint(settings, tenant_id="t1", role=Role.OWNER, subject="ann")

    assert dev_issuer.key_file(settings).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("left_out", ["jwt_issuer", "jwt_audience", "jwt_jwks_url"])
def test_an_identity_provider_is_set_whole_or_not_at_all(left_out):
    given = {"jwt_issuer": ISSUER, "jwt_audience": "a", "jwt_jwks_url": "https://login.example/k"}
    Settings(**given).check()
    with pytest.raises(SettingsFault, match="together"):
        Settings(**(given | {left_out: ""})).check()
