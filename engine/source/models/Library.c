/* Memory, strings, characters and sorting. Foundations.c says how the text is written. */

/* Memory. Copying and filling are operations of the bytecode. */

__PICKET_MODEL void *__picket_model_mempcpy(void *to, const void *from, __SIZE_TYPE__ size) {
  return (char *)__builtin_memcpy(to, from, size) + size;
}

__PICKET_MODEL void __picket_model_bzero(void *to, __SIZE_TYPE__ size) { __builtin_memset(to, 0, size); }

__PICKET_MODEL void __picket_model_explicit_bzero(void *to, __SIZE_TYPE__ size) { __builtin_memset(to, 0, size); }

__PICKET_MODEL int __picket_model_memcmp(const void *left, const void *right, __SIZE_TYPE__ size) {
  const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
  for (; size--; ++l, ++r) {
    unsigned char a = *l, b = *r;
    if (a != b)
      return a - b;
  }
  return 0;
}

__PICKET_MODEL int __picket_model_bcmp(const void *left, const void *right, __SIZE_TYPE__ size) {
  return __picket_model_memcmp(left, right, size);
}

__PICKET_MODEL void *__picket_model_memchr(const void *block, int value, __SIZE_TYPE__ size) {
  const unsigned char *at = (const unsigned char *)block;
  for (; size--; ++at)
    if (*at == (unsigned char)value)
      return (void *)at;
  return (void *)0;
}

/* Strings. Each byte is read once, so that a text another thread changes is seen as real code could see it. */

__PICKET_MODEL __SIZE_TYPE__ __picket_model_strlen(const char *text) {
  const char *end = text;
  while (*end)
    ++end;
  return (__SIZE_TYPE__)(end - text);
}

__PICKET_MODEL __SIZE_TYPE__ __picket_model_strnlen(const char *text, __SIZE_TYPE__ size) {
  __SIZE_TYPE__ length = 0;
  while (length < size && text[length])
    ++length;
  return length;
}

__PICKET_MODEL int __picket_model_strncmp(const char *left, const char *right, __SIZE_TYPE__ size) {
  for (; size--; ++left, ++right) {
    unsigned char a = (unsigned char)*left, b = (unsigned char)*right;
    if (a != b)
      return a - b;
    if (!a)
      return 0;
  }
  return 0;
}

__PICKET_MODEL int __picket_model_strcmp(const char *left, const char *right) {
  return __picket_model_strncmp(left, right, (__SIZE_TYPE__)-1);
}

__PICKET_MODEL char *__picket_model_stpcpy(char *to, const char *from) {
  for (;; ++to, ++from) {
    char value = *from;
    *to = value;
    if (!value)
      return to;
  }
}

__PICKET_MODEL char *__picket_model_strcpy(char *to, const char *from) {
  __picket_model_stpcpy(to, from);
  return to;
}

__PICKET_MODEL char *__picket_model_stpncpy(char *to, const char *from, __SIZE_TYPE__ size) {
  char *end;
  for (; size; --size, ++to, ++from) {
    char value = *from;
    if (!value)
      break;
    *to = value;
  }
  end = to;
  while (size--)
    *to++ = 0;
  return end;
}

__PICKET_MODEL char *__picket_model_strncpy(char *to, const char *from, __SIZE_TYPE__ size) {
  __picket_model_stpncpy(to, from, size);
  return to;
}

__PICKET_MODEL char *__picket_model_strcat(char *to, const char *from) {
  __picket_model_stpcpy(to + __picket_model_strlen(to), from);
  return to;
}

__PICKET_MODEL char *__picket_model_strncat(char *to, const char *from, __SIZE_TYPE__ size) {
  char *end = to + __picket_model_strlen(to);
  for (; size; --size, ++from) {
    char value = *from;
    if (!value)
      break;
    *end++ = value;
  }
  *end = 0;
  return to;
}

__PICKET_MODEL char *__picket_model_strchrnul(const char *text, int wanted) {
  for (;; ++text) {
    char value = *text;
    if (value == (char)wanted || !value)
      return (char *)text;
  }
}

__PICKET_MODEL char *__picket_model_strchr(const char *text, int wanted) {
  for (;; ++text) {
    char value = *text;
    if (value == (char)wanted)
      return (char *)text;
    if (!value)
      return (char *)0;
  }
}

__PICKET_MODEL char *__picket_model_strrchr(const char *text, int wanted) {
  char *last = (char *)0;
  for (;; ++text) {
    char value = *text;
    if (value == (char)wanted)
      last = (char *)text;
    if (!value)
      return last;
  }
}

