/* A process with a key, at the node of argv[1], port argv[2]: its owner, one who was told, and strangers. */
#include <mnemosyne_clio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE (4u << 20)
#define SIZE 5000u
#define CHECK(x) \
  do { \
    if (!(x)) { \
      printf("line %d: not %s: %s, %s\n", __LINE__, #x, clio_error(owner), clio_error(other)); \
      exit(1); \
    } \
  } while (0)

int main(int argc, char **argv) {
  const clio_options options = { 5000, 10000, 0, 0, 0 };
  clio_client *owner = NULL, *other = NULL;
  uint8_t data[SIZE], got[SIZE];
  uint16_t pid;
  uint64_t va;
  if (argc < 3) return 2;
  CHECK(clio_open(&owner, argv[1], (uint16_t)atoi(argv[2]), &options) == CLIO_OK);
  CHECK(clio_open(&other, argv[1], (uint16_t)atoi(argv[2]), &options) == CLIO_OK);
  CHECK(clio_create_process(owner, "owner", &pid) == CLIO_OK && clio_key(owner, pid) != 0);
  CHECK(clio_alloc(owner, pid, PAGE, CLIO_VM_WRITE, &va) == CLIO_OK);
  for (unsigned i = 0; i < SIZE; i++) data[i] = (uint8_t)(i * 11);
  CHECK(clio_write(owner, pid, va, data, SIZE) == CLIO_OK);
  const uint64_t key = clio_key(owner, pid), wrong[] = { 0, key ^ 1, UINT64_MAX };
  for (unsigned i = 0; i < 3; i++) {
    CHECK(clio_set_key(other, pid, wrong[i]) == CLIO_OK);
    CHECK(clio_read(other, pid, va, got, 8) == CLIO_INVALID);
    CHECK(clio_write(other, pid, va, data, 8) == CLIO_INVALID);
    CHECK(clio_fetch_and_add(other, pid, va, 1, NULL) == CLIO_INVALID);
    CHECK(clio_free(other, pid, va, PAGE) == CLIO_INVALID);
    CHECK(clio_free_process(other, pid) == CLIO_INVALID);
  }
  CHECK(clio_set_key(other, pid, key) == CLIO_OK);
  CHECK(clio_read(other, pid, va, got, SIZE) == CLIO_OK && memcmp(data, got, SIZE) == 0);
  CHECK(clio_free_process(owner, pid) == CLIO_OK);
  CHECK(clio_read(other, pid, va, got, 8) == CLIO_INVALID);
  clio_close(owner);
  clio_close(other);
  printf("done\n");
  return 0;
}
