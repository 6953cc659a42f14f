"""The walker, put together: its parts, each above those that it is given, and what it offers."""

from __future__ import annotations

from typing import Any

from elichika.state.store import Store
from elichika.walker.arms import Arms
from elichika.walker.arrays import Arrays
from elichika.walker.attempts import Attempts
from elichika.walker.branches import Branches
from elichika.walker.callees import Callees
from elichika.walker.calls import Calls
from elichika.walker.checks import Checks
from elichika.walker.choices import Choices
from elichika.walker.containers.arenas import Arenas
from elichika.walker.containers.gathering import Gathering
from elichika.walker.containers.iterables import Iterables
from elichika.walker.containers.iterators import Iterators
from elichika.walker.containers.lists import Lists
from elichika.walker.containers.mappings import Mappings
from elichika.walker.containers.sequences import Sequences
from elichika.walker.containers.subscripts import Subscripts
from elichika.walker.containers.tables import Tables
from elichika.walker.core import Core
from elichika.walker.drafts import Drafts
from elichika.walker.expressions import Expressions
from elichika.walker.fixed_point import FixedPoint
from elichika.walker.framing import Framing
from elichika.walker.functions import Functions
from elichika.walker.generators import Generators
from elichika.walker.jumps import Jumps
from elichika.walker.limits import Limits
from elichika.walker.locations import Locations
from elichika.walker.loops import Loops
from elichika.walker.memos import Memos
from elichika.walker.native.calls import NativeCalls
from elichika.walker.objects.attributes import Attributes
from elichika.walker.objects.classes import Classes
from elichika.walker.objects.context_managers import Managers
from elichika.walker.objects.extensions import Extensions
from elichika.walker.objects.identity import Identity
from elichika.walker.objects.lookups import Lookups
from elichika.walker.objects.presence import Presence
from elichika.walker.operators import Operators
from elichika.walker.peeling import Peeling
from elichika.walker.plan import Plan
from elichika.walker.prints import Prints
from elichika.walker.recursion import Recursion
from elichika.walker.remembering import Remembering
from elichika.walker.resuming import Resuming
from elichika.walker.scopes import Scopes
from elichika.walker.sharing import Sharing
from elichika.walker.sources import Sources
from elichika.walker.starred_calls import StarredCalls
from elichika.walker.statements import Statements
from elichika.walker.tape.tape import Tape
from elichika.walker.tensors import Tensors
from elichika.walker.visits import Visits
from onnx_graph import ONNXGraph


