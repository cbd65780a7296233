"""Blocks of documents that hold measurements: whoever measures puts them there."""

from pathlib import Path

END = "<!-- end -->"


def put_block(path: Path, name: str, text: str) -> None:
    """Put text between a document's ``<!-- generated: NAME -->`` and the next ``<!-- end -->``.

    Raises SystemExit where the document has no such block.
    """
    begin = f"<!-- generated: {name} -->"
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    if not found or END not in rest:
        raise SystemExit(f"{path.name} has no line {begin}")
    after = rest.partition(END)[2]
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{END}{after}", encoding="utf-8")
