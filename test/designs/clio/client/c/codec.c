/* Reads lines `layout hex` and writes `hex field=value ...`: unpacked and packed again. */
#include "mnemosyne_clio.c"

#define MOST 256
static const struct {
  const char *name;
  unsigned bytes;
  struct {
    const char *name;
    unsigned bit, width;
    int raw;
  } fields[24];
} layouts[] = {
#include "layouts.h"
};

static void print(const uint8_t *bytes, unsigned bit, unsigned width) {
  for (unsigned i = 0; i < width; i += 8) printf("%02x", (unsigned)get(bytes, bit + i, 8));
}

int main(void) {
  char name[64], text[2 * MOST + 1];
  while (scanf("%63s %512s", name, text) == 2) {
    uint8_t from[MOST], to[MOST] = { 0 };
    size_t l = 0;
    while (l < COUNT(layouts) && strcmp(layouts[l].name, name) != 0) l++;
    if (l == COUNT(layouts)) return 1;
    for (unsigned i = 0; i < layouts[l].bytes; i++) {
      const char digits[3] = { text[2 * i], text[2 * i + 1], 0 };
      from[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    for (size_t f = 0; layouts[l].fields[f].name; f++) {
      const unsigned bit = layouts[l].fields[f].bit, width = layouts[l].fields[f].width;
      for (unsigned i = 0; i < width; i += 64) {
        const unsigned part = width - i < 64 ? width - i : 64;
        put(to, bit + i, part, get(from, bit + i, part));
      }
    }
    print(to, 0, 8 * layouts[l].bytes);
    for (size_t f = 0; layouts[l].fields[f].name; f++) {
      const unsigned bit = layouts[l].fields[f].bit, width = layouts[l].fields[f].width;
      printf(" %s=", layouts[l].fields[f].name);
      if (layouts[l].fields[f].raw) print(from, bit, width);
      else printf("%llu", (unsigned long long)get(from, bit, width));
    }
    putchar('\n');
  }
  return 0;
}
