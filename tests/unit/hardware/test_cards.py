import re
from collections import Counter

import pytest
from msgspec.structs import fields

from fourleaf.data import load
from fourleaf.hardware import Card
from fourleaf.hardware.catalogue import VENDORS, cards, find_card

ALL = tuple(cards().values())
TRAITS = {
    "nvidia": {"computeCapability", "openModules", "minDriver", "lastDriver", "mpsClients", "migTable"},
    "amd": {"cus", "apu", "vf", "hbmGib"},
    "intel": {"kernelDriver", "family", "model"},
}
TABLES = set(load("partition/data/cards.yaml")["cards"])


def names(word: str) -> set[str]:
    return {card.name for card in find_card(word).matches}


@pytest.mark.parametrize("card", ALL, ids=lambda card: card.name)
def test_a_record_is_whole(card: Card) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", card.name)
    assert card.vendor in VENDORS
    assert card.product
    assert card.architecture
    assert card.source
    assert card.read == "2026-11-29"
    assert card.devices >= 1
    assert card.pci
    assert all(isinstance(device, str) and re.fullmatch(r"[0-9a-f]{4}", device) for device in card.pci)
    assert len(set(card.pci)) == len(card.pci)
    assert (card.memory_gib is None) is card.integrated
    assert set(card.traits) <= TRAITS[card.vendor]
    assert all(isinstance(value, str) and value for value in card.traits.values())


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_record_has_no_key_that_is_not_read(vendor: str) -> None:
    data = load(f"hardware/data/{vendor}.yaml")
    assert set(data) == {"vendor", "read", "source", "groups"}
    assert data["vendor"] == vendor
    own = {field.name for field in fields(Card)} - {"vendor", "architecture"}
    for group in data["groups"]:
        assert set(group) <= {"architecture", "traits", "cards"}
        for record in group["cards"]:
            assert set(record) <= own, record["name"]
            assert {"name", "product", "pci"} <= set(record)


def test_every_name_is_said_once() -> None:
    listed = [record["name"] for vendor in VENDORS for group in load(f"hardware/data/{vendor}.yaml")["groups"] for record in group["cards"]]
    assert Counter(listed).most_common(1)[0][1] == 1
    assert listed == list(cards())


def test_a_name_means_its_card_and_no_other() -> None:
    for card in ALL:
        assert find_card(card.name).one is card
        assert find_card(card.name.replace("-", " ").upper()).one is card
        assert find_card(f"{card.vendor}-{card.name}").one is card


def test_no_alias_is_the_name_of_another_card() -> None:
    for card in ALL:
        assert not set(card.aliases) & (set(cards()) - {card.name}), card.name


def test_every_alias_and_product_string_leads_to_its_card() -> None:
    for card in ALL:
        for word in (*card.aliases, card.product, card.product.replace(" ", "-")):
            assert card.name in names(word), word


def test_an_alias_that_fits_two_cards_names_both() -> None:
    found = find_card("h100")
    assert found.ambiguous
    assert found.one is None
    assert [card.name for card in found.matches] == ["h100-64gb", "h100-80gb", "h100-94gb", "h100-96gb"]
    assert names("rtx-3080") == names("NVIDIA GeForce RTX 3080") == {"rtx-3080-10gb", "rtx-3080-12gb"}
    assert names("a100") == {"a100-40gb", "a100-64gb", "a100-80gb"}


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("RTX 5070 Ti", "rtx-5070-ti"),
        ("rtx5070ti", "rtx-5070-ti"),
        ("GeForce RTX 5070 Ti", "rtx-5070-ti"),
        ("NVIDIA-H100-80GB-HBM3", "h100-80gb"),
        ("nvidia_h100_pcie", "h100-80gb"),
        ("h100-sxm-80gb", "h100-80gb"),
        ("h100-nvl", "h100-94gb"),
        ("NVIDIA H800", "h800-80gb"),
        ("NVIDIA-A100-SXM4-40GB", "a100-40gb"),
        ("h200", "h200-141gb"),
        ("B200", "b200-180gb"),
        ("Tesla-T4", "t4"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx-pro-6000"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD_Instinct_MI300X_OAM", "mi300x"),
        ("W7900", "pro-w7900"),
        ("Intel Arc B580", "arc-b580"),
        ("meteor-lake", "arc-meteor-lake"),
    ],
)
def test_words_that_people_use(word: str, name: str) -> None:
    found = find_card(word).one
    assert found is not None
    assert found.name == name


def test_an_unknown_card_brings_the_nearest_names() -> None:
    found = find_card("RTX 5070 Tii")
    assert found.matches == ()
    assert not found.ambiguous
    assert found.near[0] == "rtx-5070-ti"
    assert "h100-94gb" in find_card("h100-95gb").near
    assert set(find_card("rtx-4091").near) <= set(cards())


@pytest.mark.parametrize("word", ["", "-", "nvidia", "AMD", "mi", "x" * 500])
def test_words_without_a_model_are_unknown(word: str) -> None:
    assert find_card(word).matches == ()


def test_partition_tables_are_those_that_exist_and_fit_the_memory() -> None:
    assert {card.mig for card in ALL if card.mig} == TABLES
    for card in ALL:
        if size := re.search(r"-(\d+)gb$", card.mig):
            assert card.memory_gib == int(size[1]), card.name
        if card.mig:
            assert card.vendor == "nvidia"
            assert "minDriver" in card.traits
            assert "migTable" not in card.traits


def test_the_memory_in_a_name_is_the_memory_of_the_record() -> None:
    for card in ALL:
        if size := re.search(r"-(\d+)gb$", card.name):
            assert card.memory_gib == int(size[1])


def test_cards_before_turing_have_a_last_driver_and_no_open_modules() -> None:
    for card in ALL:
        if card.vendor == "nvidia":
            old = card.architecture in ("pascal", "volta")
            assert (card.traits["openModules"] == "no") is old
            assert card.traits.get("lastDriver") == ("580" if old else None)
            newer = tuple(map(int, card.traits["computeCapability"].split("."))) >= (7, 5)
            assert card.traits["mpsClients"] == ("48" if newer else "16")


@pytest.mark.parametrize(
    ("name", "devices", "pci"), [("mi250x", 2, "7408"), ("a16", 4, "25b6"), ("flex-140", 2, "56c1"), ("rtx-5070-ti", 1, "2c05")]
)
def test_boards_with_several_devices(name: str, devices: int, pci: str) -> None:
    assert cards()[name].devices == devices
    assert pci in cards()[name].pci


def test_cards_that_share_a_pci_id_are_of_one_vendor_and_driver() -> None:
    owners: dict[tuple[str, str], list[Card]] = {}
    for card in ALL:
        for device in card.pci:
            owners.setdefault((card.vendor, device), []).append(card)
    shared = {device: [card.name for card in group] for (_, device), group in owners.items() if len(group) > 1}
    assert shared["2d04"] == ["rtx-5060-ti-8gb", "rtx-5060-ti-16gb"]
    assert set(shared) == {"2d04", "25b6", "740c", "7551", "7550", "7590", "744c", "73bf", "1586", "150e", "56a0", "56b1"}


@pytest.mark.parametrize(("name", "driver", "family"), [
    ("arc-b580", "xe", "Arc B-Series"), ("arc-a770-16gb", "i915", "Arc A-Series"), ("arc-meteor-lake", "i915", "Unknown"),
    ("flex-170", "i915", "Data Center Flex"),
])  # fmt: skip
def test_intels_kernel_driver_and_family(name: str, driver: str, family: str) -> None:
    assert cards()[name].traits["kernelDriver"] == driver
    assert cards()[name].traits["family"] == family
