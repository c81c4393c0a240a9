"""`python -m einvoice_client.mcp_server` is the command `einvoice-client-mcp`."""

import sys

from einvoice_client.mcp_server import main

sys.exit(main())
