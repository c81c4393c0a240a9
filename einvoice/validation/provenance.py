"""Where a verdict comes from: the document, and the release of the rule set, with their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from einvoice.rules import Pack
from einvoice.rules.digests import digest_of
from einvoice.validation.judgement import Judgement
from einvoice.validation.levels import Levels


@dataclass(frozen=True, slots=True)
class Provenance:
    """The inputs of a verdict.

    document_sha256  of the document as it was given, so of a PDF as a whole; None: it is
                     endless, or there is none
    release          the published name of the release of the rule set
    rule_set_sha256  of its rules (`rules/digests`)
    levels           the levels that rules were given for this verdict; None: their own
    """

    document_sha256: str | None
    release: str
    rule_set_sha256: str
    levels: Levels | None = None

    @classmethod
    def of(
        cls, judgement: Judgement, document_sha256: str | None, levels: Levels | None = None
    ) -> Provenance:
        """The provenance of a judgement on a document with this digest."""
        return replace(cls.of_release(judgement.pack, document_sha256), levels=levels)

    @classmethod
    def of_release(cls, release: Pack, document_sha256: str | None) -> Provenance:
        """The provenance of a verdict by a release of a rule set."""
        return cls(document_sha256, release.release, digest_of(release))

    def as_json(self) -> Mapping[str, object]:
        """The members of a report that follow `ruleSetChosenBy`."""
        own: dict[str, object] = {
            "ruleSetRelease": self.release,
            "ruleSetSha256": self.rule_set_sha256,
            "documentSha256": self.document_sha256,
        }
        return own | {"levels": self.levels.as_json()} if self.levels else own


def sha256_of(document: bytes) -> str:
    """The digest of a document, in hexadecimal digits."""
    return hashlib.sha256(document).hexdigest()
