#!/usr/bin/env python3
"""Profiles a CSV file: one JSON object on standard output. Reads the file once, changes nothing."""

import argparse
import collections
import csv
import json
import sys

MOST_FREQUENT = 5
DISTINCT_LIMIT = 10_000


def number(text):
    """The number a cell holds, or None. A leading zero makes it a name, not a number."""
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


class Column:
    def __init__(self, name):
        self.name = name
        self.filled = 0
        self.missing = 0
        self.numbers = 0
        self.lowest = None
        self.highest = None
        self.longest = 0
        self.counts = collections.Counter()

    def add(self, cell):
        text = cell.strip()
        if not text:
            self.missing += 1
            return
        self.filled += 1
        self.longest = max(self.longest, len(text))
        if text in self.counts or len(self.counts) < DISTINCT_LIMIT:
            self.counts[text] += 1
        value = number(text)
        if value is not None:
            self.numbers += 1
            self.lowest = value if self.lowest is None else min(self.lowest, value)
            self.highest = value if self.highest is None else max(self.highest, value)

    def summary(self):
        numeric = self.filled > 0 and self.numbers == self.filled
        return {
            "name": self.name,
            "filled": self.filled,
            "missing": self.missing,
            "kind": "number" if numeric else "text",
            "almost_numeric": 0 < self.filled - self.numbers <= self.filled * 0.2,
            "lowest": self.lowest if numeric else None,
            "highest": self.highest if numeric else None,
            "longest": self.longest,
            "distinct": len(self.counts),
            "most_frequent": self.counts.most_common(MOST_FREQUENT),
        }


def profile(path, delimiter, encoding):
    with open(path, newline="", encoding=encoding) as file:
        rows = csv.reader(file, delimiter=delimiter)
        header = next(rows, None)
        if header is None:
            sys.exit(f"{path} is empty")
        columns = [Column(name.strip() or f"column {at + 1}") for at, name in enumerate(header)]
        count = 0
        wrong_length = []
        for row in rows:
            if not row:
                continue
            count += 1
            if len(row) != len(columns):
                wrong_length.append({"line": rows.line_num, "fields": len(row)})
            for column, cell in zip(columns, row):
                column.add(cell)
    return {
        "file": path,
        "rows": count,
        "fields": len(columns),
        "wrong_length": wrong_length[:20],
        "wrong_length_total": len(wrong_length),
        "columns": [column.summary() for column in columns],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--delimiter", default=",")
    parser.add_argument("--encoding", default="utf-8-sig")
    options = parser.parse_args()
    result = profile(options.path, options.delimiter, options.encoding)
    json.dump(result, sys.stdout, indent=2, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
