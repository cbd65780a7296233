"""The only module that imports Numba's compiler: ``@jit``, its cache, and kernels as plain Python.

Numba's own cache looks at one source file, so a kernel keeps running the old machine code of a
helper that was edited elsewhere, and a kernel made by a factory is never found by another process.
This cache identifies a kernel by everything it is made of: the code of the functions that it
reaches, their closure cells and constants, the settings, and this file. An edit recompiles exactly
the kernels that reach it. Numba only chooses the folder: ``NUMBA_CACHE_DIR`` if that is set, else
``__pycache__`` beside the source, else the user's cache folder.

Refer to helpers by name (``from .bits import count``), not through a module (``bits.count``):
``plain_python`` does not follow what lies behind a module's dot.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import io
import os
import pickle
import platform
import re
import sys
import textwrap
import tokenize
import types
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import EnumMeta
from pathlib import Path
from typing import Any, TypeVar, overload

import llvmlite
import numba
import numpy as np
from numba.core import caching, compiler
from numba.core.serialize import dumps
from numba.core.types import Type

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_VERSIONS = (platform.python_version(), numba.__version__, llvmlite.__version__, np.__version__)
_THIS_FILE = Path(__file__).read_bytes()
_SETTINGS = (  # what changes the machine code, besides the processor: Numba names that itself
    *("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML"),
    *("DEBUGINFO_DEFAULT", "DEBUG_NRT", "EXTEND_VARIABLE_LIFETIMES"),
    *("LLVM_REFPRUNE_PASS", "LLVM_REFPRUNE_FLAGS"),
)
_KNOWN_BY_VERSION = sys.stdlib_module_names | {"llvmlite", "numba", "numpy"}
_compilations = 0


@overload
def jit(kernel: Kernel, /) -> Kernel: ...
@overload
def jit(
    *, twin: Callable[..., Any] | None = None, inline: str = "never"
) -> Callable[[Kernel], Kernel]: ...
def jit(kernel: Any = None, /, *, twin: Any = None, inline: str = "never") -> Any:
    """Compile a kernel when it is first called, and keep the machine code for later processes.

    ``twin`` stands for the kernel in plain Python (see ``plain_python``), if its own body cannot
    run there or would compute something else. ``inline="always"`` copies the kernel into its
    callers before types are inferred; LLVM inlines small kernels without being told.
    """
    if kernel is None:
        return functools.partial(jit, twin=twin, inline=inline)
    if _setting("DISABLE_JIT"):
        return run_uncompiled(twin or kernel)
    njit: Any = numba.njit
    dispatcher = njit(
        kernel,
        nogil=True,
        inline=inline,
        error_model="numpy",  # dividing by zero raises nothing, so nothing need look for it
        pipeline_class=_Compiler,
    )
    dispatcher._cache = _Cache(kernel, dispatcher.targetoptions)
    dispatcher.plain_twin = twin
    return dispatcher


def count_compilations() -> int:
    """How many kernels this process has compiled because they were not found on disk."""
    return _compilations


def plain_python(kernel: Kernel) -> Kernel:
    """The kernel as plain Python, and with it every kernel that it reaches by name or from a cell.

    It must do what the compiled kernel does, if what it reads are Python ints: NumPy's int8 wraps
    in plain Python where compiled code widens it to int64. So hand it dicts and lists in the place
    of records and arrays (``{"waste": [0, 17]}``, ``array.tolist()``); what it only writes can be
    an array. Mind that a list takes in a dict itself where an array takes a copy of a record.
    Unsigned arithmetic differs even so: a kernel that needs it names its ``twin``.
    """
    return _plain(kernel, {})


def _plain(value: Any, done: dict[int, Any]) -> Any:
    if type(value) is tuple:
        return tuple(_plain(item, done) for item in value)
    kernel = getattr(value, "py_func", None)
    if kernel is None:
        return value
    if id(value) not in done and (twin := getattr(value, "plain_twin", None)):
        done[id(value)] = twin
    if id(value) not in done:
        names, cells = dict(kernel.__globals__), kernel.__closure__ or ()
        twin = types.FunctionType(
            kernel.__code__, names, kernel.__name__, kernel.__defaults__,
            tuple(types.CellType() for _ in cells),
        )  # fmt: skip
        done[id(value)] = twin  # before looking further: a kernel may call itself
        for empty, cell in zip(twin.__closure__ or (), cells, strict=True):
            empty.cell_contents = _plain(cell.cell_contents, done)
        for name in _names(kernel.__code__) & names.keys():
            names[name] = _plain(names[name], done)
    return done[id(value)]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function and of the functions inside it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _codes(const)


def _names(code: types.CodeType) -> set[str]:
    return {name for part in _codes(code) for name in part.co_names}


def _setting(name: str) -> object:
    return getattr(numba.config, name, None)


def _digest(*parts: object) -> bytes:
    return hashlib.sha256(repr(parts).encode()).digest()


def _top(module: str | None) -> str:
    return str(module).partition(".")[0]


class _Parts:
    """What a kernel is made of. Names tell kernels apart, contents the versions of one kernel.

    Cells of a closure are names: they tell the products of one factory apart.
    """

    def __init__(self) -> None:
        self.names: list[object] = [_setting(name) for name in _SETTINGS]
        self.contents: list[object] = [_THIS_FILE, *_VERSIONS]
        self._seen: set[int] = set()

    def add(self, value: Any, names: list[object]) -> None:
        """Take in a value and what it reaches; its names go to ``names``."""
        value = getattr(value, "py_func", getattr(value, "_defn", value))  # compiled; an intrinsic
        if isinstance(value, types.FunctionType | type):
            names.append(self._name(value))
            if id(value) not in self._seen and _top(value.__module__) not in _KNOWN_BY_VERSION:
                self._seen.add(id(value))
                self._open(value, names)
        elif isinstance(value, types.ModuleType):
            names.append(self._name_module(value))
        elif isinstance(value, tuple | list):
            names.append(len(value))
            for item in (type(value), *value):
                self.add(item, names)
        elif isinstance(value, Type):  # Numba takes two types for one if their keys are equal
            self.add((type(value), getattr(value, "dispatcher", value.key)), names)
        elif isinstance(value, frozenset):
            self.add(sorted(value, key=repr), names)
        elif isinstance(value, dict):  # no kernel can read one: what is in it comes in when it runs
            names.append(dict)
        elif isinstance(value, np.ndarray):
            names += value.dtype, value.shape, value.strides, _digest(value.tobytes())
        else:
            self.add(type(value), names)
            names.append(re.sub(" at 0x[0-9a-fA-F]+", "", repr(value)))

    def _open(self, value: Any, names: list[object]) -> None:
        if isinstance(value, type):
            self.contents.append(getattr(value, "_fields", None))
            self.contents += value if isinstance(value, EnumMeta) else ()
            return
        for cell in value.__closure__ or ():
            if cell != types.CellType():  # an empty one is filled after the function was made
                self.add(cell.cell_contents, names)
        self.add((value.__defaults__, value.__kwdefaults__), self.contents)
        self._add_code(value)
        self._follow(value.__globals__, _names(value.__code__), set())

    def _name(self, value: Any) -> str:
        """Return the name of a function or class."""
        return f"{value.__module__}.{value.__qualname__}"

    def _name_module(self, module: types.ModuleType) -> str:
        return module.__name__

    def _add_code(self, function: types.FunctionType) -> None:
        for code in _codes(function.__code__):
            self.contents += code.co_code, code.co_names, code.co_varnames, code.co_freevars
            consts = [const for const in code.co_consts if not isinstance(const, types.CodeType)]
            if function.__doc__ is not None and consts[:1] == [function.__doc__]:
                consts = consts[1:]  # a new docstring is no reason to compile again
            self.add(consts, self.contents)

    def _follow(self, scope: Mapping[str, Any], used: set[str], passed: set[int]) -> None:
        """Take in what the names that a function uses mean there, also behind dots."""
        for name in sorted(used & scope.keys()):
            value = scope[name]
            self.add(value, self.contents)
            module = getattr(value, "__module__", None) or getattr(value, "__name__", "")
            dotted = isinstance(value, types.ModuleType | type) and id(value) not in passed
            if dotted and _top(module) not in _KNOWN_BY_VERSION:
                self._follow(vars(value), used, passed | {id(value)})


class _SourceParts(_Parts):
    """The same by the source of functions, which does not depend on the version of Python.

    Docstrings, comments, layout and the modules in which things are do not count.
    """

    def _name(self, value: Any) -> str:
        return str(value.__qualname__)

    def _name_module(self, module: types.ModuleType) -> str:
        return module.__name__.rpartition(".")[2]

    def _add_code(self, function: types.FunctionType) -> None:
        try:
            source = inspect.getsource(function)
        except OSError:  # made from a string: there is no file to read
            super()._add_code(function)
            return
        try:
            self.contents.append(_strip_source(source))
        except (tokenize.TokenError, SyntaxError):  # a lambda: its lines may be half a statement
            self.contents.append(source)


_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_BEGINS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


def _strip_source(source: str) -> list[str]:
    """Return the tokens of a function's source without comments, docstrings and layout."""
    lines = io.StringIO(textwrap.dedent(source)).readline
    kept: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(lines):
        if token.type in _LAYOUT:
            continue
        is_string = bool(kept) and kept[-1].type == tokenize.STRING
        if token.type == tokenize.NEWLINE and is_string and kept[-2:-1] and _begins(kept[-2]):
            kept.pop()  # a statement that is a string alone: a docstring
            continue
        kept.append(token)
    return [_plain_token(token) for token in kept]


