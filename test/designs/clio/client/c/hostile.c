/* Every call against something at argv[1], port argv[2], that answers anything. It has to end, and to write in bounds. */
#include <mnemosyne_clio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  const clio_options options = { 3, 3, 1, 1, 0 };
  clio_client *c;
  unsigned failures = 0;
  if (argc != 3 || clio_open(&c, argv[1], (uint16_t)atoi(argv[2]), &options) != CLIO_OK) return 2;
  for (unsigned round = 0; round < 30; round++) {
    uint16_t pid;
    uint64_t word;
    /* From the heap, exactly as long as the call may write: a sanitizer sees the next byte. */
    uint8_t *const data = calloc(1, 40 + round);
    size_t size = 40 + round;
    clio_chase chase;
    if (data == NULL) return 2;
    memset(&chase, 0, sizeof chase);
    chase.node_size = 64, chase.value_size = 40, chase.use_depth = 1, chase.depth = 1;
    failures += clio_create_process(c, "hostile", &pid) != CLIO_OK;
    failures += clio_alloc(c, 1, 4096, CLIO_VM_WRITE, &word) != CLIO_OK;
    failures += clio_read(c, 1, 64, data, size) != CLIO_OK;
    failures += clio_write(c, 1, 64, data, size) != CLIO_OK;
    failures += clio_fetch_and_add(c, 1, 64, 1, &word) != CLIO_OK;
    failures += clio_deref_read(c, 1, 64, data, size, &word) != CLIO_OK;
    failures += clio_pointer_chase(c, 1, &chase, &word, data) != CLIO_OK;
    failures += clio_kv_read(c, 1, 5, data, &size) != CLIO_OK;
    failures += clio_kv_create(c, 1, 5, "five", 4) != CLIO_OK;
    failures += clio_fence(c, 1) != CLIO_OK;
    failures += strlen(clio_error(c)) > 255;
    free(data);
  }
  clio_close(c);
  printf("%u\n", failures);
  return 0;
}
