import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def open_folder():
    """A folder that users of servers may read: another run of pytest closes the one of its own."""
    folder = Path(tempfile.mkdtemp(prefix="mail-interop-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
