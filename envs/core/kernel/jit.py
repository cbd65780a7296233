"""The decorator ``@jit``, its cache, and kernels as plain Python.

This is the only module that imports Numba's compiler. Numba's own cache checks one source file
only. A kernel would keep the old machine code of a helper that was edited in another file, and
another process would never find a kernel that a factory made. This cache identifies a kernel by
everything that it consists of: the code of all functions that it reaches, their closure cells and
constants, the settings, and this file. An edit recompiles exactly the kernels that reach the edited
code. Numba chooses the folder of the cache: ``NUMBA_CACHE_DIR`` if it is set, otherwise
``__pycache__`` next to the source, otherwise the user's cache folder.

Refer to helpers by name (``from .bits import count``) and not as attributes of a module
(``bits.count``), because `plain_python` does not follow attributes.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import io
import os
import pickle
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

import numba
import numpy as np
from numba.core import caching, compiler
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.types import Type

from .shipped import SHIPPED, list_versions

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_THIS_FILE = Path(__file__).read_bytes()
_SETTINGS = (  # Settings that change the machine code. Numba itself records the processor.
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
    """Compile a kernel at its first call, and cache the machine code on disk.

    Args:
        kernel: The function to compile.
        twin: Function that replaces the kernel in plain Python (see `plain_python`), if the kernel
            itself cannot run there or would compute another result.
        inline: ``"always"`` copies the kernel into its callers before types are inferred. LLVM
            inlines small kernels anyway.

    Returns:
        Numba's dispatcher; a plain function if ``NUMBA_DISABLE_JIT`` is set.
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
        error_model="numpy",  # Division by zero is not checked.
        pipeline_class=_Compiler,
    )
    dispatcher._cache = _Cache(kernel, dispatcher.targetoptions)
    dispatcher.plain_twin = twin
    return dispatcher


def count_compilations() -> int:
    """Return the number of kernels that this process compiled because the cache lacked them."""
    return _compilations


def plain_python(kernel: Kernel) -> Kernel:
    """Return a kernel as plain Python, together with all kernels that it reaches.

    Kernels are reached by name or through closure cells. The result computes the same as the
    compiled kernel if it reads Python ints, because NumPy's int8 wraps in plain Python, while
    compiled code widens int8 to int64. Pass dicts and lists instead of records and arrays
    (``{"waste": [0, 17]}``, ``array.tolist()``). Arguments that are only written can be arrays. A
    list stores a reference to a dict, but an array stores a copy of a record. Unsigned arithmetic
    still differs, so a kernel that needs it must have a ``twin``.
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
        done[id(value)] = twin  # Set before the recursion, because a kernel may call itself.
        for empty, cell in zip(twin.__closure__ or (), cells, strict=True):
            empty.cell_contents = _plain(cell.cell_contents, done)
        for name in _names(kernel.__code__) & names.keys():
            names[name] = _plain(names[name], done)
    return done[id(value)]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of a function and of the functions inside it."""
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
    """The parts of a kernel. Names identify the kernel; contents identify its version.

    Closure cells are names, because they distinguish the kernels that one factory makes.
    """

    def __init__(self) -> None:
        self.names: list[object] = [_setting(name) for name in _SETTINGS]
        self.contents: list[object] = [_THIS_FILE, list_versions()]
        self._seen: set[int] = set()

    def add(self, value: Any, names: list[object]) -> None:
        """Add a value and everything that it reaches; its names are added to ``names``."""
        value = getattr(value, "py_func", getattr(value, "_defn", value))  # Kernel; intrinsic.
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
        elif isinstance(value, Type):  # Numba treats types with equal keys as equal.
            self.add((type(value), getattr(value, "dispatcher", value.key)), names)
        elif isinstance(value, frozenset):
            self.add(sorted(value, key=repr), names)
        elif isinstance(value, dict):  # Kernels cannot read dictionaries.
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
            if cell != types.CellType():  # Empty cells are filled later.
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
                consts = consts[1:]  # A new docstring does not need a new compilation.
            self.add(consts, self.contents)

    def _follow(self, scope: Mapping[str, Any], used: set[str], passed: set[int]) -> None:
        """Add the values of the names that a function uses, including attributes of modules."""
        for name in sorted(used & scope.keys()):
            value = scope[name]
            self.add(value, self.contents)
            module = getattr(value, "__module__", None) or getattr(value, "__name__", "")
            dotted = isinstance(value, types.ModuleType | type) and id(value) not in passed
            if dotted and _top(module) not in _KNOWN_BY_VERSION:
                self._follow(vars(value), used, passed | {id(value)})


