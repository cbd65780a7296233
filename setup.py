"""Install the folders envs, agents and training as packages of parlour, with their data files."""

from setuptools import find_namespace_packages, setup

FOLDERS = ("envs", "agents", "training")
DATA = [
    "py.typed",
    *(f"**/*.{end}" for end in ("json", "md", "otf", "parquet", "safetensors", "toml", "txt")),
]

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
