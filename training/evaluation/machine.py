"""The machine that times were measured on."""

import platform
from pathlib import Path

CPU_FILE = Path("/proc/cpuinfo")


def describe_machine() -> str:
    """Name the processor and Python."""
    model = platform.processor() or platform.machine()
    if CPU_FILE.exists():
        text = CPU_FILE.read_text(encoding="utf-8", errors="replace")
        named = (line for line in text.splitlines() if line.startswith("model name"))
        model = next(named, f":{model}").partition(":")[2].strip()
    return f"{model}, Python {platform.python_version()}"
