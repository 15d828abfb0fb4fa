"""What the Pulumi engine starts: the components as a package for programs in any language."""

from fourleaf_components.host import serve

if __name__ == "__main__":
    serve()
