"""Compiled kernels: the JIT layer, bit sets, random numbers and cards."""
