"""The names of a group's functions in the one function that they become."""

from __future__ import annotations

from typing import Any

import gast

from .copies import copied
from .forms import is_name, names_in
from .group import Member, arguments_of, calls_of
from .names import Names, bound_by
from .scopes import kind_of, own_nodes
from .walking import by_type, children, walk

__all__ = ["invariants", "rename", "renamed"]

Tree = Any
INNER = (gast.FunctionDef, gast.Lambda, gast.ClassDef)


def invariants(members: list[Member], entry: Member, names: Names) -> dict[tuple[Member, str], str]:
    """The parameters that hold the same in all calls: for each, the entry's parameter it is.

    Each is what every call of its function passes on unchanged, and nobody assigns it.
    """
    assigned = {(member, name) for member in members for name in _assigned(member.tree)}
    same: dict[tuple[Member, str], str | None] = {
        (entry, name): None if (entry, name) in assigned else name for name in entry.parameters
    }
    changed = True
    while changed:
        changed = False
        for member in members:
            for call, called, receiver, hidden in calls_of(member):
                if called not in members:
                    continue
                for name, value in arguments_of(called, receiver, call):
                    key = called, name
                    source = getattr(value, "id", "")
                    passed = None if source in hidden else same.get((member, source))
                    if hasattr(value, "default") and called is entry and name in entry.outside:
                        passed = same.get(key)
                    if source not in hidden and _is_unknown(member, source, same):
                        continue
                    if key in assigned:
                        passed = None
                    now = passed if key not in same or same[key] == passed else None
                    if key not in same or same[key] != now:
                        same[key], changed = now, True
    kept = {key: name for key, name in same.items() if name is not None}
    free = _free(members)
    table = {name: names.fresh(name) for name in sorted({*kept.values()} & free)}
    return {key: table.get(name, name) for key, name in kept.items()}


def _free(members: list[Member]) -> set[str]:
    """Return the names that functions read which are none of their own."""
    return set().union(*(names_in(one.tree) - kind_of(one.tree).locals for one in members))


def _assigned(tree: Tree) -> set[str]:
    """Return the names that a function assigns, or a function inside for it."""
    own = {name for node in own_nodes(tree) for name in bound_by(node)}
    return own.union(*(node.names for node in by_type(tree)[gast.Nonlocal]))


def _is_unknown(member: Member, name: str, same: dict[Any, Any]) -> bool:
    return name in member.parameters and (member, name) not in same


def renamed(
    members: list[Member], same: dict[tuple[Member, str], str], names: Names
) -> dict[Member, Tree]:
    """Copies of the trees, in which two functions have no local name in common but for `same`.

    Each has an attribute `written`: what the program calls its local names.
    """
    taken = _free(members)
    trees: dict[Member, Tree] = {}
    for member in members:
        tree = copied(member.tree)
        tree.callee = member.callee
        table = {name: same[member, name] for name in member.parameters if (member, name) in same}
        for name in sorted(kind_of(member.tree).locals):
            if name not in table:
                table[name] = name if name not in taken else names.fresh(name)
        taken.update(table.values())
        made = getattr(member.tree, "generated_names", ())
        tree.written = {new: old for old, new in table.items() if old not in made}
        _mark(member, tree, members)
        rename(tree, table)
        trees[member] = tree
    return trees


def _mark(member: Member, tree: Tree, members: list[Member]) -> None:
    """Note on each call of a member in a copy what it calls, before names are others."""
    called = {id(one.call): one for one in calls_of(member)}
    pairs = list(zip(walk(member.tree), walk(tree), strict=True))
    parts = {id(old): new for old, new in pairs}
    for old, new in pairs:
        one = called.get(id(old))
        if one is not None and one.member in members:
            receiver = [parts[id(x)] if id(x) in parts else copied(x) for x in one.receiver]
            new.member = one.member, receiver


def rename(node: Tree, table: dict[str, str]) -> None:
    """Rename names of a function, where functions inside read them too."""
    for child in children(node):
        inner = table
        if isinstance(child, INNER):
            own = kind_of(child).locals
            inner = {name: new for name, new in table.items() if name not in own}
            if isinstance(child, gast.FunctionDef):
                child.name = table.get(child.name, child.name)
        if type(child) is gast.Nonlocal:
            child.names = [table.get(name, name) for name in child.names]
        if is_name(child):
            child.id = table.get(child.id, child.id)
        receivers = getattr(child, "member", (None, ()))[1]
        within = {id(one) for one in walk(child)} if receivers else set()
        for receiver in receivers:
            if id(receiver) not in within:
                rename(gast.Expr(receiver), inner)
        rename(child, inner)
