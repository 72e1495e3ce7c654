"""Work in other processes, for everything that must not hang, end or burden the process that asks for it.

`executor` says what the rest of the program may ask for, `tasks` what a task may take; `local_executor` does it with
processes of this machine (by Pebble): tasks with limits of time and memory, and one long job that reports its progress.
`child` starts a process that answers one request after another, in bytes that nobody unpickles, or one that ends with
this process. `distribution` distributes many tasks over any executor of `concurrent.futures`: this process, a pool, or
(`cluster`) the workers of Dask.
"""
