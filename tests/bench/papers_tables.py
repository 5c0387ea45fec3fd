"""The tables of the papers, as they print them, and the rows of tests/programs that belong to each. A star is an error
that was found. Times are seconds."""

# "Stateless Model Checking for TSO and PSO", table 1, the columns of its own tool: name, fences, loop bound, SC, TSO,
# PSO, and program, flags, bound here.
TSO_PSO = [
    ("apr_1", "-", "5", "5.88", "6.06", "16.98", "papers/apr_1", "-", 5),
    ("apr_2", "-", "5", "2.60", "2.20", "5.39", "papers/apr_2", "-", 5),
    ("dcl_singleton", "-", "7", "0.08", "0.08", "*0.08", "papers/dcl_singleton", "-", 7),
    ("dcl_singleton", "pso", "7", "0.08", "0.08", "0.08", "papers/dcl_singleton", "-DFENCED=2", 7),
    ("dekker", "-", "10", "0.10", "*0.11", "*0.09", "papers/dekker", "-", 10),
    ("dekker", "tso", "10", "0.11", "0.12", "*0.08", "papers/dekker", "-DFENCED=1", 10),
    ("dekker", "pso", "10", "0.11", "0.12", "0.12", "papers/dekker", "-DFENCED=2", 10),
    ("fib_false", "-", "-", "*2.39", "*5.57", "*6.20", "fib", "-DBOUND=143", 8),
    ("fib_false_join", "-", "-", "*0.32", "*0.62", "*0.71", "fib", "-DBOUND=143 -DJOIN", 8),
    ("fib_true", "-", "-", "25.83", "75.06", "86.32", "fib", "-", 64),
    ("fib_true_join", "-", "-", "1.20", "2.88", "3.19", "fib", "-DJOIN", 64),
    ("indexer", "-", "5", "0.10", "0.09", "0.09", "papers/indexer", "-DHANDED", 5),
    ("lamport", "-", "8", "0.08", "*0.08", "*0.08", "papers/lamport", "-", 8),
    ("lamport", "tso", "8", "0.09", "0.08", "*0.07", "papers/lamport", "-DFENCED=1", 8),
    ("lamport", "pso", "8", "0.08", "0.08", "0.08", "papers/lamport", "-DFENCED=2", 8),
    ("parker", "-", "10", "1.50", "*0.09", "*0.08", "papers/parker", "-", 10),
    ("parker", "pso", "10", "1.50", "1.92", "2.94", "papers/parker", "-DFENCED=1", 10),
    ("peterson", "-", "-", "0.07", "*0.07", "*0.07", "papers/peterson", "-", 8),
    ("peterson", "tso", "-", "0.07", "0.07", "*0.07", "papers/peterson", "-DFENCED=1", 8),
    ("peterson", "pso", "-", "0.07", "0.07", "0.08", "papers/peterson", "-DFENCED=2", 8),
    ("pgsql", "-", "8", "0.08", "0.07", "*0.08", "papers/pgsql", "-", 8),
    ("pgsql", "pso", "8", "0.07", "0.07", "0.08", "papers/pgsql", "-DFENCED=2", 8),
    ("pgsql_bnd", "pso", "(4)", "89.44", "106.04", "112.60", "papers/pgsql", "-DBOUNDED=4 -DFENCED=2", 8),
    ("stack_safe", "-", "-", "0.34", "0.36", "0.43", "papers/stack", "-", 8),
    ("stack_unsafe", "-", "-", "*0.08", "*0.08", "*0.09", "papers/stack", "-DFENCED=3 -DUNSAFE", 8),
    ("szymanski", "-", "-", "0.07", "*0.13", "*0.07", "papers/szymanski", "-", 8),
    ("szymanski", "tso", "-", "0.08", "0.08", "*0.07", "papers/szymanski", "-DFENCED=1", 8),
    ("szymanski", "pso", "-", "0.08", "0.08", "0.08", "papers/szymanski", "-DFENCED=2", 8),
]

