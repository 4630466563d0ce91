/* Every call of the client once or more, against the node at argv[1], port argv[2]. */
#include <mnemosyne_clio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE (4u << 20)
#define SIZE 20000u
#define CHECK(x) \
  do { \
    if (!(x)) { \
      printf("line %d: not %s: %s\n", __LINE__, #x, clio_error(c)); \
      exit(1); \
    } \
  } while (0)
#define OK(x) CHECK((x) == CLIO_OK)

static clio_client *c;
static uint8_t data[SIZE], got[SIZE];

static void memory(void) {
  uint16_t pid;
  uint64_t va;
  OK(clio_create_process(c, "memory", &pid));
  OK(clio_alloc(c, pid, 2 * PAGE, CLIO_VM_WRITE, &va));
  for (unsigned i = 0; i < SIZE; i++) data[i] = (uint8_t)(i * 7);
  OK(clio_write(c, pid, va + PAGE - 7000, data, SIZE));
  OK(clio_read(c, pid, va + PAGE - 7000, got, SIZE));
  CHECK(memcmp(data, got, SIZE) == 0);
  OK(clio_fence(c, pid));
  OK(clio_free(c, pid, va, 2 * PAGE));
  CHECK(clio_read(c, pid, va, got, 1) == CLIO_INVALID && !clio_may_be_done(c));
  CHECK(strstr(clio_error(c), "READ: INVALID, no mapping at this address") != NULL);
  OK(clio_alloc(c, pid, PAGE, 0, &va));
  CHECK(clio_write(c, pid, va, "x", 1) == CLIO_WRITE_PERM);
  CHECK(clio_write(c, pid, va, "x", 0) == CLIO_ARGUMENT && clio_alloc(c, pid, 0, 0, &va) == CLIO_ARGUMENT);
  CHECK(clio_read(c, pid, UINT64_MAX, got, 2) == CLIO_ARGUMENT);
  OK(clio_free_process(c, pid));
}
static void words(void) {
  uint16_t pid;
  uint64_t va, old;
  OK(clio_create_process(c, "words", &pid));
  OK(clio_alloc(c, pid, PAGE, CLIO_VM_WRITE, &va));
  OK(clio_test_and_set(c, pid, va, &old));
  CHECK(old == 0);
  OK(clio_test_and_set(c, pid, va, &old));
  CHECK(old == 1);
  OK(clio_atomic_store(c, pid, va, 5));
  OK(clio_compare_and_swap(c, pid, va, 5, 9, &old));
  CHECK(old == 5);
  OK(clio_compare_and_swap(c, pid, va, 5, 1, &old));
  CHECK(old == 9);
  OK(clio_fetch_and_add(c, pid, va, UINT64_MAX, NULL));
  OK(clio_fetch_and_add(c, pid, va, 0, &old));
  CHECK(old == 8);
  CHECK(clio_fetch_and_add(c, pid, va + 1, 1, NULL) == CLIO_ARGUMENT);
  OK(clio_free_process(c, pid));
}
static void pointers(void) {
  uint16_t pid;
  uint64_t va, at, value, node[3];
  clio_chase chase;
  OK(clio_create_process(c, "pointers", &pid));
  OK(clio_alloc(c, pid, PAGE, CLIO_VM_WRITE, &va));
  /* Little-endian machine or not: the words go through the atomics. */
  for (unsigned i = 0; i < 5; i++) {
    OK(clio_atomic_store(c, pid, va + 64 * i, i < 4 ? va + 64 * (i + 1) : 0));
    OK(clio_atomic_store(c, pid, va + 64 * i + 8, 100 + i));
    OK(clio_atomic_store(c, pid, va + 64 * i + 16, 7000 + i));
  }
  memset(&chase, 0, sizeof chase);
  chase.first = va, chase.node_size = 24, chase.use_key = 1, chase.key = 103, chase.key_offset = 8;
  chase.value_offset = 16, chase.value_size = 8;
  OK(clio_pointer_chase(c, pid, &chase, &at, &value));
  OK(clio_read(c, pid, va + 192 + 16, &node[0], 8));
  CHECK(at == va + 192 && value == node[0]);
  chase.key = 99;
  CHECK(clio_pointer_chase(c, pid, &chase, &at, &value) == CLIO_FAIL);
  chase.use_key = 0, chase.use_depth = 1, chase.depth = 3;
  OK(clio_pointer_chase(c, pid, &chase, &at, &value));
  CHECK(at == va + 128);
  chase.next_offset = 4;
  CHECK(clio_pointer_chase(c, pid, &chase, &at, &value) == CLIO_ARGUMENT);
  OK(clio_deref_read(c, pid, va, node, sizeof node, &at));
  CHECK(at == va + 64);
  memset(node, 0, sizeof node);
  OK(clio_deref_write(c, pid, va, node, 8, &at));
  OK(clio_fetch_and_add(c, pid, va + 64, 0, &value));
  CHECK(at == va + 64 && value == 0);
  OK(clio_free_process(c, pid));
}
static void keys(void) {
  uint16_t pid;
  size_t size = sizeof got;
  OK(clio_create_process(c, "keys", &pid));
  OK(clio_kv_create(c, pid, 1, "one", 3));
  CHECK(clio_kv_create(c, pid, 1, "again", 5) == CLIO_FAIL);
  OK(clio_kv_update(c, pid, 1, "eins", 4));
  CHECK(clio_kv_update(c, pid, 2, "zwei", 4) == CLIO_FAIL);
  OK(clio_kv_read(c, pid, 1, got, &size));
  CHECK(size == 4 && memcmp(got, "eins", 4) == 0);
  OK(clio_kv_delete(c, pid, 1));
  CHECK(clio_kv_delete(c, pid, 1) == CLIO_FAIL && clio_kv_read(c, pid, 1, got, &size) == CLIO_FAIL);
  OK(clio_free_process(c, pid));
}
int main(int argc, char **argv) {
  const clio_options options = { 5000, 10000, 0, 0, 0 }, quick = { 20, 20, 1, 0, 0 };
  uint16_t pid;
  if (argc != 3 || clio_open(&c, argv[1], (uint16_t)atoi(argv[2]), &options) != CLIO_OK) return 2;
  memory();
  words();
  pointers();
  keys();
  clio_close(c);
  OK(clio_open(&c, argv[1], 9, &quick));
  CHECK(clio_create_process(c, "nobody", &pid) == CLIO_TIMEOUT && strstr(clio_error(c), "no usable answer") != NULL);
  clio_close(c);
  if (clio_open(&c, "nowhere", 1, NULL) != CLIO_ARGUMENT || c != NULL) return 1;
  puts("done");
  return 0;
}
