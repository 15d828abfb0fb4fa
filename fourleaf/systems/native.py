"""Kubernetes' own scheduler: it takes requests as they are and knows no queues."""

from __future__ import annotations

from fourleaf.systems.system import System

SYSTEM = System(name="native", answers=("scheduler", "default"))