# "Stateless Model Checking for POWER", table 1, the columns of its own tool: name, fences, loop bound, time, traces,
# blocked, and program, flags, bound here. t/o: not done after 900 s.
POWER = [
    ("dcl_singleton", "", "7", "*0.13", 3, 0, "papers/dcl_singleton", "-", 7),
    ("dcl_singleton", "y", "7", "0.19", 7, 0, "papers/dcl_singleton", "-DFENCED=3", 7),
    ("dekker", "", "10", "*0.11", 5, 0, "papers/dekker", "-", 10),
    ("dekker", "y", "10", "0.76", 246, 0, "papers/dekker", "-DFENCED=2 -DROTATED", 10),
    ("fib_false", "", "", "t/o", 109171, 0, "fib", "-DBOUND=143", 8),
    ("fib_false_join", "", "", "*35.46", 11938, 0, "fib", "-DBOUND=143 -DJOIN", 8),
    ("fib_true", "", "", "t/o", 109122, 0, "fib", "-", 64),
    ("fib_true_join", "", "", "57.67", 19404, 0, "fib", "-DJOIN", 64),
    ("indexer", "", "5", "1.57", 19, 0, "papers/indexer", "-DHANDED", 5),
    ("lamport", "", "8", "*0.12", 3, 0, "papers/lamport", "-", 8),
    ("lamport", "y", "8", "0.20", 50, 2, "papers/lamport", "-DFENCED=2", 8),
    ("parker", "", "5", "*0.13", 5, 0, "papers/parker", "-", 5),
    ("parker", "y", "5", "7.44", 1126, 0, "papers/parker", "-DFENCED=3 -DROTATED", 5),
    ("peterson", "", "", "*0.11", 3, 0, "papers/peterson", "-", 8),
    ("peterson", "y", "", "0.11", 10, 1, "papers/peterson", "-DFENCED=2", 8),
    ("pgsql", "", "8", "*0.11", 2, 0, "papers/pgsql", "-", 8),
    ("pgsql", "y", "8", "0.58", 16, 0, "papers/pgsql", "-DFENCED=3", 8),
    ("pgsql_bnd", "", "", "*0.11", 2, 0, "papers/pgsql", "-DBOUNDED=4 -DFENCED=2", 8),
    ("pgsql_bnd", "y", "", "t/o", 36211, 0, "papers/pgsql", "-DBOUNDED=4 -DFENCED=3", 8),
    ("stack_safe", "", "", "73.86", 1005, 0, "papers/stack", "-DFENCED=3", 8),
    ("stack_unsafe", "", "", "*3.32", 20, 0, "papers/stack", "-DFENCED=3 -DUNSAFE", 8),
    ("szymanski", "", "", "*0.11", 17, 0, "papers/szymanski", "-", 8),
    ("szymanski", "y", "", "0.31", 226, 0, "papers/szymanski", "-DFENCED=2", 8),
]

# The same paper, figure 11.
TEN_WRITES = [
    ("SB+10W", "161.36", 184759, "papers/ten_writes", "-", 8),
    ("SB+10W+syncs", "0.01", 3, "papers/ten_writes", "-DFENCED=1", 8),
]

