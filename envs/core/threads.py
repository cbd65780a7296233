"""Threads that share the rows of a batch: the class `ThreadPool`.

A kernel over rows computes each row on its own, so several threads can run it on parts of the rows.
`ThreadPool.run` divides the rows into chunks. The calling thread and the worker threads take chunks
until none is left. A worker that is late delays nobody, because the others take its chunks. The
results do not depend on the number of threads.

A sleeping thread needs about 50 µs to wake up and to get Python's global lock, longer than many
kernels run. Workers therefore wait in a kernel, without the lock: they read a counter in a loop for
`SPIN_SECONDS`, and call compiled kernels by their address. After that time, they sleep. Numba's own
threads (``parallel=True``) would need a second compilation of each kernel.
"""

from __future__ import annotations

import hashlib
import os
import time
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock, Thread
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernel.jit import jit

MIN_ROWS = 512
"""Least number of rows in a chunk; a batch with fewer than twice as many uses one thread. Sharing
the rows takes about 8 µs, and the fastest kernel needs 24 µs for this number of rows."""
CHUNKS = 4
"""Number of chunks per thread. With several chunks, threads of unequal speed finish together."""
ALIGNMENT = 64
"""Chunks begin at multiples of this number of rows, so that two threads never write to the same
cache line of an array with one byte per row."""
SPIN_SECONDS = 0.001
"""Time for which an idle worker reads the counter before it sleeps."""

# Entries of the control array, int64. The counters are 128 bytes apart, because processors load
# pairs of cache lines: a thread that reads one counter must not wait for writes to another.
NEXT, FINISHED, STOP, TASK, BLOCK, ROWS, CHUNK_ROWS, CONTROL_SIZE = 0, 16, 32, 48, 49, 50, 51, 64
"""Number of chunks that no thread has taken; number of finished chunks; whether the workers have to
end; address of the function for a chunk; address of its arguments; number of rows; number of rows
of a chunk; size of the array."""


class Split(NamedTuple):
    """An argument of a kernel, an array or a tuple of arrays, of which each chunk gets its rows."""

    value: Any


# ---- atomic access --------------------------------------------------------------------------
#
# LLVM may move a plain read of an array out of a loop. Atomic reads stay in place, and they order
# all other accesses: a thread that reads a counter sees everything that was written before it.


