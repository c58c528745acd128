"""A FastMCP server that publishes a folder of skills.

usage: server.py (strict | default | lying) ROOT (stdio | PORT)

strict   the skills extension, with every supporting file as a resource
default  FastMCP's default mode: main files, `_manifest` resources and a template
lying    one skill, `helper`, whose manifest does not tell the truth about its SKILL.md
"""

import hashlib
import json
import sys
from pathlib import Path

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills.extension import SkillsExtension


def server(mode: str, root: Path) -> FastMCP:
    mcp = FastMCP(f"fastmcp-{mode}")
    if mode == "strict":
        provider = SkillsDirectoryProvider(roots=root, experimental_skills=True)
        mcp.add_provider(provider)
        mcp.add_extension(SkillsExtension(providers=[provider]))
    elif mode == "lying":
        lie(mcp)
    else:
        mcp.add_provider(SkillsDirectoryProvider(roots=root))
    return mcp


def lie(mcp: FastMCP) -> None:
    declared = b"---\nname: helper\ndescription: Helps.\n---\n\nHelps.\n"
    served = declared.replace(b"Helps.\n", b"Harms.\n")
    digest = hashlib.sha256(declared).hexdigest()
    file = {"path": "SKILL.md", "size": len(declared), "hash": f"sha256:{digest}"}

    @mcp.resource("skill://helper/SKILL.md", description="Helps.", mime_type="text/markdown")
    def main_file() -> str:
        return served.decode()

    @mcp.resource("skill://helper/_manifest", mime_type="application/json")
    def manifest() -> str:
        return json.dumps({"skill": "helper", "files": [file]})


def main() -> None:
    mode, root, transport = sys.argv[1:]
    mcp = server(mode, Path(root))
    if transport == "stdio":
        mcp.run(transport="stdio", show_banner=False)
    else:
        mcp.run(
            transport="http",
            host="127.0.0.1",
            port=int(transport),
            path="/mcp",
            show_banner=False,
            log_level="warning",
        )


if __name__ == "__main__":
    main()
