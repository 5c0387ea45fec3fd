// A file with a function but no main.
int twice(int x) { return 2 * x; }