__PICKET_MODEL char *__picket_model_strstr(const char *text, const char *wanted) {
  __SIZE_TYPE__ length = __picket_model_strlen(wanted);
  for (;; ++text) {
    if (__picket_model_strncmp(text, wanted, length) == 0)
      return (char *)text;
    if (!*text)
      return (char *)0;
  }
}

__PICKET_MODEL __SIZE_TYPE__ __picket_model_strcspn(const char *text, const char *stops) {
  __SIZE_TYPE__ length = 0;
  while (!__picket_model_strchr(stops, text[length])) /* the final zero is in every set */
    ++length;
  return length;
}

__PICKET_MODEL __SIZE_TYPE__ __picket_model_strspn(const char *text, const char *set) {
  __SIZE_TYPE__ length = 0;
  for (;; ++length) {
    char value = text[length];
    if (!value || !__picket_model_strchr(set, value))
      return length;
  }
}

__PICKET_MODEL char *__picket_model_strpbrk(const char *text, const char *set) {
  text += __picket_model_strcspn(text, set);
  return *text ? (char *)text : (char *)0;
}

__PICKET_MODEL char *__picket_model_strndup(const char *text, __SIZE_TYPE__ size) {
  __SIZE_TYPE__ length = __picket_model_strnlen(text, size);
  char *copy = (char *)__picket_malloc(length + 1);
  if (copy) {
    __builtin_memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}

__PICKET_MODEL char *__picket_model_strdup(const char *text) { return __picket_model_strndup(text, (__SIZE_TYPE__)-1); }
/* Characters, in the C locale. The table is glibc's: <ctype.h> looks into it by macros. */

enum {
  __picket_upper = 0x100,
  __picket_lower = 0x200,
  __picket_alpha = 0x400,
  __picket_digit = 0x800,
  __picket_xdigit = 0x1000,
  __picket_space = 0x2000,
  __picket_print = 0x4000,
  __picket_graph = 0x8000,
  __picket_blank = 0x1,
  __picket_cntrl = 0x2,
  __picket_punct = 0x4,
  __picket_alnum = 0x8,
  __picket_sign = __picket_print | __picket_graph | __picket_punct,
  __picket_letter = __picket_print | __picket_graph | __picket_alnum | __picket_alpha
};

static const unsigned short __picket_ctype[384] = {
    [128 + 0 ... 128 + 8] = __picket_cntrl,
    [128 + '\t'] = __picket_cntrl | __picket_space | __picket_blank,
    [128 + '\n' ... 128 + '\r'] = __picket_cntrl | __picket_space,
    [128 + 14 ... 128 + 31] = __picket_cntrl,
    [128 + ' '] = __picket_space | __picket_blank | __picket_print,
    [128 + '!' ... 128 + '/'] = __picket_sign,
    [128 + '0' ... 128 + '9'] = __picket_print | __picket_graph | __picket_alnum | __picket_digit | __picket_xdigit,
    [128 + ':' ... 128 + '@'] = __picket_sign,
    [128 + 'A' ... 128 + 'F'] = __picket_letter | __picket_upper | __picket_xdigit,
    [128 + 'G' ... 128 + 'Z'] = __picket_letter | __picket_upper,
    [128 + '[' ... 128 + '`'] = __picket_sign,
    [128 + 'a' ... 128 + 'f'] = __picket_letter | __picket_lower | __picket_xdigit,
    [128 + 'g' ... 128 + 'z'] = __picket_letter | __picket_lower,
    [128 + '{' ... 128 + '~'] = __picket_sign,
    [128 + 127] = __picket_cntrl};
static const unsigned short *const __picket_ctype_at_zero = __picket_ctype + 128;

__PICKET_MODEL const unsigned short **__picket_model___ctype_b_loc(void) {
  return (const unsigned short **)&__picket_ctype_at_zero;
}

static int __picket_is(int c, int set) { return c >= -128 && c < 256 ? __picket_ctype[128 + c] & set : 0; }

__PICKET_MODEL int __picket_model_isupper(int c) { return __picket_is(c, __picket_upper); }
__PICKET_MODEL int __picket_model_islower(int c) { return __picket_is(c, __picket_lower); }
__PICKET_MODEL int __picket_model_isalpha(int c) { return __picket_is(c, __picket_alpha); }
__PICKET_MODEL int __picket_model_isdigit(int c) { return __picket_is(c, __picket_digit); }
__PICKET_MODEL int __picket_model_isxdigit(int c) { return __picket_is(c, __picket_xdigit); }
__PICKET_MODEL int __picket_model_isspace(int c) { return __picket_is(c, __picket_space); }
__PICKET_MODEL int __picket_model_isprint(int c) { return __picket_is(c, __picket_print); }
__PICKET_MODEL int __picket_model_isgraph(int c) { return __picket_is(c, __picket_graph); }
__PICKET_MODEL int __picket_model_isblank(int c) { return __picket_is(c, __picket_blank); }
__PICKET_MODEL int __picket_model_iscntrl(int c) { return __picket_is(c, __picket_cntrl); }
__PICKET_MODEL int __picket_model_ispunct(int c) { return __picket_is(c, __picket_punct); }
__PICKET_MODEL int __picket_model_isalnum(int c) { return __picket_is(c, __picket_alnum); }
__PICKET_MODEL int __picket_model_toupper(int c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }
__PICKET_MODEL int __picket_model_tolower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

__PICKET_MODEL int __picket_model_strncasecmp(const char *left, const char *right, __SIZE_TYPE__ size) {
  for (; size--; ++left, ++right) {
    int a = __picket_model_tolower((unsigned char)*left), b = __picket_model_tolower((unsigned char)*right);
    if (a != b)
      return a - b;
    if (!a)
      return 0;
  }
  return 0;
}

__PICKET_MODEL int __picket_model_strcasecmp(const char *left, const char *right) {
  return __picket_model_strncasecmp(left, right, (__SIZE_TYPE__)-1);
}

/* Sorting and searching */

typedef unsigned __attribute__((__may_alias__)) __picket_word;
typedef unsigned long __attribute__((__may_alias__)) __picket_long_word;

/* In words where the elements allow it: that is how programs mostly access them. */
static void __picket_swap(char *left, char *right, __SIZE_TYPE__ size) {
  __SIZE_TYPE__ i;
  if ((size | (unsigned long)left) % 8 == 0) {
    for (i = 0; i < size; i += 8) {
      unsigned long value = *(__picket_long_word *)(left + i);
      *(__picket_long_word *)(left + i) = *(__picket_long_word *)(right + i);
      *(__picket_long_word *)(right + i) = value;
    }
    return;
  }
  if ((size | (unsigned long)left) % 4 == 0) {
    for (i = 0; i < size; i += 4) {
      unsigned value = *(__picket_word *)(left + i);
      *(__picket_word *)(left + i) = *(__picket_word *)(right + i);
      *(__picket_word *)(right + i) = value;
    }
    return;
  }
  for (i = 0; i < size; ++i) {
    char value = left[i];
    left[i] = right[i];
    right[i] = value;
  }
}

static void __picket_sift(char *heap, __SIZE_TYPE__ root, __SIZE_TYPE__ count, __SIZE_TYPE__ size,
                          int (*compare)(const void *, const void *)) {
  for (;;) {
    __SIZE_TYPE__ child = 2 * root + 1;
    if (child >= count)
      return;
    if (child + 1 < count && compare(heap + child * size, heap + (child + 1) * size) < 0)
      ++child;
    if (compare(heap + root * size, heap + child * size) >= 0)
      return;
    __picket_swap(heap + root * size, heap + child * size, size);
    root = child;
  }
}

/* Heap sort: in place, never quadratic, and as free to reorder equal elements as the standard allows. */
__PICKET_MODEL void __picket_model_qsort(void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size,
                                         int (*compare)(const void *, const void *)) {
  char *heap = (char *)base;
  __SIZE_TYPE__ i;
  for (i = count / 2; i-- > 0;)
    __picket_sift(heap, i, count, size, compare);
  for (i = count; i-- > 1;) {
    __picket_swap(heap, heap + i * size, size);
    __picket_sift(heap, 0, i, size, compare);
  }
}

__PICKET_MODEL void *__picket_model_bsearch(const void *key, const void *base, __SIZE_TYPE__ count, __SIZE_TYPE__ size,
                                            int (*compare)(const void *, const void *)) {
  const char *from = (const char *)base;
  while (count) {
    const char *middle = from + count / 2 * size;
    int order = compare(key, middle);
    if (order == 0)
      return (void *)middle;
    if (order > 0) {
      from = middle + size;
      --count;
    }
    count /= 2;
  }
  return (void *)0;
}

/* Allocation */

__PICKET_MODEL int __picket_model_posix_memalign(void **block, __SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
  void *result;
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
    return __picket_EINVAL;
  result = __picket_aligned_alloc(alignment, size);
  if (!result)
    return __picket_ENOMEM;
  *block = result;
  return 0;
}

__PICKET_MODEL void *__picket_model_memalign(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
  return __picket_aligned_alloc(alignment, size);
}

__PICKET_MODEL void *__picket_model_reallocarray(void *block, __SIZE_TYPE__ count, __SIZE_TYPE__ size) {
  __SIZE_TYPE__ bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    *__picket_errno_location() = __picket_ENOMEM;
    return (void *)0;
  }
  return __picket_realloc(block, bytes);
}
