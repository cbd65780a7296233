"""Install the top-level folders as packages of ``parlour``, with their data files.

``make wheel`` sets PARLOUR_KERNELS to a folder of compiled kernels. The wheel then contains them
and is for the platform and the Python of this machine. Without the variable, the wheel is for all
platforms and kernels are compiled on first use.
"""

import os
import shutil
from pathlib import Path

from setuptools import Distribution, find_namespace_packages, setup
from setuptools.command.build_py import build_py

FOLDERS = {"parlour": "parlour"} | {
    f"parlour.{folder}": folder for folder in ("envs", "agents", "training", "page")
}
ENDS = ("css", "html", "js", "json", "md", "otf", "parquet", "safetensors", "toml", "txt")
DATA = ["py.typed", *(f"**/*.{end}" for end in ENDS)]
KERNELS = os.environ.get("PARLOUR_KERNELS", "")


class BuildWithKernels(build_py):
    """Build the packages, and copy the compiled kernels into them."""

    def run(self) -> None:
        super().run()
        if KERNELS and not self.editable_mode:
            folder = Path(self.build_lib, "parlour/envs/core/kernel/compiled")
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(KERNELS, folder)


class PlatformDistribution(Distribution):
    """A distribution whose wheel is for one platform if it contains kernels."""

    def has_ext_modules(self) -> bool:
        return bool(KERNELS)


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
    cmdclass={"build_py": BuildWithKernels},
    distclass=PlatformDistribution,
)
