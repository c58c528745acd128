"""FastMCP's own client against a server of skills: what it lists and what it downloads.

usage: client.py INTO URL
       client.py INTO COMMAND [ARGS…]

Prints one JSON object: the skills as listed, with description and manifest. Downloads each of
them, with FastMCP's helpers, into a folder of its own under INTO.
"""

import asyncio
import json
import sys
import warnings
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.utilities.skills import download_skill, get_skill_manifest, list_skills


async def main() -> None:
    into, *target = sys.argv[1:]
    if target[0].startswith("http"):
        transport = target[0]
    else:
        transport = StdioTransport(command=target[0], args=target[1:])
    listed = []
    async with Client(transport) as client:
        for skill in await list_skills(client):
            manifest = await get_skill_manifest(client, skill.name)
            await download_skill(client, skill.name, Path(into))
            listed.append(
                {
                    "name": skill.name,
                    "description": skill.description,
                    "uri": str(skill.uri),
                    "files": [
                        {"path": file.path, "size": file.size, "hash": file.hash}
                        for file in manifest.files
                    ],
                }
            )
    print(json.dumps(listed))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(asyncio.wait_for(main(), 60))
