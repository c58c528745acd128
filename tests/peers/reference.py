"""What the reference answers for a corpus of folders, in every mode, to every request.

usage: reference.py DIR

DIR holds `cases.json`, an object of cases: each has

roots   folders of skills, relative to DIR, in order
uris    what is read
skills  what `skills/get` is asked for
after   what happens between the first and the second look: `write`, files with their text;
        `remove`, files and folders

Prints one object of the same cases: for each mode, as in `strict template live`, one object for
each look, with what every request was answered. Where nothing happens between looks, what stays as
it was at the first look is as what is live, and not asked twice. The types of files are those of Python alone,
whatever the system's own files of types say.
"""

import mimetypes

mimetypes.knownfiles = []
mimetypes.init([])

import asyncio
import itertools
import json
import logging
import shutil
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills import SkillsClientExtension, models
from fastmcp.skills.extension import SkillsExtension
from mcp.shared.exceptions import MCPError

MODES = list(
    itertools.product(["compatible", "strict"], ["template", "resources"], ["live", "first"])
)


def server(roots: list[Path], mode: str, supporting: str, looks: str) -> FastMCP:
    mcp = FastMCP("reference")
    strict = mode == "strict"
    provider = SkillsDirectoryProvider(
        roots=roots,
        reload=looks == "live",
        supporting_files=supporting,
        experimental_skills=strict,
    )
    mcp.add_provider(provider)
    if strict:
        mcp.add_extension(SkillsExtension(providers=[provider]))
    return mcp


async def answered(request: Any) -> dict[str, Any]:
    try:
        result = await request
        return json.loads(result.model_dump_json(by_alias=True, exclude_none=True))
    except MCPError as error:
        return {"error": error.error.code}
    except Exception as error:
        return {"error": type(error).__name__}


async def look(client: Client, case: dict[str, Any], strict: bool) -> dict[str, Any]:
    seen = {
        "resources": await answered(client.list_resources_mcp()),
        "templates": await answered(client.list_resource_templates_mcp()),
        "reads": {uri: await answered(client.read_resource_mcp(uri)) for uri in case["uris"]},
    }
    if strict:
        params = models.ListSkillsParams()
        request = models.ListSkillsRequest(params=params)
        seen["skills"] = await answered(
            client.session.send_request(request, models.ListSkillsResult)
        )
        seen["gets"] = {}
        for uri in case["skills"]:
            request = models.GetSkillRequest(params=models.GetSkillParams(uri=uri))
            seen["gets"][uri] = await answered(
                client.session.send_request(request, models.GetSkillResult)
            )
    return seen


def happen(top: Path, after: dict[str, Any]) -> None:
    for path in after["remove"]:
        at = top / path
        if at.is_dir():
            shutil.rmtree(at)
        else:
            at.unlink()
    for path, text in after["write"].items():
        at = top / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(text.encode())


async def asked(top: Path, case: dict[str, Any]) -> dict[str, Any]:
    roots = [top / root for root in case["roots"]]
    found: dict[str, Any] = {}
    async with AsyncExitStack() as stack:
        clients = {}
        for mode in MODES:
            if mode[2] == "first" and not case["after"]:
                continue
            try:
                mcp = server(roots, *mode)
            except Exception as error:
                found[" ".join(mode)] = [{"start": type(error).__name__}]
                continue
            client = Client(mcp, extensions=[SkillsClientExtension()])
            clients[mode] = await stack.enter_async_context(client)
        for number in range(2 if case["after"] else 1):
            if number:
                happen(top, case["after"])
            for mode, client in clients.items():
                seen = await look(client, case, mode[0] == "strict")
                found.setdefault(" ".join(mode), []).append(seen)
    return found


def plain(value: Any) -> Any:
    """JSON that any reader takes."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def of_case(top: Path, case: dict[str, Any]) -> Any:
    return plain(asyncio.run(asked(top, case)))


def main() -> None:
    top = Path(sys.argv[1])
    cases = json.loads((top / "cases.json").read_text(encoding="utf-8"))
    # Processes that share what was imported: there is one start, and each processor has its part.
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        found = pool.map(partial(of_case, top), cases.values(), chunksize=4)
        sys.stdout.write(json.dumps(dict(zip(cases, found, strict=True))))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    main()
