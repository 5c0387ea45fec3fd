// Unknown functions and assembly that are present but never reached do no harm: verified.
extern int launch_rocket(int);

static int trouble(int x) {
  __asm__ volatile("cpuid" : "+a"(x) : : "ebx", "ecx", "edx");
  return launch_rocket(x);
}

int main(void) {
  volatile int never = 0;
  return never ? trouble(1) : 0;
}
