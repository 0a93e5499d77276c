"""Doc."""
import os

LIMIT = 3

# A class.
@decorated
class A(B):
    """It is A."""
    x: int = 1
    def m(self): return 1
    @property
    def p(self):
        def inner(): pass
        return 1
    class Inner: pass
async def go(a, *, b=1) -> int:
    pass
if True:
    def late(): pass
