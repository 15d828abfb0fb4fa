"""Mistakes in the text of a spec, and in the names in it."""

from mistakes.mistake import Mistake, one

LAPTOP_END = "  policy:\n    createNamespaces: true"

TEXT = (
    one("a misspelt field", "campus", "guaranteed: {gpu: 14}", "garanteed: {gpu: 14}", "FL003", "garanteed", "guaranteed"),
    one("a field of another place", "laptop", "kind: StatefulSet", "os: talos-1.13", "FL003", "os"),
    one("a missing field", "laptop", "      nodes: [laptop]        # as `kubectl get nodes` shows it\n", "", "FL004", "name"),
    one("a number in quotes", "dgx", "replicas: 20", 'replicas: "20"', "FL005", '"20"', "20"),
    one("a version without quotes", "laptop", 'version: "1.36"', "version: 1.36", "FL005", "1.36", '"1.36"'),
    one("a share of one pod", "shared", "mps: {replicas: 4}", "mps: {replicas: 1}", "FL006", "1", "2"),
    one("more pods than Kubernetes counts", "dgx", "replicas: 20", "replicas: 3000000000", "FL006", "3000000000"),
    one("more memory than Kubernetes counts", "laptop", "limit: 32Gi", "limit: 32Ei", "FL006", "32Ei"),
    one("a name too long for its kind", "laptop", "name: notebook", f"name: {'n' * 53}", "FL006", "n" * 53, mend=(("n" * 53, "n" * 52),)),
    one("a path that leads out of the repository", "homelab", "path: clusters", "path: ../clusters", "FL013", "../clusters/homelab"),
    one(
        "a channel instead of a version",
        "dgx",
        "  delivery:",
        "  stack: {gpu-operator: {version: latest}}\n  delivery:",
        "FL016",
        "latest",
        "v26.7.0",
    ),
    one(
        "a member of a group that is two workloads",
        "homelab",
        "    - name: openvino\n",
        "    - {name: vllm, namespace: other, gpu: {vendor: nvidia}, memory: {limit: 8Gi}}\n    - name: openvino\n",
        "FL011",
        "vllm",
        mend=(("name: vllm, namespace: other", "name: other, namespace: other"),),
    ),
    one("a kind in lower case", "laptop", "kind: StatefulSet", "kind: statefulset", "FL902", "statefulset", "StatefulSet"),
    one("a node of two pools", "homelab", "[mini-1, mini-2, mini-3]", "[mini-1, mini-2, gpu-1]", "FL011", "gpu-1"),
    one("memory without a known unit", "laptop", "limit: 32Gi", "limit: 32GB", "FL016", "32GB", "32G"),
    one(
        "a misspelt word",
        "laptop",
        LAPTOP_END,
        "  policy: {leaf: bare-plugins, createNamespaces: true}",
        "FL017",
        "bare-plugins",
        "bare-plugin",
    ),
    one("nodes by name and by number", "laptop", "      nodes: [laptop] ", "      count: 1\n      nodes: [laptop] ", "FL018", "count"),
)

NAMES = (
    one("a misspelt card", "dgx", "card: h100-80gb", "card: h100-80g", "FL102", "h100-80g", "h100-80gb"),
    one("a card that is several", "dgx", "card: h100-80gb", "card: h100", "FL103", "h100", mend=(("card: h100,", "card: h100-80gb,"),)),
    one("a misspelt host", "laptop", "ubuntu-24.04", "ubunto-24.04", "FL104", write="ubuntu-24.04"),
    one(
        "no host", "laptop", "      os: ubuntu-24.04\n", "", "FL104", "desk", mend=(("      gpus:", "      os: ubuntu-24.04\n      gpus:"),)
    ),
    one("a misspelt distribution", "laptop", "kubeadm", "kubeadmin", "FL105", write="kubeadm"),
    one("a host of another distribution", "laptop", "ubuntu-24.04", "talos-1.13", "FL106", mend=(("kubeadm", "talos"),)),
    one(
        "a Kubernetes that the hosts do not run",
        "homelab",
        '"1.35"',
        '"1.36"',
        "FL106",
        "talos-1.12",
        mend=(("os: talos-1.12         #", "os: talos-1.13 #"), ("os: talos-1.12\n", "os: talos-1.13\n")),
    ),
    one(
        "a component that is not there",
        "dgx",
        "  delivery:",
        "  stack: {gpu-opperator: {version: v26.7.0}}\n  delivery:",
        "FL107",
        "gpu-opperator",
        "gpu-operator",
    ),
    one(
        "a parent that is not there",
        "campus",
        "name: trials\n      parent: medicine",
        "name: trials\n      parent: medicin",
        "FL108",
        "medicin",
        "medicine",
    ),
    one("a member that is not there", "homelab", "[ollama, comfyui, vllm]", "[ollama, comfy-ui, vllm]", "FL108", "comfy-ui", "comfyui"),
    one("a vendor that no pool has", "amd-lab", "{vendor: amd, count: 4}", "{vendor: nvidia, count: 4}", "FL108", "nvidia", "amd"),
    one("a Kubernetes of the future", "laptop", '"1.36"', '"1.99"', "FL109", write='"1.37"'),
    one(
        "a component that the cluster does not get",
        "laptop",
        LAPTOP_END,
        f"  stack: {{gpu-operator: {{version: v26.7.0}}}}\n{LAPTOP_END}",
        "FL131",
        "gpu-operator",
        mend=(("  stack: {gpu-operator: {version: v26.7.0}}\n", ""),),
    ),
    Mistake(
        what="no repository for Argo CD",
        base="campus",
        change=(("  delivery:\n", "  delivery:\n    target: argocd\n"), ("      repoURL: https://git.example.org/campus.git\n", "")),
        code="FL130",
        at="path: clusters/campus",
        mend=(("      path: clusters/campus", "      repoURL: https://git.example.org/campus.git\n      path: clusters/campus"),),
    ),
)
