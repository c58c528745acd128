"""A FastMCP server that publishes a folder of skills.

usage: server.py MODE ROOT (stdio | PORT) [template | resources]

Runs on FastMCP 3.4, 4.1 and 4.2, as far as they have the mode.

strict   the skills extension, in the way of 4.1
later    the skills extension, in the way of 4.2, which declares it by itself
default  the mode of 3.4 and 4.1: main files, `_manifest` resources and a template
loose    the same, and one skill, `loose`, for which there is no manifest
lying    one skill, `helper`, whose manifest does not tell the truth about its SKILL.md

The last word says whether supporting files are listed; without it they are as FastMCP has them.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from fastmcp import FastMCP


def server(mode: str, root: Path, options: dict[str, Any]) -> FastMCP:
    mcp = FastMCP(f"fastmcp-{mode}")
    if mode == "lying":
        lie(mcp)
    elif mode == "later":
        from fastmcp.skills.provider import SkillsDirectoryProvider as Later

        mcp.add_provider(Later(root))
    elif mode == "strict":
        from fastmcp.server.providers.skills import SkillsDirectoryProvider
        from fastmcp.skills.extension import SkillsExtension

        provider = SkillsDirectoryProvider(roots=root, experimental_skills=True, **options)
        mcp.add_provider(provider)
        mcp.add_extension(SkillsExtension(providers=[provider]))
    else:
        from fastmcp.server.providers.skills import SkillsDirectoryProvider

        mcp.add_provider(SkillsDirectoryProvider(roots=root, **options))
        if mode == "loose":
            leave_loose(mcp)
    return mcp


def leave_loose(mcp: FastMCP) -> None:
    @mcp.resource("skill://loose/SKILL.md", description="Loose.", mime_type="text/markdown")
    def main_file() -> str:
        return "---\nname: loose\ndescription: Loose.\n---\n\nLoose.\n"


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
    mode, root, transport, *supporting = sys.argv[1:]
    options = {"supporting_files": supporting[0]} if supporting else {}
    mcp = server(mode, Path(root), options)
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
