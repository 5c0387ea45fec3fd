/* The end of the process. Foundations.c says how the text is written. */

/* The end of the process. Functions run in the reverse order of being noted, each once, also if several threads end the
   process at the same time. One that is noted by a function that runs comes next. */

struct __picket_noted {
  struct __picket_noted *before;
  void (*function)(void);
};
struct __picket_list {
  unsigned long lock[5];             /* a mutex */
  struct __picket_noted *last, *ran; /* what has run is kept: it is no memory that the program lost */
};

static int __picket_note(struct __picket_list *list, void (*function)(void)) {
  struct __picket_noted *noted = (struct __picket_noted *)__picket_malloc(sizeof *noted);
  if (!noted)
    return -1;
  noted->function = function;
  __picket_mutex_lock(list->lock);
  noted->before = list->last;
  list->last = noted;
  __picket_mutex_unlock(list->lock);
  return 0;
}

/* Calls itself instead of going round a loop, which would have a bound. */
static void __picket_run_noted(struct __picket_list *list) {
  struct __picket_noted *noted;
  __picket_mutex_lock(list->lock);
  noted = list->last;
  if (noted) {
    list->last = noted->before;
    noted->before = list->ran;
    list->ran = noted;
  }
  __picket_mutex_unlock(list->lock);
  if (noted) {
    noted->function();
    __picket_run_noted(list);
  }
}

static struct __picket_list __picket_at_exit, __picket_at_quick_exit;

__PICKET_MODEL int __picket_model_atexit(void (*function)(void)) { return __picket_note(&__picket_at_exit, function); }
void __picket_exit_functions(void) { __picket_run_noted(&__picket_at_exit); }

__PICKET_MODEL int __picket_model_at_quick_exit(void (*function)(void)) {
  return __picket_note(&__picket_at_quick_exit, function);
}
void __picket_quick_exit_functions(void) { __picket_run_noted(&__picket_at_quick_exit); }
