"""Checks edits against CPython's ast.

One JSON object a line comes in: {"op", "label", "before", "after", "path", "ordinal", ...}. What is
wrong goes out, one line each. "before" may be absent: then it is that of the line before.
"""
import ast
import json
import sys

FIELDS = ("body", "orelse", "finalbody", "handlers", "cases")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def definitions(node, prefix=""):
    """Every definition below node in source order: path, the list it is in, itself."""
    for field in FIELDS:
        statements = getattr(node, field, None)
        if not isinstance(statements, list):
            continue
        for statement in statements:
            if isinstance(statement, DEFINITIONS):
                path = prefix + statement.name
                yield path, statements, statement
                yield from definitions(statement, path + ".")
            else:
                yield from definitions(statement, prefix)


def find(tree, path, ordinal):
    found = [(inside, node) for at, inside, node in definitions(tree) if at == path]
    found.sort(key=lambda pair: pair[1].lineno)
    return found[ordinal - 1]


def without(text, path, ordinal):
    """The tree of text without a definition, and the definition."""
    tree = ast.parse(text)
    inside, node = find(tree, path, ordinal)
    inside.remove(node)
    if not inside and inside is not tree.body:
        inside.append(ast.Pass())
    return tree, node


CACHE = {}


def dumps(tree, text):
    """The dump of each statement at the top; statements of one text are dumped once."""
    lines = text.splitlines(keepends=True) if "\f" not in text else None
    for node in tree.body:
        if lines is None or not hasattr(node, "lineno"):
            yield ast.dump(node)
            continue
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])
        key = (node.col_offset, node.end_col_offset, "".join(lines[first - 1 : node.end_lineno]))
        if key not in CACHE:
            CACHE[key] = ast.dump(node)
        yield CACHE[key]


WHOLE = {}


def parsed(text):
    if text not in WHOLE:
        WHOLE[text] = list(dumps(ast.parse(text), text))
    return WHOLE[text]


def left_over(text, path, ordinal):
    """What parsed gives for text without a definition, and the definition."""
    kept = list(parsed(text))
    tree, node = without(text, path, ordinal)
    if len(tree.body) < len(kept):
        return list(dumps(tree, text)), node
    for i, statement in enumerate(tree.body):
        if statement.lineno <= node.lineno <= statement.end_lineno:
            kept[i] = ast.dump(statement)
    return kept, node


def check(case):
    before, after = case["before"], case["after"]
    now = parsed(after)
    if case["op"] == "same":
        return now == parsed(before)
    if case["op"] == "removed":
        return now == left_over(before, case["path"], case["ordinal"])[0]
    if case["op"] == "moved":
        left, node = left_over(before, case["path"], case["ordinal"])
        there = parsed(case["there"]) + [ast.dump(node)]
        return now == left and sorted(parsed(case["arrived"])) == sorted(there)
    if case["op"] == "within":
        return sorted(now) == sorted(parsed(before))
    if case["op"] == "added":
        rest, node = left_over(after, case["path"], case["ordinal"])
        return rest == parsed(before) and ast.dump(node.body[0]) == ast.dump(ast.parse("return 1").body[0])
    return False


def main():
    before = None
    for line in sys.stdin.buffer:
        case = json.loads(line)
        if "before" in case:
            CACHE.clear()
            WHOLE.clear()
        before = case.setdefault("before", before)
        try:
            if not check(case):
                print(case["op"], case["label"], "is another tree")
        except Exception as e:
            print(case["op"], case["label"], type(e).__name__, e)


main()
