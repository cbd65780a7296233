"""Training, evaluation and comparison of agents, and the command line over them."""

if __name__ != "parlour.training":
    raise ImportError(
        "this folder is the package parlour.training: install the repository (pip install -e .), "
        "then write: import parlour.training"
    )
