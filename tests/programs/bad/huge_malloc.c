// A malloc of 10 GB.
#include <stdlib.h>

int main(void) {
  char *huge = malloc(10ul << 30);
  if (huge != NULL)
    huge[0] = 1;
  free(huge);
  return 0;
}
