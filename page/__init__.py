"""The play page: a local server, and the JavaScript module that draws a table in a browser.

It requires ``pip install "parlour[page]"``. ``parlour serve`` starts the `server`.
"""

if __name__ != "parlour.page":
    raise ImportError(
        "this folder is the package parlour.page. Install the repository (pip install -e .) "
        "and use: import parlour.page"
    )