def _entry(context: Any, builder: Any, array_type: Any, arguments: Any) -> Any:
    """Return a pointer to an entry, given the array and the index."""
    array = context.make_array(array_type)(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic  # type: ignore[untyped-decorator]
def _load(typing: Any, array: Any, index: Any) -> Any:
    """Read an entry of an int64 array."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _entry(context, builder, array, arguments)
        return builder.load_atomic(place, "acquire", 8)

    return types.int64(array, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write an entry of an int64 array."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _entry(context, builder, array, arguments)
        builder.store_atomic(arguments[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def _add(typing: Any, array: Any, index: Any, amount: Any) -> Any:
    """Add to an entry of an int64 array, and return its previous value."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _entry(context, builder, array, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "acq_rel")

    return types.int64(array, types.int64, types.int64), build


YIELD = 1
"""Number of the instruction ``yield`` of ARM processors."""


@intrinsic  # type: ignore[untyped-decorator]
def _pause(typing: Any) -> Any:
    """Tell the processor that the thread waits, so that its core can serve other threads."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        architecture = builder.module.triple.partition("-")[0]
        if architecture == "x86_64":
            name, arguments = "llvm.x86.sse2.pause", []
        elif architecture in ("aarch64", "arm64"):
            name, arguments = "llvm.aarch64.hint", [ir.Constant(ir.IntType(32), YIELD)]
        else:
            return context.get_dummy_value()
        kind = ir.FunctionType(ir.VoidType(), [value.type for value in arguments])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)
        return context.get_dummy_value()

    return types.void(), build


# ---- calls of a kernel on some rows ---------------------------------------------------------

_WORD = ir.IntType(64)


def _is_split(kind: Any) -> bool:
    return getattr(kind, "instance_class", None) is Split


def _plain_type(kind: Any) -> Any:
    """Return the type of an argument as the kernel takes it, without `Split`."""
    if not isinstance(kind, types.BaseTuple):
        return kind
    parts = tuple(_plain_type(part) for part in kind.types)
    if _is_split(kind):
        return parts[0]
    return types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))


def _result_type(sums: Any) -> Any:
    """Return the type of the kernel's result, given the type of the array of its sums."""
    return types.none if isinstance(sums, types.NoneType) else types.UniTuple(types.int64, 2)


def _tag(result: Any, arguments: Sequence[Any]) -> int:
    """Return a number for the types of a kernel's result and arguments."""
    digest = hashlib.sha256(repr((result, *arguments)).encode()).digest()
    return int.from_bytes(digest[:7], "big")


def _cut(
    context: Any, builder: Any, kind: Any, value: Any, is_split: bool, begin: Any, count: Any
) -> Any:
    """Return an argument for ``count`` rows from row ``begin``; only arrays in `Split` are cut.

    The arrays that a kernel gets have no reference counts. Kernels count references in every row,
    and threads that count at the same place wait for each other. The caller keeps the arrays.
    """
    if isinstance(kind, types.BaseTuple):
        is_split |= _is_split(kind)
        parts = [
            _cut(context, builder, part, builder.extract_value(value, i), is_split, begin, count)
            for i, part in enumerate(kind.types)
        ]
        if _is_split(kind):
            return parts[0]
        return context.make_tuple(builder, _plain_type(kind), parts)
    if not isinstance(kind, types.Array):
        return value
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    if is_split:
        shape = cgutils.unpack_tuple(builder, array.shape)
        skipped = builder.mul(begin, cgutils.unpack_tuple(builder, array.strides)[0])
        array.data = cgutils.pointer_add(builder, array.data, skipped)
        array.nitems = builder.mul(builder.sdiv(array.nitems, shape[0]), count)
        array.shape = cgutils.pack_array(builder, [count, *shape[1:]])
    return array._getvalue()


_CODE, _ERROR, _KERNEL, _SUMS, _ARGUMENTS = range(5)
"""Parts of the block of a job: error code, error, address of the kernel, sums, arguments."""


def _block_type(context: Any, *kinds: Any) -> Any:
    """Return the type of the block, given the types of the sums and arguments."""
    no_arguments = context.call_conv.get_function_type(types.none, ())
    error = no_arguments.args[1].pointee
    values = [context.get_value_type(kind) for kind in kinds]
    return ir.LiteralStructType([_WORD, error, _WORD, *values])


def _build_task(context: Any, module: Any, sums: Any, arguments: Any) -> Any:
    """Build the function ``task(block, begin, count)`` that calls the kernel on some rows."""
    block_type = _block_type(context, sums, arguments)
    signature = ir.FunctionType(ir.VoidType(), [block_type.as_pointer(), _WORD, _WORD])
    task = ir.Function(module, signature, module.get_unique_name("parlour_task"))
    task.linkage = "internal"
    builder = ir.IRBuilder(task.append_basic_block())
    block, begin, count = task.args

    def part(number: int) -> Any:
        return cgutils.gep_inbounds(builder, block, 0, number)

    given = builder.load(part(_ARGUMENTS))
    values = [
        _cut(context, builder, kind, builder.extract_value(given, i), False, begin, count)
        for i, kind in enumerate(arguments.types)
    ]
    result, plain = _result_type(sums), [_plain_type(kind) for kind in arguments.types]
    kernel_type = context.call_conv.get_function_type(result, plain)
    kernel = builder.inttoptr(builder.load(part(_KERNEL)), kernel_type.as_pointer())
    status, returned = context.call_conv.call_function(builder, kernel, result, plain, values)
    if result is not types.none:
        array = context.make_array(sums)(context, builder, builder.load(part(_SUMS)))
        for i in range(len(result)):
            place = builder.gep(array.data, [ir.Constant(_WORD, i)])
            builder.atomic_rmw("add", place, builder.extract_value(returned, i), "monotonic")
    with builder.if_then(status.is_error, likely=False):
        code = builder.sext(status.code, _WORD)
        is_first = builder.cmpxchg(part(_CODE), ir.Constant(_WORD, 0), code, "acq_rel", "monotonic")
        with builder.if_then(builder.extract_value(is_first, 1)):
            builder.store(status.excinfoptr, part(_ERROR))
    builder.ret_void()
    return task


@intrinsic  # type: ignore[untyped-decorator]
def _make_job(typing: Any, kernel: Any, sums: Any, arguments: Any) -> Any:
    """Store the address of a kernel and its arguments in a block of memory.

    Returns the addresses of the function that `_build_task` builds, and of the block. The block
    exists until the calling function returns.
    """

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        block_type = _block_type(context, sums, arguments)
        task = _build_task(context, builder.module, sums, arguments)
        block = cgutils.alloca_once(builder, block_type)
        empty = [ir.Constant(kind, None) for kind in block_type.elements[:_KERNEL]]
        for i, value in enumerate((*empty, *values)):
            builder.store(value, cgutils.gep_inbounds(builder, block, 0, i))
        addresses = [builder.ptrtoint(pointer, _WORD) for pointer in (task, block)]
        return context.make_tuple(builder, signature.return_type, addresses)

    return types.UniTuple(types.int64, 2)(kernel, sums, arguments), build


@intrinsic  # type: ignore[untyped-decorator]
def _call_task(typing: Any, task: Any, block: Any, begin: Any, count: Any) -> Any:
    """Call the function that `_make_job` returned."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [_WORD, _WORD, _WORD])
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
        return context.get_dummy_value()

    return types.void(task, block, begin, count), build


@intrinsic  # type: ignore[untyped-decorator]
def _raise_error(typing: Any, block: Any) -> Any:
    """Raise the first error of the kernel, if there was one."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        block = builder.inttoptr(values[0], _block_type(context).as_pointer())
        code = builder.load(cgutils.gep_inbounds(builder, block, 0, _CODE))
        error = builder.load(cgutils.gep_inbounds(builder, block, 0, _ERROR))
        has_failed = builder.icmp_signed("!=", code, ir.Constant(_WORD, 0))
        with builder.if_then(has_failed, likely=False):
            code = builder.trunc(code, ir.IntType(32))
            status = context.call_conv._get_return_status(builder, code, error)
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(block), build


@intrinsic  # type: ignore[untyped-decorator]
def _tag_of(typing: Any, sums: Any, arguments: Any) -> Any:
    """Return the `_tag` of the kernel that takes these arguments."""
    tag = _tag(_result_type(sums), [_plain_type(kind) for kind in arguments.types])

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.get_constant(types.int64, tag)

    return types.int64(sums, arguments), build


# ---- the threads ----------------------------------------------------------------------------


@jit
def _take_chunks(control: np.ndarray) -> None:
    """Run chunks until none is left.

    A thread that is late may take a chunk of the next job. It then also reads the other entries of
    that job, because `_run_job` writes the number of chunks last and waits for every taken chunk.
    """
    while _load(control, NEXT) > 0:
        chunk = _add(control, NEXT, -1) - 1
        if chunk >= 0:
            begin = chunk * control[CHUNK_ROWS]
            count = min(control[CHUNK_ROWS], control[ROWS] - begin)
            _call_task(control[TASK], control[BLOCK], begin, count)
            _add(control, FINISHED, 1)


@jit
def _run_job(
    control: np.ndarray,
    versions: np.ndarray,
    rows: int,
    chunk_rows: int,
    sums: Any,
    *arguments: Any,
) -> bool:
    """Run a kernel on all rows, in this thread and in the workers.

    Args:
        control: The control array.
        versions: Tags and addresses of the compiled versions of the kernel, int64 (k, 2).
        rows: Number of rows.
        chunk_rows: Number of rows of a chunk.
        sums: Array for the sums of the two integers that the kernel returns; None if it returns
            None.
        *arguments: Arguments of the kernel; `Split` for those with one entry per row.

    Returns:
        Whether ``versions`` has the version for these types of arguments.
    """
    tag, kernel = _tag_of(sums, arguments), 0
    for i in range(len(versions)):
        if versions[i, 0] == tag:
            kernel = versions[i, 1]
    if kernel == 0:
        return False
    task, block = _make_job(kernel, sums, arguments)
    chunks = (rows - 1) // chunk_rows + 1
    control[TASK] = task
    control[BLOCK] = block
    control[ROWS] = rows
    control[CHUNK_ROWS] = chunk_rows
    _store(control, FINISHED, 0)
    _store(control, NEXT, chunks)
    _take_chunks(control)
    while _load(control, FINISHED) < chunks:
        _pause()
    _raise_error(block)
    return True


@jit
def _help(control: np.ndarray, reads: int) -> bool:
    """Run chunks until there are none in ``reads`` reads; return whether the pool is open."""
    left = reads
    while left > 0 and _load(control, STOP) == 0:
        if _load(control, NEXT) > 0:
            _take_chunks(control)
            left = reads
        _pause()
        left -= 1
    return _load(control, STOP) == 0


@cache
def _count_reads() -> int:
    """Return the number of reads in `SPIN_SECONDS`."""
    control, reads, seconds = np.zeros(CONTROL_SIZE, np.int64), 1000, []
    _help(control, 1)  # Compiles the kernel.
    for _ in range(5):
        begin = time.perf_counter()
        _help(control, reads)
        seconds.append(time.perf_counter() - begin)
    return int(reads * SPIN_SECONDS / min(seconds)) + 1


def _work(control: np.ndarray, sleeping: list[Any], reads: int) -> None:
    """Run chunks until the pool is closed; the function of a worker thread."""
    wake = Lock()
    wake.acquire()
    while _help(control, reads):
        sleeping.append(wake)
        wake.acquire()


def _wake(sleeping: list[Any]) -> None:
    """Wake the workers whose locks are in the list."""
    while sleeping:
        sleeping.pop().release()


def _stop(control: np.ndarray, sleeping: list[Any], workers: list[Thread], process: int) -> None:
    """End the worker threads. A process that was forked does not have them."""
    if os.getpid() == process:
        control[STOP] = 1
        for worker in workers:
            while worker.is_alive():
                _wake(sleeping)
                worker.join(SPIN_SECONDS)


def _list_versions(kernel: Any) -> np.ndarray:
    """Return the tags and addresses of the compiled versions of a kernel, int64 (k, 2)."""
    versions = [
        (
            _tag(version.signature.return_type, version.signature.args),
            version.library.get_pointer_to_function(version.fndesc.llvm_func_name),
        )
        for version in kernel.overloads.values()
    ]
    return np.array(versions, np.int64).reshape(-1, 2)


def _mark(value: Any, split: Any) -> Any:
    """Return an argument with `Split` around the parts that ``split`` selects."""
    if not isinstance(split, tuple):
        return Split(value) if split else value
    return type(value)(*map(_mark, value, split))


class ThreadPool:
    """Threads that run kernels over rows together with the thread that calls `run`.

    The threads start at the first `run`, and end when the pool is closed or deleted.
    A copy of the pool and a forked process start threads of their own. The pool must not be used by
    several threads at the same time.

    Args:
        num_threads: Number of threads, including the one that calls `run`.
    """

    def __init__(self, num_threads: int) -> None:
        self.num_threads = num_threads
        self.workers: list[Thread] = []
        self._process = 0
        self._versions: dict[Any, np.ndarray] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle only the number of threads."""
        return ThreadPool, (self.num_threads,)

    def run(
        self,
        kernel: Callable[..., Any],
        arguments: tuple[Any, ...],
        split: tuple[Any, ...],
        rows: int,
        has_sums: bool = False,
    ) -> Any:
        """Call a kernel, divided among the threads.

        Args:
            kernel: A kernel that computes each row on its own.
            arguments: Its arguments.
            split: For each argument, True for an array with one entry per row or a tuple of such
                arrays, and False for other arguments; or a tuple with an entry for each part.
            rows: Number of rows.
            has_sums: Whether the kernel returns two integers, of which the result is the sum over
                all rows; otherwise, it returns None.
        """
        if not hasattr(kernel, "overloads"):  # A kernel in plain Python.
            return kernel(*arguments)
        if self._process != os.getpid():
            self._start()
        _wake(self._sleeping)
        least = max(MIN_ROWS, rows // (self.num_threads * CHUNKS))
        chunk_rows = -(-least // ALIGNMENT) * ALIGNMENT
        marked = [_mark(value, one) for value, one in zip(arguments, split, strict=True)]
        sums = np.zeros(2, np.int64) if has_sums else None
        known = self._versions.get(kernel)
        if known is None or not _run_job(self._control, known, rows, chunk_rows, sums, *marked):
            kernel.compile(tuple(map(typeof, arguments)))  # type: ignore[attr-defined]
            self._versions[kernel] = known = _list_versions(kernel)
            if not _run_job(self._control, known, rows, chunk_rows, sums, *marked):
                raise TypeError(f"{kernel} must return two integers if has_sums, otherwise None")
        return None if sums is None else tuple(sums.tolist())

    def _start(self) -> None:
        self._process = os.getpid()
        self._control = np.zeros(CONTROL_SIZE, np.int64)
        self._sleeping: list[Any] = []
        arguments = self._control, self._sleeping, _count_reads()
        self.workers = [
            Thread(target=_work, args=arguments, name="parlour", daemon=True)
            for _ in range(self.num_threads - 1)
        ]
        # The threads must not refer to the pool, which would then never be deleted. The finalizer
        # also runs before the interpreter exits, where a thread in a kernel could not return.
        self._finalizer = weakref.finalize(
            self, _stop, self._control, self._sleeping, self.workers, self._process
        )
        for worker in self.workers:
            worker.start()

    def close(self) -> None:
        """End the threads; the next `run` starts new ones."""
        if self.workers:
            self._finalizer()
            self.workers, self._process = [], 0


def make_pool(num_threads: int, rows: int) -> ThreadPool | None:
    """Return a pool for a batch, or None if one thread is faster; see `MIN_ROWS`."""
    return ThreadPool(num_threads) if num_threads > 1 and rows >= 2 * MIN_ROWS else None
