"""The walker, put together: one class of all visits."""

from elichika.walker.arrays import Arrays
from elichika.walker.asking import Asking
from elichika.walker.attributes import Attributes
from elichika.walker.branches import Branches
from elichika.walker.calls import Calls
from elichika.walker.checks import Checks
from elichika.walker.classes import Classes
from elichika.walker.container_operators import ContainerOperators
from elichika.walker.containers import Containers
from elichika.walker.expressions import Expressions
from elichika.walker.extensions import Extensions
from elichika.walker.functions import Functions
from elichika.walker.generators import Generators
from elichika.walker.identity import Identity
from elichika.walker.iterators import Iterators
from elichika.walker.lookups import Lookups
from elichika.walker.loops import Loops
from elichika.walker.managers import Managers
from elichika.walker.mappings import Mappings
from elichika.walker.native_calls import NativeCalls
from elichika.walker.presence import Presence
from elichika.walker.recursion import Recursion
from elichika.walker.sharing import Sharing
from elichika.walker.spreads import Spreads
from elichika.walker.statements import Statements


class Walker(
    Arrays,
    Sharing,
    Checks,
    Statements,
    Expressions,
    Identity,
    Attributes,
    Lookups,
    Presence,
    Extensions,
    Calls,
    Spreads,
    Functions,
    Managers,
    Generators,
    NativeCalls,
    Iterators,
    Asking,
    Containers,
    ContainerOperators,
    Mappings,
    Branches,
    Loops,
    Recursion,
    Classes,
):
    """One abstract run: it owns its store, its facts and its graph; see `Core`."""
