"""Budgets and what measures them. Figures are ratios of one run on one machine; none of them is a test."""
