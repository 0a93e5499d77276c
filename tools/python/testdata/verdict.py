"""Says what CPython reports for texts, for TestProblemsAgreeWithCPython.

Reads one JSON string to a line and prints for each [] if it compiles, else [exception, message, line, column].
"""

import ast
import json
import sys
import warnings


def verdict(text):
    try:
        ast.parse(text.encode())
    except SyntaxError as error:
        return [type(error).__name__, error.msg, error.lineno, error.offset]
    except (ValueError, RecursionError, MemoryError) as error:
        return [type(error).__name__, str(error), 0, 0]
    return []


warnings.simplefilter("ignore")
print(json.dumps([sys.version_info[0], sys.version_info[1]]), flush=True)
for line in sys.stdin:
    print(json.dumps(verdict(json.loads(line))), flush=True)
