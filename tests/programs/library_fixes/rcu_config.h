// A configuration that readers get by a pointer. The bug: the pointer is published with WRITE_ONCE.
#include "vendor/barrier.h"
#include <stddef.h>

struct config {
  int width, height;
};
static struct config *current_config;

static void config_publish(struct config *next, int width, int height) {
  next->width = width;
  next->height = height;
  WRITE_ONCE(current_config, next);
}

static const struct config *config_get(void) { return smp_load_acquire(&current_config); }

static void config_drop(void) { WRITE_ONCE(current_config, NULL); }
