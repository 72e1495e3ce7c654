"""The sources of rules: folders, manifests, YAML files and packages, within limits of size."""
