"""FastMCP's helpers for skills, all four, and its client with the skills extension.

usage: helpers.py VISITS

VISITS is a JSON list. Each visit has a `name`, a `url` or a `command` (a list), the `mode` of the
connection, as in `auto` or `legacy`, `into`, a folder, and `extension`, whether to make the
extension's calls. Downloads every skill to `into`/one and syncs all of them to `into`/all. Prints
one object of what each visit saw.
"""

import asyncio
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills import SkillsClientExtension, models
from fastmcp.utilities.skills import (
    download_skill,
    get_skill_manifest,
    list_skills,
    sync_skills,
)
from mcp.shared.exceptions import MCPError


async def extension(client: Client) -> dict[str, Any]:
    async def ask(request: Any, result: Any) -> Any:
        answer = await client.session.send_request(request, result)
        return json.loads(answer.model_dump_json(by_alias=True, exclude_none=True))

    listed = await ask(
        models.ListSkillsRequest(params=models.ListSkillsParams()), models.ListSkillsResult
    )
    got = []
    for skill in listed["skills"]:
        params = models.GetSkillParams(uri=skill["uri"])
        answer = await ask(models.GetSkillRequest(params=params), models.GetSkillResult)
        got.append(answer["skill"])
    return {"listed": listed["skills"], "got": got}


async def visit(visit: dict[str, Any]) -> dict[str, Any]:
    transport: Any = visit.get("url")
    if transport is None:
        program, *arguments = visit["command"]
        transport = StdioTransport(command=program, args=arguments)
    into = Path(visit["into"])
    extensions = [SkillsClientExtension()] if visit["extension"] else None
    async with Client(transport, mode=visit["mode"], extensions=extensions) as client:
        skills = []
        for skill in await list_skills(client):
            seen = {"name": skill.name, "description": skill.description, "uri": str(skill.uri)}
            skills.append(seen)
            try:
                manifest = await get_skill_manifest(client, skill.name)
            except MCPError:
                # What looks like a skill because it lies in one.
                continue
            seen["files"] = [[file.path, file.size, file.hash] for file in manifest.files]
            await download_skill(client, skill.name, into / "one", overwrite=True)
        synced = await sync_skills(client, into / "all")
        seen = {"skills": skills, "synced": [path.name for path in synced]}
        if visit["extension"]:
            seen["extension"] = await extension(client)
        return seen


async def main() -> None:
    visits = json.loads(sys.argv[1])
    print(json.dumps({each["name"]: await visit(each) for each in visits}))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    asyncio.run(asyncio.wait_for(main(), 120))