def _begins(token: tokenize.TokenInfo) -> bool:
    """Whether a statement begins after a token."""
    return token.type in _BEGINS


def _plain_token(token: tokenize.TokenInfo) -> str:
    """Return the text of a token; line ends and indentation by their names."""
    if token.type in _BEGINS:
        return tokenize.tok_name[token.type]
    return token.string


def _identity(*parts: object) -> tuple[bytes, bytes]:
    """Two digests of a kernel and its signature: which kernel it is, and which version of it."""
    made_of = _Parts()
    for part in parts:
        made_of.add(part, made_of.names)
    return _digest(made_of.names), _digest(made_of.names, made_of.contents)


def digest_code(function: Callable[..., Any]) -> str:
    """Return 16 hex digits that differ when the code that a function reaches does.

    Comments, docstrings, layout, modules, the versions of Python, compiler and NumPy, the contents
    of dictionaries and the methods of classes do not count.
    """
    made_of = _SourceParts()
    made_of.contents = []
    made_of.add(function, made_of.contents)
    return _digest(made_of.contents).hex()[:16]


class _Compiler(compiler.Compiler):
    """Numba's compiler, with the identity of a kernel in the name of its machine code.

    Numba tells the products of a factory apart by a number that each process counts afresh. Found
    on disk, two of them may bear one number, and a kernel that calls both would call one twice.
    """

    def _compile_bytecode(self) -> Any:
        known = self.state.func_id
        _, identity = _identity(known.func, self.state.args)
        known.unique_id = f"{known.unique_id}_{identity.hex()[:16]}"
        return super()._compile_bytecode()


