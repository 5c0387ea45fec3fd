// Use after scope: a pointer to a variable of a block is used behind the block (or, LOOP, in its next iteration).
int main(void) {
  int *kept = 0;
#ifdef LOOP
  for (int i = 0; i < 2; i++) {
    int inner = i;
    if (kept)
      *kept = 2; // bug
    kept = &inner;
  }
#else
  {
    int inner = 1;
    kept = &inner;
  }
  *kept = 2; // bug
#endif
  return 0;
}
