"""Recursion that the data decide: its functions become one loop over frames, before their walk."""

from __future__ import annotations

from typing import Any

import gast

from canonicalizer.check import check
from canonicalizer.errors import Unframed
from canonicalizer.forms import names_in
from canonicalizer.frames import framed
from canonicalizer.scopes import parameters_of
from canonicalizer.walking import walk
from elichika.program.canonical import listing, nested_program
from elichika.program.places import Program, frame_of
from elichika.values.functions import Frame, is_private
from elichika.walker.arms import Arms
from elichika.walker.callees import Callees
from elichika.walker.entries import Entry
from elichika.walker.objects.context_managers import MANAGING
from elichika.walker.plan import WalkAgain
from elichika.walker.walk import Walk

__all__ = ["Framing"]

#: What a method reads of the class that it is written in.
OF_CLASS = {"super", "__class__"}
#: How many parts at the end of what names a call are those of the function.
OF_FUNCTION = 4
#: How many calls of a function are found out to recurse, each by a walk, before all run by loops.
MOST_WALKS = 2


class Framing:
    """The part of the walker that does recursion with frames."""

    def __init__(self, w: Walk, arms: Arms, callees: Callees) -> None:
        self.w = w
        self.arms = arms
        self.callees = callees

    def program_for(self, frame: Frame, bound: dict[str, Any]) -> Program:
        """Return what a call runs: its function, or a loop where the plan says so."""
        program = frame.program
        if not self.w.plan.framed:
            return program
        site = self.arms.call_site(len(self.w.frames), program)
        made = self.w.plan.framed.get(site, {} if self._is_framed_elsewhere(site) else False)
        if made is False:
            return program
        names = [node.id for node in program.tree.args.args]
        receiver = self.w.narrow(bound.get(names[0])) if names else None
        entry = self.callees.entry(frame, receiver, bound, widened=site in self.w.plan.widened)
        if entry.key not in made:
            made[entry.key] = self._made(program, entry, site)
        frame.cells = entry.cells
        entry.bind(bound, self.callees.words(program, bound))
        self.w.plan.framed[site] = made
        _rename_bound(bound, entry.member.tree, made[entry.key].tree)
        return made[entry.key]

    def _is_framed_elsewhere(self, site: Any) -> bool:
        """Whether so many calls of a function run by loops that another walk is no help."""
        places = [
            one[-OF_FUNCTION:] for one, made in self.w.plan.framed.items() if made is not False
        ]
        return places.count(site[-OF_FUNCTION:]) >= MOST_WALKS

    def _made(self, program: Program, entry: Entry, site: Any) -> Program:
        self._leave_for_outermost(entry, site)
        try:
            boxed, sole = self.w.plan.boxes_results, self.w.plan.keeps_tape
            limit = self.w.limits.max_depth
            tree = framed(entry.member, limit, boxed=boxed, sole=sole, managing=MANAGING)
            check(tree)
            if entry.taken is not None:
                raise Unframed(tree, f"`{entry.taken}` is another thing in each of them")
            if entry.others and _means_class(tree):
                raise Unframed(tree, "methods of several classes read the class they are of")
            if entry.chooses and "super" in names_in(tree):
                raise Unframed(tree, "`super` is not that of one object")
        except Unframed as error:
            if program.is_generator:
                self._list_items(entry)
            place = frame_of(error.node, program.file, program.name, library=program.library)
            self.w.plan.tried.clear()  # without its end being known, a walk may take forever
            self.arms.refuse_cycle([program], error.why, place)
        return nested_program(tree, program.file, program.library)

    def _list_items(self, entry: Entry) -> None:
        """End the walk where the items of generators may be found ahead of time, in lists."""
        listed = {id(one.tree) for one in entry.generators}
        if not listed or listed <= self.w.plan.listed:
            return
        try:
            for program in entry.generators:
                listing(program)
        except Unframed:
            return
        self.w.plan.listed |= listed
        raise WalkAgain(None)

    def _leave_for_outermost(self, entry: Entry, site: Any) -> None:
        """End the walk where another function of the group was called before: it has the loop."""
        for depth, frame in enumerate(self.w.frames):
            outer = self.arms.call_site(depth, frame.program)
            if id(frame.program.tree) in entry.trees and outer not in self.w.plan.framed:
                self.w.plan.framed.pop(site, None)
                self.arms.refuse_cycle([frame.program])


def _rename_bound(bound: dict[str, Any], function: Any, loop: Any) -> None:
    """Give arguments the names of a loop: another where a function of the group reads that name."""
    names = zip(parameters_of(function.args), parameters_of(loop.args), strict=True)
    given = {new: bound.pop(name) for name, new in [*names] if name in bound}
    bound.update(given)


def _means_class(tree: Any) -> bool:
    """Whether a function reads the class that it is written in, or names private to that."""
    for node in walk(tree):
        match node:
            case gast.Name(id=name) if name in OF_CLASS:
                return True
            case gast.Attribute(attr=name) if is_private(name):
                return True
    return False
