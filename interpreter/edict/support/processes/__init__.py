"""Work in other processes, for everything that must not hang, end or burden the process that asks for it.

`pool` and `job` run work that can be stopped at any moment (with Pebble): tasks with limits of time and memory, and
one long job that reports its progress. `child` is a process that answers one request after another, in bytes that
nobody unpickles; `companion` runs a module in a process that ends with this one. `distribution` distributes many
tasks over any executor of `concurrent.futures`: this process, a pool, or (`cluster`) the workers of Dask.
"""
