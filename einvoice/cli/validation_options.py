"""The values of options of `einvoice validate`; the error of a wrong one names those there are."""

from __future__ import annotations

from pathlib import Path

import click

from einvoice.cli.verapdf import VeraPdf
from einvoice.rules import EN16931
from einvoice.services import forms
from einvoice.validation.levels import InvalidLevels, Levels


def rule_set(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    rule_sets = forms.installed().rule_sets
    if name is not None and name not in rule_sets:
        known = ", ".join(sorted(rule_set.name for rule_set in rule_sets))
        raise click.BadParameter(f"there is no rule set {name!r}; installed: {known}")
    return name


def rule_set_of_network(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    """The rule set of a network; `en16931` stands for documents of no network."""
    if name is None or name == EN16931.name:
        return name
    installed = forms.installed()
    if name not in installed.networks:
        known = ", ".join(sorted(installed.networks))
        raise click.BadParameter(f"there is no network {name!r}; installed: {known}, en16931")
    return installed.of(name).rule_set


def rule_set_of_profile(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    profiles = [
        each for network in forms.installed().networks.values() for each in network.profiles
    ]
    found = next((each.rule_set for each in profiles if each.name == name), None)
    if name is not None and found is None:
        known = ", ".join(sorted(each.name for each in profiles))
        raise click.BadParameter(f"there is no profile {name!r}; installed: {known}")
    return found


def verapdf(_: click.Context, __: click.Parameter, name: str | None) -> VeraPdf | None:
    if name is None:
        return None
    if found := VeraPdf.named(name):
        return found
    raise click.BadParameter(
        f"there is no program {name!r}; install veraPDF (https://verapdf.org), or leave the option "
        "out: then PDFs are checked for what the attached invoice needs only"
    )


def levels(_: click.Context, __: click.Parameter, file: Path | None) -> Levels | None:
    """The levels of rules in a file."""
    if file is None:
        return None
    try:
        return Levels.read(file, forms.installed().rule_sets)
    except OSError as fault:
        raise click.BadParameter(f"{file}: {fault.strerror or fault}") from None
    except InvalidLevels as fault:
        raise click.BadParameter(f"{file}: {fault}") from None


def file_to_write(_: click.Context, __: click.Parameter, file: Path | None) -> Path | None:
    """A file that is written after all documents are checked: its folder must be there before."""
    if file is not None and not file.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(file.parent)!r}")
    return file
