#!/usr/bin/env python3
"""Writes a profile made by profile.py as Markdown on standard output."""

import json
import sys


def cell(text):
    """Text that cannot break a Markdown table."""
    return str(text).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def span(column):
    if column["kind"] != "number":
        return f"up to {column['longest']} characters"
    return f"{column['lowest']:g} to {column['highest']:g}"


def frequent(column):
    return ", ".join(f"{cell(value)} ({times})" for value, times in column["most_frequent"][:3])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report.py PROFILE.json")
    with open(sys.argv[1], encoding="utf-8") as file:
        profile = json.load(file)
    rows = profile["rows"]
    print(f"# {cell(profile['file'])}\n")
    print(f"{rows} rows, {profile['fields']} columns.\n")
    if profile["wrong_length_total"]:
        print(f"**Rows with the wrong number of fields: {profile['wrong_length_total']}**\n")
        for row in profile["wrong_length"]:
            print(f"- line {row['line']}: {row['fields']} fields")
        print()
    print("| column | kind | missing | distinct | values | most frequent |")
    print("|---|---|---|---|---|---|")
    for column in profile["columns"]:
        kind = column["kind"] + (" (almost number)" if column["almost_numeric"] else "")
        print(
            f"| {cell(column['name'])} | {kind} | {share(column['missing'], rows)} "
            f"| {column['distinct']} | {span(column)} | {frequent(column)} |"
        )


if __name__ == "__main__":
    main()