class _Cache(caching.NullCache):
    """One file for each kernel and signature, without an index that two processes could garble.

    A file is named after the kernel, so that a new version replaces the old one. It begins with
    the identity of the version and the digest of the rest: what is stale or damaged is not loaded.
    What lies beside the source is found even where nothing can be written there, as in a package
    installed for all users.
    """

    def __init__(self, kernel: Any, options: dict[str, Any]) -> None:
        self._kernel, self._options = kernel, sorted(options.items())

    @functools.cached_property
    def _keeper(self) -> Any:
        """Numba's choice of a folder, and its way of turning machine code into bytes."""
        try:
            return caching.CompileResultCacheImpl(self._kernel)
        except (RuntimeError, OSError):
            return None

    @property
    def cache_path(self) -> str | None:
        return self._keeper and self._keeper.locator.get_cache_path()

    @property
    def _folders(self) -> list[Path]:
        """Where a kernel may lie, the folder that can be written first."""
        beside = Path(self._kernel.__code__.co_filename).parent / "__pycache__"
        own = self.cache_path
        return [beside] if own is None else list(dict.fromkeys((Path(own), beside)))

    def _file(self, signature: Any, codegen: Any) -> tuple[str, bytes]:
        parts = signature, codegen.magic_tuple(), self._options
        name, version = _identity(self._kernel, *parts)
        label = re.sub(r"[^\w.]", "", f"{self._kernel.__module__}.{self._kernel.__qualname__}")
        tag = sys.implementation.cache_tag
        return f"{label[-80:]}-{name.hex()[:20]}.{tag}.nbc", version

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        file, version = self._file(sig, target_context.codegen())
        for folder in self._folders:
            machine_code = _load(folder / file, version, target_context)
            if machine_code is not None:
                return machine_code
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        global _compilations
        _compilations += 1
        if self._keeper is None:
            if os.path.exists(self._kernel.__code__.co_filename):  # not code out of a string
                _warn_once("no folder for them can be written")
            return
        if not self._keeper.check_cachable(data):
            return
        name, version = self._file(sig, data.codegen)
        file = Path(self._keeper.locator.get_cache_path(), name)
        machine_code = dumps(self._keeper.reduce(data))
        part = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
        try:
            part.write_bytes(version + hashlib.sha256(machine_code).digest() + machine_code)
            part.replace(file)  # atomic: no other process can see half a file
        except OSError as error:
            _warn_once(error.strerror or str(error))
            part.unlink(missing_ok=True)