# Other texts of the same programs under POWER, which show where the counts come from.
TEXTS = [
    ("dekker, y", 246, [
        ("the condition of the outer loop is tested at its end", "papers/dekker", "-DFENCED=2 -DROTATED", 10),
        ("as written: tested at the beginning", "papers/dekker", "-DFENCED=2", 10),
        ("and the inner wait is a loop", "papers/dekker", "-DFENCED=2 -DLOOPS", 10),
        ("both loops only wait (`tests/programs/dekker.c`)", "dekker", "-DFENCED=2", 8)]),
    ("lamport, y", 50, [
        ("waits are assumptions", "papers/lamport", "-DFENCED=2", 8),
        ("waits are loops", "papers/lamport", "-DFENCED=2 -DLOOPS", 8)]),
    ("peterson, y", 10, [
        ("waits are assumptions", "papers/peterson", "-DFENCED=2", 8),
        ("waits are loops", "papers/peterson", "-DFENCED=2 -DLOOPS", 8)]),
    ("szymanski, y", 226, [
        ("no fence after the first store", "papers/szymanski", "-DFENCED=2", 8),
        ("with this fence", "papers/szymanski", "-DFENCED=2 -DEAGER", 8)]),
    ("pgsql, y", 16, [
        ("waits are assumptions", "papers/pgsql", "-DFENCED=3", 8),
        ("waits are loops", "papers/pgsql", "-DFENCED=3 -DLOOPS", 8)]),
    ("stack_safe", 1005, [
        ("a lock from two flags, whose wait is an assumption", "papers/stack", "-DFENCED=3", 8),
        ("a mutex", "papers/stack", "-DMUTEX", 8)]),
    ("parker, y", 1126, [
        ("the condition of the outer loop is tested at its end", "papers/parker", "-DFENCED=3 -DROTATED", 5),
        ("as written: tested at the beginning", "papers/parker", "-DFENCED=3", 5)]),
    ("indexer", 19, [
        ("two threads, 8 entries, numbers handed over in one variable", "papers/indexer", "-DHANDED", 5),
        ("11 threads, 128 entries: they never meet", "papers/indexer", "-DSIZE=128 -DN=11", 5),
        ("12 threads", "papers/indexer", "-DSIZE=128 -DN=12", 5),
        ("13 threads", "papers/indexer", "-DSIZE=128 -DN=13", 5)]),
]

# "Sound and Complete Monitoring of Sequential Consistency", table 1: name, distinct violations and seconds under TSO
# and PSO.
MONITORING = [
    ("dekker", 10, "0.01", 15, "0.01"), ("bakery", 3, "0.04", 4, "0.05"), ("msn", 0, "0.01", 3, "0.02"),
    ("ms2", 0, "0.01", 2, "0.01"), ("harris", 0, "0.06", 2, "0.07"), ("lazylist", 0, "0.02", 2, "0.02"),
    ("snark", 0, "0.01", 10, "0.02"),
]

# "Lazy TSO Reachability", figure 6: name, threads, robust, reachability queries, milliseconds (real); program and flags
# here.
LAZY = [
    ("Parker", 2, False, 4, 5, "parker", "-"), ("Peterson", 2, False, 12, 13, "peterson", "-"),
    ("Dekker", 2, False, 30, 70, "dekker", "-"), ("Lamport", 3, False, 27, 694, "lamport", "-"),
    ("MCS Lock", 4, True, 30, 61, "mcs_lock", "-"), ("CLH Lock", 3, True, 70, 7, "clh_lock", "-"),
    ("Lock-Free Stack", 4, True, 14, 7, "lock_free_stack", "-"),
]

# The same paper, figures 7, 8, 9 and 12, as far as its text has figures: what, what the paper says; program and flags
# here.
LAZY_FAMILIES = [
    ("figure 7, Lamport's lock, N = 2", "reachable", "lamport", "-DN=2"),
    ("figure 7, N = 3", "reachable", "lamport", "-"),
    ("figure 8, diamonds, N = 50", "reachable; another tool 84 s", "diamond", "-DN=50"),
    ("the same, all branches taken", "", "diamond", "-DN=50 -DSHARED"),
    ("the same with fences, N = 50", "", "diamond", "-DN=50 -DFENCED=1"),
    ("figure 9, a loop, N = 20", "reachable; another tool 515 s", "loop", "-DN=20"),
    ("the same with fences", "", "loop", "-DN=20 -DFENCED=1"),
    ("figure 12", "does not end", "no_end", "-"),
]