class _SourceParts(_Parts):
    """The parts of a kernel by the source of its functions, for any version of Python.

    Docstrings, comments, formatting and the names of modules do not count.
    """

    def _name(self, value: Any) -> str:
        return str(value.__qualname__)

    def _name_module(self, module: types.ModuleType) -> str:
        return module.__name__.rpartition(".")[2]

    def _add_code(self, function: types.FunctionType) -> None:
        try:
            source = inspect.getsource(function)
        except OSError:  # The code was made from a string and has no file.
            super()._add_code(function)
            return
        try:
            self.contents.append(_strip_source(source))
        except (tokenize.TokenError, SyntaxError):  # The lines of a lambda may be incomplete.
            self.contents.append(source)


_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_BEGINS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


def _strip_source(source: str) -> list[str]:
    """Return the tokens of a function's source without comments, docstrings and formatting."""
    lines = io.StringIO(textwrap.dedent(source)).readline
    kept: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(lines):
        if token.type in _LAYOUT:
            continue
        is_string = bool(kept) and kept[-1].type == tokenize.STRING
        if token.type == tokenize.NEWLINE and is_string and kept[-2:-1] and _begins(kept[-2]):
            kept.pop()  # A statement that consists of a string is a docstring.
            continue
        kept.append(token)
    return [_plain_token(token) for token in kept]


def _begins(token: tokenize.TokenInfo) -> bool:
    """Return whether a statement begins after a token."""
    return token.type in _BEGINS


def _plain_token(token: tokenize.TokenInfo) -> str:
    """Return the text of a token, or the name of a line end or an indentation."""
    if token.type in _BEGINS:
        return tokenize.tok_name[token.type]
    return token.string


@functools.cache
def _identity(*parts: Any) -> tuple[bytes, bytes]:
    """Return two digests of a kernel or a signature: of its identity and of its version."""
    made_of = _Parts()
    for part in parts:
        made_of.add(part, made_of.names)
    return _digest(made_of.names), _digest(made_of.names, made_of.contents)


def digest_code(function: Callable[..., Any]) -> str:
    """Return a digest of 16 hex digits of all code that a function reaches.

    Comments, docstrings, formatting, names of modules, the versions of Python, the compiler and
    NumPy, the contents of dictionaries, and the methods of classes do not count.
    """
    made_of = _SourceParts()
    made_of.contents = []
    made_of.add(function, made_of.contents)
    return _digest(made_of.contents).hex()[:16]


class _Compiler(compiler.Compiler):
    """Numba's compiler with the identity of a kernel in the name of its machine code.

    Numba distinguishes the kernels of a factory by a number that each process counts from the
    start. Two kernels on disk may have the same number, and a kernel that calls both would call one
    of them twice.
    """

    def _compile_bytecode(self) -> Any:
        known = self.state.func_id
        identity = _digest(_identity(known.func), _identity(self.state.args))
        known.unique_id = f"{known.unique_id}_{identity.hex()[:16]}"
        return super()._compile_bytecode()


class _Cache(caching.NullCache):
    """Cache with one file per kernel and signature, and without an index that could be corrupted.

    The name of a file identifies the kernel, so a new version replaces the old one. The file begins
    with the digests of the version and of the machine code, so stale and damaged files are not
    loaded. Files next to the source are found even in a folder that is not writable, such as a
    package that is installed for all users. The kernels of a wheel (`shipped`) are the last choice.
    """

    def __init__(self, kernel: Any, options: dict[str, Any]) -> None:
        self._kernel, self._options = kernel, tuple(sorted(options.items()))

    @functools.cached_property
    def _keeper(self) -> Any:
        """Numba's cache implementation, which chooses the folder and serializes machine code."""
        try:
            return caching.CompileResultCacheImpl(self._kernel)
        except (RuntimeError, OSError):
            return None

    @property
    def cache_path(self) -> str | None:
        return self._keeper and self._keeper.locator.get_cache_path()

    @property
    def _folders(self) -> list[Path]:
        """Folders that may contain a kernel of this machine, the writable one first."""
        beside = Path(self._kernel.__code__.co_filename).parent / "__pycache__"
        own = self.cache_path
        return [beside] if own is None else list(dict.fromkeys((Path(own), beside)))

    def _file(self, signature: Any, target: tuple[str, ...]) -> tuple[str, bytes]:
        """Return the name of a kernel's file, and the digest of its version.

        Args:
            signature: The types of the arguments.
            target: The triple, name and features of the processor.
        """
        kernel, types = _identity(self._kernel), _identity(signature, self._options)
        name = _digest(kernel[0], types[0], target)
        label = re.sub(r"[^\w.]", "", f"{self._kernel.__module__}.{self._kernel.__qualname__}")
        tag = sys.implementation.cache_tag
        file = f"{label[-80:]}-{name.hex()[:20]}.{tag}.nbc"
        return file, _digest(kernel[1], types[1], target)

    def _places(self, signature: Any, target: tuple[str, ...]) -> Iterator[tuple[Path, bytes]]:
        """Yield the files that may contain the kernel, in the order of preference."""
        name, version = self._file(signature, target)
        for folder in self._folders:
            yield folder / name, version
        if SHIPPED is not None and SHIPPED.can_run(*target):
            name, version = self._file(signature, SHIPPED.target)
            yield SHIPPED.folder / name, version

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba would also import its implementations of Python's functions, which takes a second
        # and is needed to compile, but not to run.
        rtsys.initialize(target_context)
        for file, version in self._places(sig, target_context.codegen().magic_tuple()):
            machine_code = _load(file, version, target_context)
            if machine_code is not None:
                return machine_code
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        global _compilations
        _compilations += 1
        if self._keeper is None:
            if os.path.exists(self._kernel.__code__.co_filename):  # Not made from a string.
                _warn_once("no folder is writable")
            return
        if not self._keeper.check_cachable(data):
            return
        name, version = self._file(sig, data.codegen.magic_tuple())
        file = Path(self._keeper.locator.get_cache_path(), name)
        # The annotation is a listing of the kernel with its types, which nobody reads from here.
        machine_code = dumps(self._keeper.reduce(data._replace(type_annotation="")))
        part = file.with_name(f"{file.name}.{uuid.uuid4().hex}")
        try:
            part.write_bytes(version + hashlib.sha256(machine_code).digest() + machine_code)
            part.replace(file)  # Atomic, so no other process can read half a file.
        except OSError as error:
            _warn_once(error.strerror or str(error))
            part.unlink(missing_ok=True)


