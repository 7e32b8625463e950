"""The inner loops: functions over arrays and numbers, without objects.

    loops         the kernels, plain Python, and the types of their arguments
    signatures    which kernels exist, and the types of their parameters
    backend       the kernels, and the arrays that they take
    choice        which backend to run
    library       kernels compiled ahead of time: find, check, load
    build         makes the library; needs Numba and a linker
    jit, cache    kernels compiled by Numba when they are first needed

There is one source, and three ways to run it. Plain: as ordinary Python, over lists and bytes; this
is for small inputs, because nothing has to be loaded. Ahead: from the library in the installation.
Just in time: compiled by Numba, if there is no library. All three must agree, and the tests run
each.

Functions whose names begin with `_`, and those in the helper modules (`signatures.HELPERS`), are
called only by other kernels.
"""
