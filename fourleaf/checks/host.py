"""Hosts against what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Rule, Severity

DRIVER = Rule(
    "FL110", "driver-install-on-immutable-host", Severity.ERROR,
    "an operator is to install a driver into a host whose root is read-only", allowable=False,
)  # fmt: skip


def _driver_on_immutable_host(given: Given) -> Iterator[Diagnostic]:
    for pool in given.plan.pools:
        if pool.gpus and pool.driver.owner == "operator" and pool.host.immutable:
            pinned = " ".join(word for word in (pool.driver.version, pool.driver.kernel_modules) if word)
            said = f"has driver {pinned} installed by an operator" if pinned else "leaves the driver to an operator"
            yield DRIVER.at(
                pool.driver.origin.place,
                f"pool {pool.name} {said}, and the root of {pool.host.name} is read-only",
                help="write `driver: host` (or `auto`): the driver comes with the host's image",
                note="an operator that installs drivers compiles and loads kernel modules on the node; here it waits for ever",
            )


CHECK = Check(_driver_on_immutable_host, (DRIVER,))
