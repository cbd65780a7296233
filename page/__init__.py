"""The play page: a server on this machine, and the one module that draws a table in a browser.

It needs ``pip install "parlour[page]"``; `server` is started by ``parlour serve``.
"""

if __name__ != "parlour.page":
    raise ImportError(
        "this folder is the package parlour.page: install the repository (pip install -e .), "
        "then write: import parlour.page"
    )
