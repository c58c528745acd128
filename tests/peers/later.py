"""The client of FastMCP's later version, which verifies what it reads.

usage: later.py VISITS

VISITS is a JSON list. Each visit has a `name`, a `url` or a `command` (a list), the `mode` of the
connection, as in `auto` or `legacy`, and `extension`, whether to make the extension's calls. Prints
one object of what each visit saw.
"""

import asyncio
import json
import logging
import sys
import warnings
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills import SkillsClientExtension


def plain(model: Any) -> Any:
    return json.loads(model.model_dump_json(by_alias=True, exclude_none=True))


async def read(client: Client, uri: str) -> dict[str, str]:
    skill = await client.read_skill(uri)
    return {path: file.digest for path, file in skill.manifest.files.items()}


async def visit(visit: dict[str, Any]) -> dict[str, Any]:
    transport: Any = visit.get("url")
    if transport is None:
        program, *arguments = visit["command"]
        transport = StdioTransport(command=program, args=arguments)
    extensions = [SkillsClientExtension()] if visit["extension"] else None
    async with Client(transport, mode=visit["mode"], extensions=extensions) as client:
        resources = [str(resource.uri) for resource in await client.list_skill_resources()]
        seen: dict[str, Any] = {
            "resources": resources,
            "read": {uri: await read(client, uri) for uri in resources},
        }
        if visit["extension"]:
            listed = await client.list_skills()
            seen["listed"] = [plain(skill) for skill in listed]
            seen["got"] = [plain(await client.get_skill(skill.uri)) for skill in listed]
            seen["read"] |= {skill.uri: await read(client, skill.uri) for skill in listed}
        return seen


async def main() -> None:
    visits = json.loads(sys.argv[1])
    print(json.dumps({each["name"]: await visit(each) for each in visits}))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    asyncio.run(asyncio.wait_for(main(), 120))
