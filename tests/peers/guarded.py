"""A FastMCP server that lets nobody see a folder of skills who has not signed in.

usage: guarded.py ROOT PORT

Its own authorization server is FastMCP's for tests: it lets in whoever comes.
"""

import sys
from pathlib import Path

from fastmcp import FastMCP
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from mcp.server.auth.settings import ClientRegistrationOptions

root, port = Path(sys.argv[1]), int(sys.argv[2])
auth = InMemoryOAuthProvider(
    base_url=f"http://127.0.0.1:{port}",
    client_registration_options=ClientRegistrationOptions(
        enabled=True, valid_scopes=["skills"], default_scopes=["skills"]
    ),
    required_scopes=["skills"],
)
mcp = FastMCP("guarded", auth=auth)
mcp.add_provider(SkillsDirectoryProvider(roots=root))
mcp.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
