/* What Debian's libstdc++, which is made for glibc, asks of a C library beyond what musl has. Coffer uses none of it. */
#define _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

char __libc_single_threaded = 0;

int _dl_find_object(void *pc, void *found) { return -1; }

unsigned arc4random(void) {
  unsigned value;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}

size_t __strftime_l(char *text, size_t size, const char *format, const struct tm *time, locale_t locale) {
  return strftime_l(text, size, format, time, locale);
}

int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *library) { return 0; }

void _ZNSi6ignoreEl(void) { abort(); }
void _ZNSt13basic_istreamIwSt11char_traitsIwEE6ignoreEl(void) { abort(); }
