"""Which workloads lack cards that are cut for them: rules of layouts speak of those, rules of placement of all others."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.ir import Layouts, Plan, PodShape, Prediction


def without_cards(plan: Plan) -> Iterator[tuple[Layouts, PodShape, Prediction]]:
    """Yield each workload that lacks what no layouts make, with those of the first pool that could serve it.

    What computed layouts have for all can be too little as well: by a quota, by the size of nodes, by where a scheduler puts pods.
    """
    # A DaemonSet may ask several that share no demand: those that lack something stand last.
    asked = {key: layouts for layouts in sorted(plan.layouts, key=lambda one: one.lacking) for key in layouts.workloads}
    several = several_for_one(plan)
    for pod, prediction in zip(plan.pods, plan.predictions, strict=True):
        layouts = asked.get((pod.namespace, pod.name))
        if layouts is None or pod.gang > pod.declared:
            continue
        lacking = layouts.lacking and prediction.at_most < prediction.wanted and _by_units(pod, prediction)
        if lacking or not pod.supplies or (layouts.pool in several and prediction.pods < prediction.wanted):
            yield layouts, pod, prediction


def several_for_one(plan: Plan) -> set[str]:
    """Return the pools that share demand with nodes which need several layouts and can have one."""
    return {name for layouts in plan.layouts if layouts.several for name in layouts.beside}


def _by_units(pod: PodShape, prediction: Prediction) -> bool:
    """Tell whether a workload lacks units, not room for pods or quota."""
    return pod.empty() < max(1, pod.gang) if prediction.never else prediction.short_of == prediction.resource
