"""Agents from random to exact, behind one batched protocol."""

if __name__ != "parlour.agents":
    raise ImportError(
        "this folder is the package parlour.agents: install the repository (pip install -e .), "
        "then write: import parlour.agents"
    )
