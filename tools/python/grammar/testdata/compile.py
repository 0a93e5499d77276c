"""Compiles texts to syntax trees. Reads one JSON string a line, answers null or the error a line."""
import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")
for line in sys.stdin:
    text = json.loads(line)
    try:
        compile(text, "x.py", "exec", ast.PyCF_ONLY_AST)
        answer = None
    except SyntaxError as e:
        answer = [type(e).__name__, e.msg, e.lineno, e.offset, e.end_lineno, e.end_offset]
    except (ValueError, MemoryError, RecursionError, OverflowError) as e:
        answer = [type(e).__name__, str(e), 0, 0, 0, 0]
    print(json.dumps(answer))
