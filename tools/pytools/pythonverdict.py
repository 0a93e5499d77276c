# Compiles what stands on standard input and prints what it says, as JSON. Nothing of it is run.
import json
import sys
import warnings


def said(stage, source):
    try:
        compile(source, "x", "exec", stage, True)
    except SyntaxError as e:
        return [type(e).__name__, str(e.msg), e.lineno, e.offset, getattr(e, "end_lineno", None), getattr(e, "end_offset", None)]
    except (ValueError, OverflowError) as e:
        return ["SyntaxError", str(e), None, None, None, None]
    except (MemoryError, RecursionError) as e:
        return [type(e).__name__, "too complex for this interpreter", None, None, None, None]


source = sys.stdin.buffer.read()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    error = said(0x400, source)
    later = None if error else said(0, source)
notes = [[w.category.__name__, str(w.message), w.lineno, None, None, None] for w in caught[:50]]
name = {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, sys.implementation.name)
print(json.dumps([name, "%d.%d.%d" % sys.version_info[:3], error, later, notes]))
