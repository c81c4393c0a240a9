"""Rule sets: the rules for documents of one kind, and which set judges a document.

A document says what it is by its document element, its specification (BT-24, CustomizationID) and
its business process (BT-23, ProfileID). The set that recognises it judges it; else the set of the
network it is sent to; an explicit wish comes before both. The set of a network may take documents
that another set recognises (`RuleSet.takes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import partial

from einvoice.rules.layers import Syntax
from einvoice.rules.packs import Pack, pack_of
from einvoice.rules.scenarios import Declared as Declared
from einvoice.rules.scenarios import Scenario as Scenario

AS_FLAGGED = Scenario()
# Of documents of a specification that no rule set knows: only their schema is checked.
SCHEMA_ONLY = Scenario(layers=frozenset(), unjudged="unknown")
# The same of one that is known, by its name (`specifications`).
NAMED = Scenario(layers=frozenset(), unjudged="known")


def as_flagged(_: Declared) -> Scenario | None:
    """The scenario of documents whose rules all count as they are flagged."""
    return AS_FLAGGED


def none(_: Declared) -> bool:
    """Recognise no document: the set judges only what is asked for by name or network."""
    return False


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet:
    """The rules for documents of one kind, in the releases of their time.

    name        permanent, for example "peppol-bis-billing"
    packs       one for each period, the first of them also for all days before it
    recognises  whether a document that declares this is of this kind
    scenario    which rules count, and how, for a document that declares this; None: the publisher
                has no scenario for it, so it is refused whatever the rules find. A release may have
                its own (`scenario_in`)
    covers      whether it judges such a document, as far as it can, if no set recognises it
    takes       whether it judges such a document in place of the set that recognises it, where it
                is the set of the network that the document is sent to
    within      of documents that repeat an invoice, the rules on that (`documents.tax_data`)
    """

    name: str
    packs: tuple[Pack, ...]
    recognises: Callable[[Declared], bool] = none
    scenario: Callable[[Declared], Scenario | None] = as_flagged
    covers: Callable[[Declared], bool] = none
    takes: Callable[[Declared], bool] = none
    within: Pack | None = None

    def on(self, day: date) -> Pack:
        """The pack in force on a day; the newest if none is known for so late a day."""
        try:
            return pack_of(self.packs, day)
        except LookupError:
            return self.packs[-1]

    def announced(self, day: date) -> Pack | None:
        """The next pack that is known on a day and not in force yet; None if there is none."""
        return next((pack for pack in self.packs if pack.valid_from > day), None)

    def scenario_in(self, release: Pack, declared: Declared) -> Scenario | None:
        """The scenario of a document that declares this in one of the releases."""
        return (release.scenario or self.scenario)(declared)

    def load(self) -> int:
        """Make the engines of all releases, and read the requirement of each rule; their number.

        Raises whatever importing a module of rules raises.
        """
        count = 0
        for pack in (*self.packs, *([self.within] if self.within else [])):
            for syntax in {book.layer.syntax for book in pack.books}:
                pack.engine(syntax)
            count += len([rule.requires for book in pack.books for rule in book.rules])
        return count

    @property
    def syntaxes(self) -> frozenset[Syntax]:
        """The syntaxes of its documents, in any release."""
        return frozenset(book.layer.syntax for pack in self.packs for book in pack.books)


class ChosenBy(StrEnum):
    """Why a rule set judges a document."""

    REQUEST = "request"  # it was asked for
    DOCUMENT = "document"  # the document says that it is of this kind
    NETWORK = "network"  # the set of the network; Peppol where none is named


@dataclass(frozen=True, slots=True)
class Choice:
    """A rule set, and why it was chosen."""

    rule_set: RuleSet
    by: ChosenBy


class UnusableRules(Exception):
    """The rules of a set cannot be loaded, so that no document of its kind can be judged."""


class RuleSets:
    """The rule sets that are installed, by name. Raises ValueError for two of one name or pack id.

    default  the name of the set for documents that no set recognises, where no network is named
    restore  the module-level function, with its arguments, that makes these sets in another process
    """

    def __init__(
        self, rule_sets: Iterable[RuleSet], default: str, restore: partial[RuleSets]
    ) -> None:
        self._restore = restore
        self._by_name: dict[str, RuleSet] = {}
        for rule_set in rule_sets:
            if rule_set.name in self._by_name:
                raise ValueError(f"two rule sets are named {rule_set.name!r}")
            self._by_name[rule_set.name] = rule_set
        packs = [pack.id for rule_set in self for pack in rule_set.packs]
        if len(packs) != len(set(packs)):
            raise ValueError("two packs have one id")
        self.default = self._by_name[default]
        self._syntaxes: Mapping[str, Syntax] = {
            root: syntax
            for rule_set in self
            for syntax in rule_set.syntaxes
            for root in syntax.roots
        }

    def __iter__(self) -> Iterator[RuleSet]:
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> RuleSet:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def release(self, pack_id: str) -> Pack:
        """The release of this id. Raises KeyError for one that is not installed."""
        for rule_set in self:
            for pack in rule_set.packs:
                if pack.id == pack_id:
                    return pack
        raise KeyError(pack_id)

    def load(self) -> int:
        """Load all rules of all releases, which otherwise waits until a document needs them.

        Returns how many there are, those that releases share counted in each. Raises UnusableRules,
        for the first set of which one cannot be used.
        """
        count = 0
        for rule_set in self:
            try:
                count += rule_set.load()
            except Exception as fault:  # whatever the module of a rule raises when it is imported
                why = f"{type(fault).__name__}: {fault}"
                raise UnusableRules(f"The rules {rule_set.name} cannot be loaded: {why}") from fault
        return count

    def __reduce__(self) -> tuple[Callable[..., RuleSets], tuple[object, ...]]:
        """Rules are functions: a computing process makes the sets again, once."""
        return self._restore.func, self._restore.args

    def syntax_of(self, root: str) -> Syntax | None:
        """The syntax of documents with this document element; None if no set knows it."""
        return self._syntaxes.get(root)

    def knows(self, declared: Declared) -> bool:
        """Whether some set recognises or covers a document that declares this."""
        return any(each.recognises(declared) or each.covers(declared) for each in self)

    def choose(
        self,
        declared: Declared | None,
        *,
        asked: str | None = None,
        network: str | None = None,
        covered: bool = True,
    ) -> Choice:
        """The rule set that judges a document, and why.

        declared  None: the document cannot be read
        asked     the name of the set to judge by, whatever the document says
        network   the name of the set of the network it is sent to
        covered   whether a set judges documents that it only covers

        Raises KeyError for a name that is not installed.
        """
        if asked is not None:
            return Choice(self[asked], ChosenBy.REQUEST)
        if declared is not None:
            if network and self[network].takes(declared):
                return Choice(self[network], ChosenBy.NETWORK)
            found = [each for each in self if each.recognises(declared)]
            found += [each for each in self if covered and each.covers(declared)]
            if found:
                return Choice(found[0], ChosenBy.DOCUMENT)
        return Choice(self[network] if network else self.default, ChosenBy.NETWORK)
