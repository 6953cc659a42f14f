"""The walker, put together: one class of all visits."""

from elichika.walker.arrays import Arrays
from elichika.walker.branches import Branches
from elichika.walker.calls import Calls
from elichika.walker.checks import Checks
from elichika.walker.containers.items import Containers
from elichika.walker.containers.iterables import Iterators
from elichika.walker.containers.iterators import Asking
from elichika.walker.containers.mappings import Mappings
from elichika.walker.containers.operators import ContainerOperators
from elichika.walker.expressions import Expressions
from elichika.walker.functions import Functions
from elichika.walker.generators import Generators
from elichika.walker.loops import Loops
from elichika.walker.native.calls import NativeCalls
from elichika.walker.objects.attributes import Attributes
from elichika.walker.objects.classes import Classes
from elichika.walker.objects.context_managers import Managers
from elichika.walker.objects.extensions import Extensions
from elichika.walker.objects.identity import Identity
from elichika.walker.objects.lookups import Lookups
from elichika.walker.objects.presence import Presence
from elichika.walker.recursion import Recursion
from elichika.walker.sharing import Sharing
from elichika.walker.starred_calls import Spreads
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
