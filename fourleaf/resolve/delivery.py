"""Which target a set is for, and whether what it needs is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Path, nearest
from fourleaf.resolve.inventory import Delivery, Inventory, Target
from fourleaf.resolve.lookup import suggestion
from fourleaf.resolve.rules import NO_REPOSITORY, NOT_BUILT_YET, UNKNOWN_NAME

IN_REPOSITORY = ("argocd", "flux")


def deliver(inventory: Inventory, asked: str | None, built: Sequence[str]) -> tuple[Delivery, tuple[Diagnostic, ...]]:
    """Return where the set goes.

    Args:
        asked: the target of the command line, which goes before the spec's.
        built: the targets that something emits.
    """
    place: Path = ("spec", "delivery", "target")
    known = get_args(Target)
    target = next((name for name in known if name == (asked or inventory.delivery.target)), None)
    if target is None:
        return inventory.delivery, (
            UNKNOWN_NAME.at(place, f"there is no target {asked}", help=suggestion(nearest(asked or "", known), known)),
        )
    delivery = replace(inventory.delivery, target=target)
    if target not in built:
        return delivery, (NOT_BUILT_YET.at(place, f"target {target} is not built yet", help=f"there is: {', '.join(built)}"),)
    if target in IN_REPOSITORY and not delivery.repo_url:
        where: Path = ("spec", "delivery", target)
        return delivery, (
            NO_REPOSITORY.at(
                where,
                f"target {target} needs the repository that the set is committed to",
                help=f"add `{target}: {{repoURL: ...}}` under delivery",
            ),
        )
    return delivery, ()
