"""The inner loops: every function here works on arrays and numbers, with no objects.

    loops         the kernels, plain Python, and the types of their arguments
    signatures    which kernels there are, and what they take
    backend       the kernels with arrays that fit them
    choice        which of them to run
    library       kernels compiled ahead of time: find, check, load
    build         makes the library; needs Numba and a linker
    jit, cache    kernels compiled by Numba when they are first needed

There is one source, and three ways to run it. Plain: as it stands, over lists and bytes; small
inputs take it, since nothing has to be loaded. Ahead: from the library that the installation has.
Just in time: by Numba, where there is no library. All three must agree; the tests run each.

A function whose name begins with `_`, and one of a module of helpers (`signatures.HELPERS`), is
called by other kernels only.
"""
