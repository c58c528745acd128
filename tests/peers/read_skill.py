"""How long FastMCP's own client needs for one skill, every file verified.

usage: read_skill.py URL SKILL TIMES

Prints a JSON list of what each reading took: seconds, and seconds of processor time.
"""

import asyncio
import json
import logging
import sys
import time
import warnings

from fastmcp import Client
from fastmcp.skills import SkillsClientExtension


async def main() -> None:
    url, skill, times = sys.argv[1:]
    taken = []
    async with Client(url, mode="auto", extensions=[SkillsClientExtension()]) as client:
        for _ in range(int(times)):
            start, busy = time.perf_counter(), time.process_time()
            read = await client.read_skill(skill)
            taken.append([time.perf_counter() - start, time.process_time() - busy])
            files = len(read.manifest.files)
    print(json.dumps({"files": files, "taken": taken}))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    asyncio.run(main())
