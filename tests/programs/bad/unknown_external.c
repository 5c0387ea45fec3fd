// A call of a function that nobody knows.
extern int launch_rocket(int);

int main(void) {
  int stages = 3;
  return launch_rocket(stages);
}
