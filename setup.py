"""Install the top-level folders as packages of ``parlour``, with their data files."""

from setuptools import find_namespace_packages, setup

FOLDERS = {"parlour": "parlour"} | {
    f"parlour.{folder}": folder for folder in ("envs", "agents", "training", "page")
}
ENDS = ("css", "html", "js", "json", "md", "otf", "parquet", "safetensors", "toml", "txt")
DATA = ["py.typed", *(f"**/*.{end}" for end in ENDS)]

setup(
    packages=[
        *FOLDERS,
        *(
            f"{package}.{inner}"
            for package, folder in FOLDERS.items()
            for inner in find_namespace_packages(folder, exclude=["*__pycache__*"])
        ),
    ],
    package_dir=FOLDERS,
    package_data={package: DATA for package in FOLDERS},
)