def _load(file: Path, version: bytes, target_context: Any) -> Any:
    """Return the machine code in a file, None if it is not there, stale or damaged."""
    try:
        data = file.read_bytes()
        if data[:32] != version or data[32:64] != hashlib.sha256(data[64:]).digest():
            return None
        return compiler.CompileResult._rebuild(target_context, *pickle.loads(data[64:]))
    except Exception:  # whatever is wrong with the file, compiling again repairs it
        return None


@functools.cache
def _warn_once(reason: str) -> None:
    warnings.warn(
        f"Compiled kernels cannot be kept ({reason}), so that each new process must compile them "
        "again, which takes seconds. To keep them, set the environment variable NUMBA_CACHE_DIR "
        "to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )


# ---- kernels as plain Python ----------------------------------------------------------------
#
# With NUMBA_DISABLE_JIT=1 `jit` returns kernels that Python runs, for a debugger. Compiled code
# widens a small integer to 64 bits when it reads it, reads the field of a record by a dot, and does
# not warn on overflow. Python does none of that with NumPy's arrays, so an uncompiled kernel gets
# views of them: it reads ordinary ints, and what it writes goes into the array. Unsigned words of
# 64 bits stay NumPy's, which overflow as compiled ones do.

_WORD_MASK = (1 << 64) - 1


class View:
    """An array or a record, as compiled code reads and writes it."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        """Return an entry or a field: an int, a bool, a float, a word, or a view."""
        return show(self.array[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write an entry or a field; whole numbers overflow as in compiled code."""
        if type(value) is int and self.array.dtype.kind in "iu":
            value = np.array(value & _WORD_MASK, np.uint64).astype(self.array.dtype)
        self.array[key] = value.array if isinstance(value, View) else value

    def __getattr__(self, name: str) -> Any:
        """Return a field, as rules are read, or what an array has, such as its shape."""
        is_field = name in (self.array.dtype.names or ())
        return show(self.array[name] if is_field else getattr(self.array, name))

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self.array)

    def __array__(self, *args: Any, **keywords: Any) -> np.ndarray:
        """Return the array itself to NumPy's functions."""
        return np.asarray(self.array, *args, **keywords)

    def __repr__(self) -> str:
        """Show the array, for a debugger; a record with the names of its fields."""
        names = self.array.dtype.names
        if names is None or self.array.shape:
            return repr(self.array)
        return repr({name: show(self.array[name]) for name in names})


def show(value: Any) -> Any:
    """Return what a kernel gets instead of a value: views of arrays, ints of integers."""
    if isinstance(value, np.ndarray | np.void):
        return View(value)
    if isinstance(value, np.integer | np.bool_) and not isinstance(value, np.uint64):
        return value.item()
    if isinstance(value, tuple):
        shown = map(show, value)
        return type(value)(*shown) if hasattr(value, "_fields") else tuple(shown)
    return value


def run_uncompiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that Python runs unchanged, on views of its arguments."""

    @functools.wraps(kernel)
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return kernel(*map(show, args))

    return call
