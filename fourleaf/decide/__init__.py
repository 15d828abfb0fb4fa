"""Which leaf of the tree a cluster sits on, and why."""

from fourleaf.decide.decision import LEAVES, Decision, Layer, LeafId, Step
from fourleaf.decide.rules import RULES
from fourleaf.decide.tree import decide

__all__ = ["LEAVES", "RULES", "Decision", "Layer", "LeafId", "Step", "decide"]
