/* Numbers, as texts and back. Foundations.c says how the text is written. */

__PICKET_MODEL long __picket_model_atol(const char *text) {
  unsigned long value = 0;
  int negative;
  while (__picket_is((unsigned char)*text, __picket_space))
    ++text;
  negative = *text == '-';
  if (*text == '-' || *text == '+')
    ++text;
  for (; *text >= '0' && *text <= '9'; ++text)
    value = value * 10 + (unsigned long)(*text - '0');
  return (long)(negative ? 0 - value : value);
}

__PICKET_MODEL int __picket_model_atoi(const char *text) { return (int)__picket_model_atol(text); }
__extension__ __PICKET_MODEL long long __picket_model_atoll(const char *text) { return __picket_model_atol(text); }
__PICKET_MODEL int __picket_model_abs(int value) { return value < 0 ? -value : value; }
__PICKET_MODEL long __picket_model_labs(long value) { return value < 0 ? -value : value; }
__extension__ __PICKET_MODEL long long __picket_model_llabs(long long value) { return value < 0 ? -value : value; }

static int __picket_digit_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 36;
}

/* The number without its sign, at most `most`; beyond that *over is set. */
static unsigned long __picket_digits(const char *text, char **end, int base, int *negative, unsigned long most, int *over) {
  const char *at = text;
  unsigned long value = 0;
  int any = 0;
  *over = 0;
  if (end)
    *end = (char *)text;
  *negative = 0;
  if (base < 0 || base == 1 || base > 36) {
    *__picket_errno_location() = __picket_EINVAL;
    return 0;
  }
  while (__picket_is((unsigned char)*at, __picket_space))
    ++at;
  *negative = *at == '-';
  if (*at == '-' || *at == '+')
    ++at;
  if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && __picket_digit_value(at[2]) < 16) {
    at += 2;
    base = 16;
  }
  if (base == 0)
    base = *at == '0' ? 8 : 10;
  for (; __picket_digit_value(*at) < base; ++at) {
    unsigned long digit = (unsigned long)__picket_digit_value(*at);
    any = 1;
    if (value > (most - digit) / (unsigned long)base)
      *over = 1;
    else
      value = value * (unsigned long)base + digit;
  }
  if (any && end)
    *end = (char *)at;
  if (*over)
    *__picket_errno_location() = __picket_ERANGE;
  return *over ? most : value;
}

__PICKET_MODEL unsigned long __picket_model_strtoul(const char *text, char **end, int base) {
  int negative, over;
  unsigned long value = __picket_digits(text, end, base, &negative, (unsigned long)-1, &over);
  return negative && !over ? 0 - value : value;
}

__PICKET_MODEL long __picket_model_strtol(const char *text, char **end, int base) {
  const unsigned long least = 1ul << 63; /* without its sign */
  int negative, over;
  unsigned long value = __picket_digits(text, end, base, &negative, least, &over);
  if (value == least && !negative && !over) {
    over = 1;
    *__picket_errno_location() = __picket_ERANGE;
  }
  if (over)
    return negative ? (long)least : (long)(least - 1);
  return (long)(negative ? 0 - value : value);
}

__extension__ __PICKET_MODEL long long __picket_model_strtoll(const char *text, char **end, int base) {
  return __picket_model_strtol(text, end, base);
}
__extension__ __PICKET_MODEL unsigned long long __picket_model_strtoull(const char *text, char **end, int base) {
  return __picket_model_strtoul(text, end, base);
}
__PICKET_MODEL long __picket_model___isoc23_strtol(const char *text, char **end, int base) {
  return __picket_model_strtol(text, end, base);
}
__PICKET_MODEL unsigned long __picket_model___isoc23_strtoul(const char *text, char **end, int base) {
  return __picket_model_strtoul(text, end, base);
}

/* Texts of numbers: what snprintf writes. */

struct __picket_output {
  char *to;
  __SIZE_TYPE__ room, length; /* room: with the final zero; length: what was to be written */
};

static void __picket_put(struct __picket_output *out, char c) {
  if (out->length + 1 < out->room)
    out->to[out->length] = c;
  ++out->length;
}

static void __picket_put_many(struct __picket_output *out, char c, int count) {
  for (; count > 0; --count)
    __picket_put(out, c);
}

struct __picket_conversion {
  int left, plus, blank, other, zeros, width, precision; /* precision: -1: none */
};

/* A field: the sign or prefix, zeros, then digits or characters. */
static void __picket_put_field(struct __picket_output *out, const struct __picket_conversion *how, const char *prefix,
                               const char *body, int length, int zeros) {
  int before = 0, k, fill;
  while (prefix[before])
    ++before;
  fill = how->width - before - zeros - length;
  if (!how->left)
    __picket_put_many(out, ' ', fill);
  for (k = 0; k < before; ++k)
    __picket_put(out, prefix[k]);
  __picket_put_many(out, '0', zeros);
  for (k = 0; k < length; ++k)
    __picket_put(out, body[k]);
  if (how->left)
    __picket_put_many(out, ' ', fill);
}