def _load(file: Path, version: bytes, target_context: Any) -> Any:
    """Return the machine code in a file, or None if the file is missing, stale or damaged."""
    try:
        data = file.read_bytes()
        if data[:32] != version or data[32:64] != hashlib.sha256(data[64:]).digest():
            return None
        return compiler.CompileResult._rebuild(target_context, *pickle.loads(data[64:]))
    except Exception:  # Recompiling repairs any problem with the file.
        return None


@functools.cache
def _warn_once(reason: str) -> None:
    warnings.warn(
        f"Compiled kernels cannot be cached ({reason}), so every new process compiles them again. "
        "Set the environment variable NUMBA_CACHE_DIR to a writable folder.",
        RuntimeWarning,
        stacklevel=2,
    )


# ---- kernels as plain Python ----------------------------------------------------------------
#
# With NUMBA_DISABLE_JIT=1, `jit` returns kernels that Python runs, for debugging. Compiled code
# widens small integers to 64 bits when it reads them, reads the fields of records as attributes,
# and does not warn on overflow. Python does none of this with NumPy arrays, so an uncompiled kernel
# gets views of the arrays: it reads Python ints, and writes into the arrays. Unsigned 64-bit words
# stay NumPy integers, which overflow like compiled ones.

_WORD_MASK = (1 << 64) - 1


class View:
    """View of an array or a record that behaves like compiled code."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        """Return an entry or a field: an int, a bool, a float, a word, or a view."""
        return show(self.array[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write an entry or a field; integers overflow as in compiled code."""
        if type(value) is int and self.array.dtype.kind in "iu":
            value = np.array(value & _WORD_MASK, np.uint64).astype(self.array.dtype)
        self.array[key] = value.array if isinstance(value, View) else value

    def __getattr__(self, name: str) -> Any:
        """Return a field of a record, or an attribute of the array, such as its shape."""
        is_field = name in (self.array.dtype.names or ())
        return show(self.array[name] if is_field else getattr(self.array, name))

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.array)

    def __array__(self, *args: Any, **keywords: Any) -> np.ndarray:
        """Return the array for NumPy functions."""
        return np.asarray(self.array, *args, **keywords)

    def __repr__(self) -> str:
        """Return the array as text, for debugging; a record with the names of its fields."""
        names = self.array.dtype.names
        if names is None or self.array.shape:
            return repr(self.array)
        return repr({name: show(self.array[name]) for name in names})


def show(value: Any) -> Any:
    """Return the value that an uncompiled kernel gets: views of arrays, ints for integers."""
    if isinstance(value, np.ndarray | np.void):
        return View(value)
    if isinstance(value, np.integer | np.bool_) and not isinstance(value, np.uint64):
        return value.item()
    if isinstance(value, tuple):
        shown = map(show, value)
        return type(value)(*shown) if hasattr(value, "_fields") else tuple(shown)
    return value


def run_uncompiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that Python runs on views of its arguments."""

    @functools.wraps(kernel)
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return kernel(*map(show, args))

    return call
