"""Prints what CPython's symbol tables say of the files named on standard input, one JSON a line."""
import json
import sys
import symtable
import tokenize

USED = 1 | 2 | 4 | 8 | 16 | 128  # global, local, parameter, nonlocal, use, import


def scope(table, out):
    names = {}
    used = USED - 1 if table.get_type() == "module" else USED
    for symbol in table._table.symbols.items():
        name, flags = symbol
        if not flags & used or name in ("__class__", ".0"):
            continue
        names[name] = "?LGGFL"[(flags >> 11) & 15]
    if table.get_type() == "module":
        names = {name: "M" for name in names}
    out.append([table.get_type(), table.get_name(), table.get_lineno(), sorted(map(list, names.items()))])
    for child in table.get_children():
        scope(child, out)


for path in sys.stdin.read().splitlines():
    answer = None
    try:
        with tokenize.open(path) as file:
            text = file.read()
        answer = []
        scope(symtable.symtable(text, path, "exec"), answer)
    except (SyntaxError, ValueError, UnicodeDecodeError, RecursionError):
        answer = None
    print(json.dumps(answer))
