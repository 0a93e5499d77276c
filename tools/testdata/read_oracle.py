"""What CPython's ast says of files: one JSON record per line of input, each a path.

With the argument "skeletons" the lines of input are JSON records {"path", "skeleton"}; the answer says
whether the skeleton parses and which definitions of the file it lacks.
"""
import ast
import io
import json
import sys
import tokenize
import warnings

KINDS = {ast.ClassDef: "class", ast.FunctionDef: "function", ast.AsyncFunctionDef: "async_function"}


def lines_of(text):
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def colons(text):
    """Positions of the colons outside of brackets."""
    depth, out = 0, []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and depth == 0:
                out.append(token.end)
    return out


def walk(node, path, parent, visit):
    for child in ast.iter_child_nodes(node):
        if type(child) in KINDS:
            name = path + child.name
            visit(child, name, parent)
            walk(child, name + ".", child, visit)
        elif isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            walk(child, path, parent, visit)


def symbols(tree, text, lines):
    ends, records = colons(text), []

    def visit(node, name, parent):
        kind = KINDS[type(node)]
        if kind != "class" and isinstance(parent, ast.ClassDef):
            kind = kind.replace("function", "method")
        body = node.body[0]
        first = (body.lineno, len(lines[body.lineno - 1].encode()[:body.col_offset].decode()))
        line, column = max(c for c in ends if c <= first and c > (node.lineno, 0))
        head = lines[node.lineno - 1:line]
        head[-1] = head[-1][:column]
        head[0] = head[0].encode()[node.col_offset:].decode()
        start = min([d.lineno for d in node.decorator_list] + [node.lineno])
        records.append({
            "name": name, "kind": kind, "line": node.lineno, "start": start, "end": node.end_lineno,
            "decorators": len(node.decorator_list), "signature": "\n".join(head),
            "source": "\n".join(lines[start - 1:node.end_lineno]),
            "doc": ast.get_docstring(node), "raw": ast.get_docstring(node, clean=False),
        })

    walk(tree, "", None, visit)
    records.sort(key=lambda r: r["line"])
    return records


def imports(tree):
    out = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                out.append((node.lineno, node.col_offset, name.name, 0, [name]))
        elif isinstance(node, ast.ImportFrom):
            out.append((node.lineno, node.col_offset, node.module or "", node.level, node.names))
    out.sort(key=lambda i: i[:2])
    top = {id(n) for n in tree.body}
    at = {(n.lineno, n.col_offset) for n in tree.body}
    return [{
        "line": line, "module": module, "level": level, "conditional": (line, column) not in at,
        "names": [{"name": n.name, "as": n.asname or ""} for n in names],
    } for line, column, module, level, names in out]


def names(target):
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from names(element)
    elif isinstance(target, ast.Starred):
        yield from names(target.value)


def variables(body, path, out):
    for node in body:
        if isinstance(node, ast.ClassDef):
            variables(node.body, path + node.name + ".", out)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in names(target):
                    out.append({"name": path + name.id, "line": name.lineno, "start": node.lineno, "end": node.end_lineno})
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for field in ("body", "orelse", "handlers", "finalbody", "cases"):
                for inner in getattr(node, field, []):
                    variables([inner] if isinstance(inner, ast.stmt) else inner.body, path, out)
    return out


def record(path):
    with open(path, "rb") as f:
        data = f.read()
    try:
        tree = ast.parse(data)
        with tokenize.open(path) as f:
            text = f.read()
    except (SyntaxError, ValueError, RecursionError):
        return {"path": path, "ok": False}
    lines = lines_of(text)
    found = imports(tree)
    return {
        "path": path, "ok": True, "symbols": symbols(tree, text, lines), "imports": found,
        "modules": sorted({"." * i["level"] + i["module"] for i in found}),
        "variables": variables(tree.body, "", []), "doc": ast.get_docstring(tree),
    }


def reachable(tree):
    """Definitions outside of functions."""
    out = []

    def visit(node, path):
        for child in ast.iter_child_nodes(node):
            if type(child) in KINDS:
                out.append(path + child.name)
                if isinstance(child, ast.ClassDef):
                    visit(child, path + child.name + ".")
            elif isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                visit(child, path)

    visit(tree, "")
    return out


def check(given):
    with open(given["path"], "rb") as f:
        before = ast.parse(f.read())
    try:
        after = ast.parse(given["skeleton"])
    except SyntaxError as e:
        return {"path": given["path"], "error": f"line {e.lineno}: {e.msg}"}
    if reachable(before) != reachable(after):
        return {"path": given["path"], "error": "definitions differ"}
    same = ast.get_docstring(before) == ast.get_docstring(after)
    return {"path": given["path"], "error": "" if same else "module docstring differs"}


warnings.simplefilter("ignore")
for line in sys.stdin:
    if "skeletons" in sys.argv:
        answer = check(json.loads(line))
    else:
        answer = record(line.rstrip("\n"))
    print(json.dumps(answer))
