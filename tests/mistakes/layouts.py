"""Mistakes in how cards are cut: computed layouts, and modes."""

from mistakes.mistake import Mistake, one

LAYOUTS = (
    one(
        "slices that leave too few whole cards", "auto", "replicas: 7", "replicas: 9", "FL210", "nvidia",
        mend=(("[gpu-1, gpu-2]", "[gpu-1, gpu-2, gpu-3]"),),
    ),
    one(
        "nodes without names that need two layouts", "auto", "nodes: [gpu-1, gpu-2]", "count: 2", "FL213", "mig",
        mend=(("count: 2", "nodes: [gpu-1, gpu-2]"),),
    ),
    Mistake(
        what="boards with long names",
        base="auto",
        change=(("card: h100-80gb", "card: rtx-pro-6000"), ("{mig: 1g.10gb}", "{mig: 1g.24gb}"), ("replicas: 7", "replicas: 4")),
        code="FL214",
        at="mig",
    ),
    Mistake(
        what="a profile of several names",
        base="auto",
        change=(("card: h100-80gb}", "card: gb300}"), ("{mig: 1g.10gb}", "{mig: 1g}")),
        code="FL215",
        at="mig",
        mend=(("{mig: auto}", '{mig: auto}, driver: {version: "595.58.03"}'),),
    ),
    one(
        "whole cards where all are cut", "auto", "{mig: auto}", "{mig: {profile: 1g.10gb}}", "FL216", "nvidia",
        mend=(("{vendor: nvidia}", "{mig: 1g.10gb}"),),
    ),
    one(
        "shares of computed slices", "auto", "{mig: auto}", "{mig: {auto: {}, timeSlicing: {replicas: 2}}}", "FL902", "timeSlicing",
        mend=((", timeSlicing: {replicas: 2}", ""),),
    ),
    one("headroom that the cards have not", "auto", "{mig: auto}", "{mig: {auto: {headroom: 20%}}}", "FL218", "20%", mend=(("20%", "0%"),)),
    one(
        "a layout that nobody needs", "auto", "replicas: 7, gpu: {mig: 1g.10gb}", "gpu: {vendor: nvidia}", "FL219", "mig",
        mend=(("{mig: auto}", "none"),),
    ),
    Mistake(
        what="modes of a card that has none",
        base="modes",
        change=(("card: mi300x", "card: mi210"),),
        code="FL230",
        at="modes",
        mend=(("partition: {modes: cpx_nps4}", "partition: none"), ("replicas: 64, gpu: {modes: cpx_nps4}", "gpu: {card: mi210}")),
    ),
    one(
        "a misspelt mode", "modes", "partition: {modes: cpx_nps4}", "partition: {modes: cpx-nps4}", "FL231", "cpx-nps4",
        mend=(("cpx-nps4", "cpx_nps4"),),
    ),
    one(
        "modes for too few cards", "modes", "partition: {modes: cpx_nps4}", "partition: {modes: {cpx_nps4: 7}}", "FL232", "modes",
        mend=(("{cpx_nps4: 7}", "{cpx_nps4: 8}"),),
    ),
    one(
        "two memory modes", "modes", "partition: {modes: cpx_nps4}", "partition: {modes: {cpx_nps4: 7, cpx_nps1: 1}}", "FL233", "modes",
        mend=(("{cpx_nps4: 7, cpx_nps1: 1}", "cpx_nps4"),),
    ),
    one(
        "whole cards where all are in parts", "modes", "gpu: {modes: cpx_nps4}", "gpu: {card: mi300x}", "FL216", "mi300x",
        mend=(("{card: mi300x}", "{modes: cpx_nps4}"),),
    ),
    one(
        "another vendor's modes", "auto", "{mig: auto}", "{modes: cpx_nps4}", "FL204", "modes",
        mend=(("{modes: cpx_nps4}", "{mig: auto}"),),
    ),
)  # fmt: skip
