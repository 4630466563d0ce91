/* Additions and writes over a bad network; prints the sum, the number of wrong reads and the repetitions. */
#include <mnemosyne_clio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 200
#define OK(x) \
  do { \
    if ((x) != CLIO_OK) { \
      printf("line %d: %s\n", __LINE__, clio_error(c)); \
      exit(1); \
    } \
  } while (0)

int main(int argc, char **argv) {
  const clio_options options = { 25, 100, 1000, 1000, 0 };
  static uint8_t data[2000], got[2000];
  clio_client *c;
  uint16_t pid;
  uint64_t va, sum;
  unsigned wrong = 0;
  if (argc != 3 || clio_open(&c, argv[1], (uint16_t)atoi(argv[2]), &options) != CLIO_OK) return 2;
  OK(clio_create_process(c, "lossy", &pid));
  OK(clio_alloc(c, pid, 4u << 20, CLIO_VM_WRITE, &va));
  for (unsigned i = 0; i < ROUNDS; i++) {
    OK(clio_fetch_and_add(c, pid, va, 1, NULL));
    memset(data, (int)(i & 255), sizeof data);
    OK(clio_write(c, pid, va + 4096, data, sizeof data));
    OK(clio_read(c, pid, va + 4096, got, sizeof got));
    wrong += memcmp(data, got, sizeof data) != 0;
  }
  OK(clio_fetch_and_add(c, pid, va, 0, &sum));
  OK(clio_free_process(c, pid));
  printf("%llu %u %llu\n", (unsigned long long)sum, wrong, (unsigned long long)clio_retries(c));
  clio_close(c);
  return 0;
}