static void __picket_put_number(struct __picket_output *out, const struct __picket_conversion *how, unsigned long value,
                                const char *prefix, unsigned base, const char *digits) {
  char text[24];
  int at = 24, length, zeros, before = 0;
  for (; value; value /= base)
    text[--at] = digits[value % base];
  length = 24 - at;
  if (length == 0 && how->precision != 0)
    text[--at] = '0', length = 1;
  zeros = how->precision > length ? how->precision - length : 0;
  if (how->other && base == 8 && zeros == 0 && (length == 0 || text[at] != '0'))
    zeros = 1;
  while (prefix[before])
    ++before;
  if (how->zeros && !how->left && how->precision < 0 && how->width > before + length)
    zeros = how->width - before - length;
  __picket_put_field(out, how, prefix, text + at, length, zeros);
}

static int __picket_format(char *to, __SIZE_TYPE__ size, const char *format, __builtin_va_list list) {
  struct __picket_output out;
  out.to = to;
  out.room = size;
  out.length = 0;
  for (; *format; ++format) {
    struct __picket_conversion how = {0, 0, 0, 0, 0, 0, -1};
    int length = 0; /* -2: char, -1: short, 0: int, 1: long */
    long number;
    unsigned long bits;
    if (*format != '%') {
      __picket_put(&out, *format);
      continue;
    }
    for (++format;; ++format) {
      if (*format == '-')
        how.left = 1;
      else if (*format == '+')
        how.plus = 1;
      else if (*format == ' ')
        how.blank = 1;
      else if (*format == '#')
        how.other = 1;
      else if (*format == '0')
        how.zeros = 1;
      else
        break;
    }
    if (*format == '*') {
      how.width = __builtin_va_arg(list, int);
      if (how.width < 0) {
        how.left = 1;
        how.width = -how.width;
      }
      ++format;
    } else
      for (; *format >= '0' && *format <= '9'; ++format)
        how.width = how.width * 10 + (*format - '0');
    if (*format == '.') {
      how.precision = 0;
      if (*++format == '*') {
        how.precision = __builtin_va_arg(list, int);
        ++format;
      } else
        for (; *format >= '0' && *format <= '9'; ++format)
          how.precision = how.precision * 10 + (*format - '0');
    }
    for (;; ++format) {
      if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't')
        length = 1;
      else if (*format == 'h')
        --length;
      else
        break;
    }
    switch (*format) {
    case 'd':
    case 'i':
      number = length == 1 ? __builtin_va_arg(list, long) : (long)__builtin_va_arg(list, int);
      if (length == -1)
        number = (short)number;
      else if (length == -2)
        number = (signed char)number;
      __picket_put_number(&out, &how, number < 0 ? 0 - (unsigned long)number : (unsigned long)number,
                          number < 0  ? "-"
                          : how.plus  ? "+"
                          : how.blank ? " "
                                      : "",
                          10, "0123456789");
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      bits = length == 1 ? __builtin_va_arg(list, unsigned long) : (unsigned long)__builtin_va_arg(list, unsigned);
      if (length == -1)
        bits = (unsigned short)bits;
      else if (length == -2)
        bits = (unsigned char)bits;
      if (*format == 'u')
        __picket_put_number(&out, &how, bits, "", 10, "0123456789");
      else if (*format == 'o')
        __picket_put_number(&out, &how, bits, "", 8, "01234567");
      else if (*format == 'x')
        __picket_put_number(&out, &how, bits, how.other && bits ? "0x" : "", 16, "0123456789abcdef");
      else
        __picket_put_number(&out, &how, bits, how.other && bits ? "0X" : "", 16, "0123456789ABCDEF");
      break;
    case 'p':
      bits = (unsigned long)__builtin_va_arg(list, void *);
      if (bits)
        __picket_put_number(&out, &how, bits, "0x", 16, "0123456789abcdef");
      else
        __picket_put_field(&out, &how, "", "(nil)", 5, 0);
      break;
    case 'c': {
      char c = (char)__builtin_va_arg(list, int);
      if (length == 1)
        __picket_refuse("a wide character in a format of 'snprintf'");
      __picket_put_field(&out, &how, "", &c, 1, 0);
      break;
    }
    case 's': {
      const char *text = __builtin_va_arg(list, const char *);
      int k = 0;
      if (length == 1)
        __picket_refuse("a wide string in a format of 'snprintf'");
      if (!text)
        text = "(null)";
      while ((how.precision < 0 || k < how.precision) && text[k])
        ++k;
      __picket_put_field(&out, &how, "", text, k, 0);
      break;
    }
    case '%': __picket_put(&out, '%'); break;
    default: __picket_refuse("a conversion in a format of 'snprintf' other than d i u x X o c s p %");
    }
  }
  if (size)
    to[out.length < size ? out.length : size - 1] = 0;
  return (int)out.length;
}

__PICKET_MODEL int __picket_model_vsnprintf(char *to, __SIZE_TYPE__ size, const char *format, __builtin_va_list list) {
  return __picket_format(to, size, format, list);
}

__PICKET_MODEL int __picket_model_vsprintf(char *to, const char *format, __builtin_va_list list) {
  return __picket_format(to, (__SIZE_TYPE__)1 << 31, format, list);
}

__PICKET_MODEL int __picket_model_snprintf(char *to, __SIZE_TYPE__ size, const char *format, ...) {
  __builtin_va_list list;
  int length;
  __builtin_va_start(list, format);
  length = __picket_format(to, size, format, list);
  __builtin_va_end(list);
  return length;
}

__PICKET_MODEL int __picket_model_sprintf(char *to, const char *format, ...) {
  __builtin_va_list list;
  int length;
  __builtin_va_start(list, format);
  length = __picket_format(to, (__SIZE_TYPE__)1 << 31, format, list);
  __builtin_va_end(list);
  return length;
}
