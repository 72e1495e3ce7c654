"""Work in other processes: one room for whatever must not hang, end or burden the process that asks for it.

`pool` and `job` are work that can be ended at any moment (by Pebble): pieces with limits of time and memory, and one
long piece that reports how far it is. `child` is a process that is asked one thing after another, and whose answers
nobody unpickles; `companion` a module that runs beside this process and ends with it. `spreading` spreads many pieces
over any executor of `concurrent.futures`: this process, a pool, or (`cluster`) the workers of Dask.
"""
