"""What the reference and `skills-ref` make of a corpus of skills.

usage: judge.py DIR

DIR holds `cases.json`, an object of cases: each has `roots`, folders of skills, and `folders`,
single skills, all relative to DIR. Prints one object of the same cases with

compatible   what FastMCP's default mode publishes, by name: `fields`, `description`, `files`
entries      what `skills/list` answers in strict mode, by URI: `frontmatter`, `resources`
folders      for each: `valid`, whether strict mode lists it where its root is the only one;
             `strict`, the values of its front matter by strict mode's parser, before the rules for
             single fields; `validate` and `properties`, what skills-ref says of it

An `error` stands where a value cannot be had. A half of a surrogate pair, which JSON cannot
carry, is shown as U+FFFD.
"""

import asyncio
import json
import logging
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import quote

import skills_ref
from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
from fastmcp.skills import _snapshot
from fastmcp.skills.extension import SkillsExtension
from fastmcp.skills.models import ListSkillsParams


class Unruled:
    """Takes any front matter, so that its values are seen whatever the rules for fields say."""

    @staticmethod
    def model_validate(value: Any) -> Any:
        return value


def strict_values(skill_md: Path) -> Any:
    with_rules = _snapshot.SkillFrontmatter
    _snapshot.SkillFrontmatter = Unruled
    try:
        return {"value": _snapshot.parse_frontmatter(skill_md.read_bytes())}
    except Exception as error:
        return failure(error)
    finally:
        _snapshot.SkillFrontmatter = with_rules


def failure(error: Exception) -> dict[str, str]:
    return {"error": f"{type(error).__name__}: {error}"}


def compatible(roots: list[Path]) -> dict[str, Any]:
    published = {}
    try:
        skills = SkillsDirectoryProvider(roots=roots).providers
    except Exception as error:
        return failure(error)
    for skill in skills:
        info = skill.skill_info
        published[info.name] = {
            "fields": info.frontmatter,
            "description": info.description,
            "files": [[file.path, file.size, file.hash] for file in info.files],
        }
    return published


async def entries(roots: list[Path]) -> Any:
    server = FastMCP("reference")
    provider = SkillsDirectoryProvider(roots=roots, experimental_skills=True)
    server.add_provider(provider)
    extension = SkillsExtension(providers=[provider])
    server.add_extension(extension)
    try:
        answer = await extension._handle_list(None, ListSkillsParams())
        listed = json.loads(answer.model_dump_json(by_alias=True))["skills"]
    except Exception as error:
        return failure(error)
    return {
        entry["uri"]: {
            "frontmatter": entry["frontmatter"],
            "files": [[file["uri"], file["size"], file["digest"]] for file in entry["resources"]],
        }
        for entry in listed
    }


def skills_ref_of(folder: Path) -> dict[str, Any]:
    try:
        said = skills_ref.validate(folder)
    except Exception as error:
        said = failure(error)
    try:
        properties = skills_ref.read_properties(folder).to_dict()
    except Exception as error:
        properties = failure(error)
    return {"validate": said, "properties": properties}


def plain(value: Any, inside: tuple[int, ...] = ()) -> Any:
    """JSON that any reader takes."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if id(value) in inside:
        return "(recursive)"
    if isinstance(value, dict):
        inside = (*inside, id(value))
        return {plain(str(key)): plain(item, inside) for key, item in value.items()}
    if isinstance(value, list):
        inside = (*inside, id(value))
        return [plain(item, inside) for item in value]
    return value


async def judged(top: Path, case: dict[str, Any]) -> dict[str, Any]:
    roots = [top / root for root in case["roots"]]
    listed = await entries(roots)
    folders = {}
    for folder in case["folders"]:
        path = top / folder
        alone = listed if len(roots) == 1 else await entries([path.parent])
        folders[folder] = {
            "valid": f"skill://{quote(path.name)}/SKILL.md" in alone,
            "strict": strict_values(path / "SKILL.md"),
            **skills_ref_of(path),
        }
    return {"compatible": compatible(roots), "entries": listed, "folders": folders}


def of_case(top: Path, case: dict[str, Any]) -> Any:
    return plain(asyncio.run(judged(top, case)))


def main() -> None:
    top = Path(sys.argv[1])
    cases = json.loads((top / "cases.json").read_text(encoding="utf-8"))
    # Processes that share what was imported: there is one start, and each processor has its part.
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        found = pool.map(partial(of_case, top), cases.values(), chunksize=20)
        sys.stdout.write(json.dumps(dict(zip(cases, found, strict=True))))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    main()
