"""What is known of cards, hosts and distributions."""

from fourleaf.hardware.model import Card, Distribution, Host

__all__ = ["Card", "Distribution", "Host"]
