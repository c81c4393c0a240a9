"""What the service writes and reads of secrets: files of its user only, credentials of systemd."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from einvoice.config import Settings, SettingsFault


def test_files_in_a_directory_that_was_there_are_readable_by_the_user_only(tmp_path: Path) -> None:
    """A mounted volume is often 0755, and the umask 022: the database has documents and keys."""
    tmp_path.chmod(0o755)
    environ = {"PATH": os.environ["PATH"], "EINVOICE_DATA_DIR": str(tmp_path)}
    command = f"umask 022; {sys.executable} -m einvoice.cli db upgrade"
    subprocess.run(["bash", "-c", command], env=environ, check=True, capture_output=True)
    modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.rglob("*")}

    assert "einvoice.sqlite3" in modes
    assert set(modes.values()) == {0}


def test_a_setting_may_name_a_credential_of_systemd(tmp_path: Path) -> None:
    """Its directory is another one in each unit, and a file of settings is one for all."""
    (tmp_path / "peppol_name").write_text("Acme")
    named = {"EINVOICE_PROVIDER_FILE": "${CREDENTIALS_DIRECTORY}/peppol_name",
             "EINVOICE_EXPORT_DIR": "${CREDENTIALS_DIRECTORY}/a"}  # fmt: skip
    settings = Settings.from_env({**named, "CREDENTIALS_DIRECTORY": str(tmp_path)})

    assert (settings.provider, settings.export_dir) == ("Acme", f"{tmp_path}/a")
    with pytest.raises(SettingsFault, match="only units of systemd have"):
        Settings.from_env(named)
