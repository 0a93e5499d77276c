"""Says what CPython's ast sees in Python files, for TestStructureAgreesWithCPython.

"oracle.py dirs" prints the directories of the interpreter's own library. "oracle.py" reads paths from
stdin, one to a line, and prints one JSON object for each: {"refused": reason}, or the records that
the test compares. Positions are [line, byte in the line] as ast counts them.
"""

import ast
import hashlib
import inspect
import io
import json
import re
import sys
import sysconfig
import tokenize
import warnings

DEFS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPOUND = DEFS + (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try)
COMPOUND += tuple(getattr(ast, n) for n in ("TryStar", "Match") if hasattr(ast, n))
ALIAS = getattr(ast, "TypeAlias", ())
LINE = re.compile("\r\n|\r|\n")


def decode(data):
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


def whole(text):
    """A string as JSON can carry it: half surrogate pairs become U+FFFD."""
    return None if text is None else re.sub("[\ud800-\udfff]", "\ufffd", text)


def start(node):
    return [node.lineno, node.col_offset]


def end(node):
    return [node.end_lineno, node.end_col_offset]


class Source:
    def __init__(self, text):
        self.lines = LINE.split(text)
        self.ends = LINE.findall(text) + [""]

    def piece(self, begin, stop):
        """Text between two positions, as written."""
        (line, column), (last, final) = begin, stop
        lines = [a + b for a, b in zip(self.lines[line - 1:last], self.ends[line - 1:last])]
        lines[-1] = self.lines[last - 1].encode()[:final].decode()
        lines[0] = lines[0].encode()[column:].decode()
        return "".join(lines)

    def whole_lines(self, first, last):
        lines = [a + b for a, b in zip(self.lines[first - 1:last], self.ends[first - 1:last])]
        lines[-1] = self.lines[last - 1]
        return "".join(lines)

    def at_sign(self, decorator):
        """Line of the '@' of a decorator: brackets and joined lines may stand before the expression."""
        line, column = start(decorator)
        before = self.lines[line - 1].encode()[:column].decode()
        while "@" not in before.split("#")[0]:
            line -= 1
            before = self.lines[line - 1]
        return line

    def header(self, node):
        """Text of a definition from its keyword through its colon."""
        known = [start(node)]
        parts = [getattr(node, "returns", None), *getattr(node, "bases", ()), *getattr(node, "keywords", ())]
        parts += getattr(node, "type_params", ())
        args = getattr(node, "args", None)
        if args:
            parts += args.args + args.posonlyargs + args.kwonlyargs + args.defaults
            parts += args.kw_defaults + [args.vararg, args.kwarg]
        known += [end(p) for p in parts if p is not None]
        text = self.piece(start(node), start(node.body[0]))
        bound = self.piece(start(node), max(known))
        flat = LINE.sub("\n", bound).encode().split(b"\n")
        bound = (len(flat), len(flat[-1]))
        depth = 0
        lines = LINE.sub("\n", text).split("\n")
        for token in tokenize.generate_tokens(io.StringIO(LINE.sub("\n", text) + "pass\n").readline):
            line, column = token.start
            after = (line, len(lines[line - 1][:column].encode())) >= bound if line <= len(lines) else True
            if token.string in "([{" and token.type == tokenize.OP:
                depth += 1
            elif token.string in ")]}" and token.type == tokenize.OP:
                depth -= 1
            elif token.string == ":" and depth == 0 and after and token.type == tokenize.OP:
                break
        stop = [node.lineno + line - 1, len(lines[line - 1][:column + 1].encode())]
        if line == 1:
            stop[1] += node.col_offset
        return self.piece(start(node), stop)


