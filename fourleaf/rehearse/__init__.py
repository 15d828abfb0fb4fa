"""The rehearsal: a compiled set against a throwaway control plane with simulated nodes."""
