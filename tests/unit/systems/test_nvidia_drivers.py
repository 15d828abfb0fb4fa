"""Which driver and which modules move a card, where the operator brings them."""

import pytest
from clusters import at, chart_of, codes, planned, pool

from fourleaf.diag import Diagnostic
from fourleaf.ir import Plan, Pool
from fourleaf.systems import SYSTEMS

NAME = "gpu-operator"


def cluster(*pools: Pool) -> Plan:
    return planned(*pools, allocation={"nvidia": "operator"})


def gpu(os: str = "ubuntu-24.04", card: str = "rtx-5070-ti", **more: object) -> Pool:
    return pool("gpu", (card, 1), nodes=["gpu-1"], os=os, **more)  # type: ignore[arg-type]


def found(made: Plan) -> list[Diagnostic]:
    component = next(one for one in made.components if one.system == NAME)
    return list(SYSTEMS[NAME].check(made, component))


def test_an_operator_cannot_bring_a_driver_without_an_image() -> None:
    assert codes(cluster(gpu("debian-12", driver={"owner": "operator"}), pool("b", ("t4", 1), nodes=["b"])), NAME) == ["FL150"]


@pytest.mark.parametrize(("card", "modules", "need"), [("rtx-5090", "proprietary", "open"), ("v100-32gb", "open", "proprietary")])
def test_modules_that_do_not_fit_the_card_are_an_error(card: str, modules: str, need: str) -> None:
    driver = {"owner": "operator", "version": "580.173.02", "kernel_modules": modules}
    (one,) = found(cluster(gpu(card=card, driver=driver)))
    assert (one.rule.code, one.message) == ("FL154", f"{card} in pool gpu runs with {need} kernel modules only")


@pytest.mark.parametrize(
    ("card", "branch", "mend"),
    [
        ("l4", "580", "write 580.173.02"),
        ("l4", "570", "write 595.91.07, or the version of R570 that is meant"),
        ("p40", "595", "write 580.173.02, or the version of R595 that is meant"),
    ],
)
def test_a_branch_is_no_version_of_a_driver(card: str, branch: str, mend: str) -> None:
    (one,) = found(cluster(gpu(card=card, driver={"owner": "operator", "version": branch})))
    assert (one.rule.code, one.help) == ("FL165", mend)


@pytest.mark.parametrize(
    ("card", "version", "message"),
    [
        ("p40", "595.91.07", "R580 is the last driver of p40 in pool gpu, this is 595.91.07"),
        ("rtx-5090", "550.90.07", "rtx-5090 in pool gpu needs driver 570 or newer, this is 550.90.07"),
        ("rtx-pro-6000", "550.90.07", "rtx-pro-6000 in pool gpu needs driver 570 or newer, this is 550.90.07"),
        ("h100-80gb", "470.256.02", "h100-80gb in pool gpu needs driver 520 or newer, this is 470.256.02"),
        ("l4", "515.105.01", "l4 in pool gpu needs driver 520 or newer, this is 515.105.01"),
        ("a10", "418.226.00", "a10 in pool gpu needs driver 450 or newer, this is 418.226.00"),
    ],
)
def test_a_driver_that_does_not_fit_the_card_is_an_error(card: str, version: str, message: str) -> None:
    (one,) = found(cluster(gpu(card=card, driver={"owner": "operator", "version": version})))
    assert (one.rule.code, one.message) == ("FL155", message)


@pytest.mark.parametrize(
    ("version", "wrong"), [("999.1", ["FL164"]), ("581.105.08", ["FL164"]), ("580.105.08", []), ("470.256.02", []), ("620.1", [])]
)
def test_a_driver_of_a_branch_that_nobody_knows_is_a_warning(version: str, wrong: list[str]) -> None:
    assert [one.rule.code for one in found(cluster(gpu(card="t4", driver={"owner": "operator", "version": version})))] == wrong


def test_a_card_that_can_be_cut_and_is_not_needs_no_newer_driver_for_it() -> None:
    assert not found(cluster(gpu(card="rtx-pro-6000", driver={"owner": "operator", "version": "570.211.01"})))


def test_cards_of_a_last_branch_get_its_driver_by_themselves() -> None:
    made = cluster(gpu(card="p40"))
    assert at(chart_of(made, NAME).values, "driver") == {"enabled": True, "version": "580.173.02"}
    assert not found(made)


def test_one_old_card_holds_the_driver_of_all_back_and_says_so() -> None:
    made = cluster(gpu(card="p40"), pool("new", ("t4", 1), nodes=["new-1"]))
    assert at(chart_of(made, NAME).values, "driver", "version") == "580.173.02"
    (one,) = found(made)
    assert (one.rule.code, one.severity) == ("FL156", "note")