class Walker(Core):
    """One abstract run: its state, its parts, and what they offer by one name each.

    A part asks the parts below it by name, and the walk (`Walk`) for what Python's operations do.
    """

    def __init__(
        self,
        graph: ONNXGraph,
        names: dict[int, str],
        report: Any,
        limits: Limits | None = None,
        plan: Plan | None = None,
    ) -> None:
        super().__init__(graph, names, report, limits, plan)
        self.store: Store = Store(self)
        self.arenas: Arenas = Arenas(self, self.plan.arenas)
        self.sequences: Sequences = Sequences(self)
        self.choices: Choices = Choices(self)
        self.prints: Prints = Prints(self)
        self.narrow = self.choices.narrow
        self._make_values()
        self._make_locations()
        self._make_control()
        self._make_containers()
        self._make_iterators()
        self._make_lists()
        self._make_objects()
        self._make_calls()
        self._make_nodes()

    def _make_values(self) -> None:
        """Make the parts that know what is held."""
        self.tensors = Tensors(self)
        self.absent = self.tensors.absent
        self.constant = self.tensors.constant
        self.dim_scalar = self.tensors.dim_scalar
        self.dims = self.tensors.dims
        self.scalar = self.tensors.scalar
        self.scalar_value = self.tensors.scalar_value
        self.value_of = self.tensors.value_of
        self.tape: Tape = Tape(self)
        self.sharing = Sharing(self)
        self.sequences.lent.memory = self.sharing
        self.freeze = self.sharing.freeze
        self.in_list = self.sharing.in_list
        self.lasting = self.sharing.lasting
        self.may_be = self.sharing.may_be
        self.share = self.sharing.share
        self.share_all = self.sharing.share_all
        self.arrays = Arrays(self, self.sharing, self.tensors)
        self.as_array = self.arrays.as_array
        self.as_symbolic = self.arrays.as_symbolic
        self.as_symbolic_array = self.arrays.as_symbolic_array
        self.as_var = self.arrays.as_var
        self.contents_version = self.arrays.contents_version
        self.is_overlaid = self.arrays.is_overlaid
        self.is_static_variable = self.arrays.is_static_variable
        self.new_array = self.arrays.new_array
        self.new_var = self.arrays.new_var
        self.read = self.arrays.read
        self.remember_origins = self.arrays.remember_origins
        self.result = self.arrays.result
        self.select = self.arrays.select
        self.variable_array = self.arrays.variable_array
        self.variable_of = self.arrays.variable_of
        self.view = self.arrays.view
        self.was_written = self.arrays.was_written
        self.write = self.arrays.write

    def _make_locations(self) -> None:
        """Make the parts that know locations and identity."""
        self.locations = Locations(self)
        self.heap_slots = self.locations.heap_slots
        self.refuse_write = self.locations.refuse_write
        self.held = self.locations.held
        self.initial = self.locations.initial
        self.is_symbolic = self.locations.is_symbolic
        self.items = self.locations.items
        self.items_of = self.locations.items_of
        self.made_inside = self.locations.made_inside
        self.new_dict = self.locations.new_dict
        self.new_list = self.locations.new_list
        self.sealed = self.locations.sealed
        self.set_items = self.locations.set_items
        self.version = self.locations.version
        self.identity = Identity(self, self.sharing)
        self.identical = self.identity.identical
        self.tag_test = self.identity.tag_test

    def _make_control(self) -> None:
        """Make the parts that know ways and names."""
        self.checks = Checks(self)
        self.located = self.checks.located
        self.arms = Arms(self)
        self.jumps = Jumps(self, self.checks, self.arms)
        self.check = self.jumps.check
        self.sure = self.jumps.sure
        self.forget_after = self.jumps.forget_after
        self.presence = Presence(self, self.locations, self.identity)
        self.given = self.presence.given
        self.is_set = self.presence.is_set
        self.or_else = self.presence.or_else
        self.own = self.presence.own
        self.undefined = self.presence.undefined
        self.branches = Branches(self, self.arms, self.jumps)
        self.both = self.branches.both
        self.branch = self.branches.branch
        self.known_truth = self.branches.known_truth
        self.not_ = self.branches.not_
        self.truth = self.branches.truth
        self.visits = self.new_visits()
        self.visit = self.visits.visit
        self.scopes = Scopes(self, self.visits)
        self.is_of_enclosing_function = self.scopes.is_of_enclosing_function
        self.load = self.scopes.load
        self.sources = Sources(self)
        self.has_source = self.sources.has_source
        self.resuming = Resuming(self, self.sources, self.sharing)
        self.program_of = self.sources.program_of

    def _make_containers(self) -> None:
        """Make the parts that know containers."""
        self.tables: Tables = Tables(self)
        self.mappings = Mappings(self, self.locations)
        self.attributes_of = self.mappings.attributes_of
        self.instance_method = self.mappings.instance_method
        self.iterated = self.mappings.iterated
        self.open_attributes_of = self.mappings.open_attributes_of
        self.require_attribute_order = self.mappings.require_attribute_order
        self.sure_items = self.mappings.sure_items
        self.view_items = self.mappings.view_items
        self.with_item = self.mappings.with_item
        self.subscripts = Subscripts(self)
        self.container_contains = self.subscripts.container_contains
        self.container_delete = self.subscripts.container_delete
        self.container_get = self.subscripts.container_get
        self.container_set = self.subscripts.container_set
        self.delete_item = self.subscripts.delete_item
        self.get_item = self.subscripts.get_item
        self.hashable = self.subscripts.hashable
        self.index_of = self.subscripts.index_of
        self.set_item = self.subscripts.set_item
        self.whole = self.subscripts.whole

    def _make_iterators(self) -> None:
        """Make the parts that know iterators."""
        self.iterables = Iterables(self, self.jumps)
        self.container_iterate = self.iterables.container_iterate
        self.is_iterator = self.iterables.is_iterator
        self.iterate = self.iterables.iterate
        self.own_iter = self.iterables.own_iter
        self.iterators = Iterators(self, self.iterables, self.sharing, self.resuming)
        self.ask = self.iterators.ask
        self.has_acted = self.iterators.has_acted
        self.is_asked = self.iterators.is_asked
        self.is_known = self.iterators.is_known
        self.is_stepwise = self.iterators.is_stepwise
        self.is_unchanged = self.iterators.is_unchanged
        self.iterator = self.iterators.iterator
        self.kept = self.iterators.kept
        self.leave = self.iterators.leave
        self.most = self.iterators.most
        self.not_negative = self.iterators.not_negative
        self.numbered = self.iterators.numbered
        self.over = self.iterators.over
        self.position = self.iterators.position
        self.ready = self.iterators.ready
        self.remaining = self.iterators.remaining
        self.require_unchanged = self.iterators.require_unchanged
        self.require_unseen = self.iterators.require_unseen
        self.site = self.iterators.site
        self.stand = self.iterators.stand
        self.started = self.iterators.started
        self.step_by_step = self.iterators.step_by_step

    def _make_lists(self) -> None:
        """Make the parts that know lists."""
        self.lists = Lists(self, self.iterators, self.sharing)
        self.any_of = self.lists.any_of
        self.append = self.lists.append
        self.columns = self.lists.columns
        self.contains = self.lists.contains
        self.extend = self.lists.extend
        self.is_dynamic = self.lists.is_dynamic
        self.is_given = self.lists.is_given
        self.native_array = self.lists.native_array
        self.numbers_in = self.lists.numbers_in
        self.same_item = self.lists.same_item
        self.gathering = Gathering(self, self.iterables, self.iterators, self.lists)
        self.gathered = self.gathering.gathered
        self.mapping_items = self.gathering.mapping_items
        self.settled = self.gathering.settled
        self.static_items = self.gathering.static_items

    def _make_objects(self) -> None:
        """Make the parts that know objects and classes."""
        self.extensions = Extensions(self)
        self.given_item = self.extensions.given_item
        self.overriding = self.extensions.overriding
        self.plain_number = self.extensions.plain_number
        self.lookups = Lookups(self, self.extensions, self.jumps)
        self.lookup = self.lookups.lookup
        self.lookup_plain = self.lookups.lookup_plain
        self.attributes = Attributes(
            *(self, self.arrays, self.lookups, self.extensions, self.locations, self.resuming)
        )
        self.array_attribute = self.attributes.array_attribute
        self.class_of = self.attributes.class_of
        self.get_attribute = self.attributes.get_attribute
        self.iterable_attribute = self.attributes.iterable_attribute
        self.known_variable_fact = self.attributes.known_variable_fact
        self.set_attribute = self.attributes.set_attribute
        self.change_attribute = self.attributes.change_attribute
        self.set_own = self.attributes.set_own
        self.space_of = self.attributes.space_of
        self.special = self.attributes.special
        self.touch_fact = self.attributes.touch_fact
        self.type_of = self.attributes.type_of
        self.variable_fact = self.attributes.variable_fact
        self.managers = Managers(self, self.sources, self.jumps)
        self.classes = Classes(self, self.visits, self.scopes)

    def _make_calls(self) -> None:
        """Make the parts that run loops and calls."""
        self.drafts: Drafts = Drafts(self, self.arrays)
        self.fixed_point: FixedPoint = FixedPoint(
            *(self, self.jumps, self.sharing, self.locations, self.drafts)
        )
        self.attempts = Attempts(self, self.sharing)
        self.peeling = Peeling(self, self.fixed_point, self.attempts)
        self.loops = Loops(
            self,
            self.iterables,
            self.iterators,
            self.peeling,
            self.visits,
            self.scopes,
            self.attempts,
            self.resuming,
        )
        memos = Memos(self, self.sources)
        callees = Callees(self, self.sources, self.scopes, memos)
        framing = Framing(self, self.arms, callees)
        self.recursion = Recursion(
            self, self.sources, self.attempts, self.arms, self.scopes, framing
        )
        self.functions = self.new_functions()
        self.call_closure = self.functions.call_closure
        self.call_function = self.functions.call_function
        self.instantiate = self.functions.instantiate
        self.remembering: Remembering = Remembering(self, memos, callees, self.functions)
        self.generators = Generators(
            self, self.functions, self.iterators, self.scopes, self.sharing
        )
        self.jumps.consumed = lambda: self.generators.apart
        self.as_generator = self.generators.as_generator
        self.consume = self.generators.consume
        self.calls = Calls(self, self.functions, self.sharing)
        self.call = self.calls.call
        self.lowered_call = self.calls.lowered_call
        self.native_errors = self.calls.native_errors
        self.walked = self.calls.walked
        self.natives = NativeCalls(
            self, self.arrays, self.iterators, self.iterables, self.calls, self.functions
        )
        self.materialised = self.natives.materialised
        self.native = self.natives.native
        self.spreads = StarredCalls(self, self.calls, self.iterators, self.lists)
        self.call_spread = self.spreads.call_spread
        self.together = self.spreads.together

    def _make_nodes(self) -> None:
        """Make the parts that visit nodes."""
        self.operators = Operators(self, self.extensions)
        self.augmented = self.operators.augmented
        self.binary = self.operators.binary
        self.builtin_binary = self.operators.builtin_binary
        self.unary = self.operators.unary
        self.expressions = Expressions(
            self,
            self.visits,
            self.scopes,
            self.branches,
            self.lists,
            self.gathering,
            self.spreads,
            self.attributes,
            self.generators,
        )
        self.statements = Statements(
            self,
            self.visits,
            self.scopes,
            self.jumps,
            self.branches,
            self.operators,
            self.attributes,
            self.managers,
            self.iterables,
        )
        self.visits.take(self.statements, self.expressions, self.loops, self.classes)

    def new_visits(self) -> Visits:
        """Return the part that visits nodes."""
        return Visits(self)

    def new_functions(self) -> Functions:
        """Return the part that walks into functions."""
        return Functions(
            *(self, self.visits, self.sources, self.recursion, self.extensions, self.resuming),
            self.drafts,
        )
