// A loop that never ends and touches no memory.
int main(void) {
  unsigned long n = 0;
  for (;;) {
    n = n * 4 + 1;
    if (n == 2)
      break;
  }
  return (int)n;
}
