"""Prints what CPython's symbol tables say of the files named on standard input, one JSON a line."""
import json
import sys
import symtable
import tokenize

USED = 1 | 2 | 4 | 8 | 16 | 128  # global, local, parameter, nonlocal, use, import


def scope(table, out):
    module = table.get_type() == "module"
    names = []
    for name, flags in table._table.symbols.items():
        if flags & (USED - 1 if module else USED) and name not in ("__class__", ".0"):
            names.append(name + ":" + ("M" if module else "?LGGFL"[(flags >> 11) & 15]))
    out.append("%s %s %d [%s]" % (table.get_type(), table.get_name(), table.get_lineno(), " ".join(sorted(names))))
    for child in table.get_children():
        scope(child, out)


for path in sys.stdin.read().splitlines():
    try:
        with tokenize.open(path) as file:
            text = file.read()
        answer = []
        scope(symtable.symtable(text, path, "exec"), answer)
    except (SyntaxError, ValueError, RecursionError):
        answer = None
    print(json.dumps(answer))
