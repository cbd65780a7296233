"""Install envs, agents, training and page as packages of parlour, with their data files."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("envs", "agents", "training", "page")
ENDS = ("css", "html", "js", "json", "md", "otf", "parquet", "safetensors", "toml", "txt")
DATA = ["py.typed", *(f"**/*.{end}" for end in ENDS)]

setup(
    packages=[f"parlour.{folder}" for folder in FOLDERS]
    + [
        f"parlour.{folder}.{inner}"
        for folder in FOLDERS
        for inner in find_namespace_packages(folder, exclude=["*__pycache__*"])
    ],
    package_dir={f"parlour.{folder}": folder for folder in FOLDERS},
    package_data={f"parlour.{folder}": DATA for folder in FOLDERS},
)