class Records:
    def __init__(self, source, tree):
        self.source, self.symbols, self.variables, self.imports, self.statements = source, [], [], [], []
        self.doc = self.docstring(tree)
        self.visit(tree.body, [], None, False, True, 0, False)
        for list_ in (self.symbols, self.variables):
            seen = {}
            for record in list_:
                seen[record["path"]] = record["ordinal"] = seen.get(record["path"], 0) + 1
            for record in list_:
                record["of"] = seen[record["path"]]

    def docstring(self, node):
        raw = ast.get_docstring(node, clean=False)
        return None if raw is None else [whole(raw), whole(inspect.cleandoc(raw))]

    def visit(self, body, path, owner, conditional, level, depth, checking):
        for node in body:
            compound = isinstance(node, COMPOUND)
            self.statements.append([start(node), None if compound and not isinstance(node, DEFS) else end(node)])
            if isinstance(node, DEFS):
                self.define(node, path, owner, conditional)
                inside = path + [node.name]
                is_class = isinstance(node, ast.ClassDef)
                self.visit(node.body, inside, node, False, level and is_class, depth + 1, checking)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported(node, depth > 0, checking)
            elif compound:
                self.compound(node, path, owner, level, depth + 1, checking)
            elif level:
                self.bind(node, path, conditional)

    def compound(self, node, path, owner, level, depth, checking):
        here = checking
        if isinstance(node, ast.If):
            name = getattr(node.test, "id", getattr(node.test, "attr", None))
            here = checking or name == "TYPE_CHECKING"
        self.visit(getattr(node, "body", ()), path, owner, True, level, depth, here)
        for part in list(getattr(node, "handlers", ())) + list(getattr(node, "cases", ())):
            self.visit(part.body, path, owner, True, level, depth, checking)
        self.visit(getattr(node, "orelse", ()), path, owner, True, level, depth, checking)
        self.visit(getattr(node, "finalbody", ()), path, owner, True, level, depth, checking)

    def define(self, node, path, owner, conditional):
        in_class = isinstance(owner, ast.ClassDef)
        kind = "method" if in_class else "function"
        if isinstance(node, ast.ClassDef):
            kind = "class"
        elif isinstance(node, ast.AsyncFunctionDef):
            kind = "async_" + kind
        first = self.source.at_sign(node.decorator_list[0]) if node.decorator_list else node.lineno
        text = self.source.whole_lines(first, node.end_lineno)
        self.symbols.append({
            "path": ".".join(path + [node.name]), "kind": kind, "conditional": conditional,
            "line": node.lineno, "start": first, "end": node.end_lineno,
            "decorators": [self.source.piece(start(d), end(d)) for d in node.decorator_list],
            "source": hashlib.sha256(text.encode()).hexdigest(),
            "signature": self.source.header(node), "doc": self.docstring(node),
        })

    def imported(self, node, conditional, checking):
        names = [[a.name, a.asname or ""] for a in node.names]
        each = [(node.module or "", names)] if isinstance(node, ast.ImportFrom) else [(n[0], [n]) for n in names]
        for module, bound in each:
            self.imports.append({
                "line": node.lineno, "module": module, "level": getattr(node, "level", 0),
                "from": isinstance(node, ast.ImportFrom), "names": bound,
                "conditional": conditional, "checking": checking,
            })

    def bind(self, node, path, conditional):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            targets = [node.target]
        elif ALIAS and isinstance(node, ALIAS):
            targets = [node.name]
        else:
            return
        names = [n for t in targets for n in bound_names(t)]
        alone = len(targets) == 1 and isinstance(targets[0], ast.Name)
        alone = alone and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))
        for name in names:
            self.variables.append({
                "path": ".".join(path + [name.id]), "conditional": conditional,
                "statement": [start(node), end(node)], "target": [start(name), end(name)],
                "annotation": span(getattr(node, "annotation", None)),
                "value": span(node.value), "alone": alone,
            })


def span(node):
    return None if node is None else [start(node), end(node)]


def bound_names(target):
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [n for t in target.elts for n in bound_names(t)]
    if isinstance(target, ast.Starred):
        return bound_names(target.value)
    return []


def describe(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        tree = ast.parse(data)
        text = decode(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError) as error:
        return {"refused": str(error)}
    records = Records(Source(text), tree)
    return {
        "doc": records.doc, "symbols": records.symbols,
        "variables": records.variables, "imports": records.imports, "statements": sorted(records.statements, key=lambda s: s[0]),
    }


def main():
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["dirs"]:
        print(json.dumps(sorted({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})))
        return
    for line in sys.stdin:
        print(json.dumps(describe(line.rstrip("\n"))), flush=True)


if __name__ == "__main__":
    main()
