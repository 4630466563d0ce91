/* Memory, words and keys of a node at argv[1], port argv[2], each looked at. */
#include <mnemosyne_clio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clio_client *client;

static void must(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, clio_error(client));
  exit(1);
}

int main(int argc, char **argv) {
  uint16_t pid;
  uint64_t va, old;
  uint32_t i;
  unsigned char data[3000], back[3000];
  size_t size = sizeof back;
  must(argc == 3, "address and port");
  must(clio_open(&client, argv[1], (uint16_t)atoi(argv[2]), NULL) == CLIO_OK, "open");
  must(clio_create_process(client, "words", &pid) == CLIO_OK, "process");
  must(clio_alloc(client, pid, 8u << 20, CLIO_VM_WRITE, &va) == CLIO_OK, "alloc");
  for (i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 11u);
  must(clio_write(client, pid, va + 8, data, sizeof data) == CLIO_OK, "write");
  must(clio_read(client, pid, va + 8, back, sizeof back) == CLIO_OK, "read");
  must(memcmp(data, back, sizeof data) == 0, "the data");
  for (i = 0; i < 5; i++) {
    must(clio_fetch_and_add(client, pid, va, 3, &old) == CLIO_OK, "add");
    must(old == 3u * i, "the sum");
  }
  must(clio_kv_create(client, pid, 6, "six", 3) == CLIO_OK, "create");
  must(clio_kv_update(client, pid, 6, "sixth", 5) == CLIO_OK, "update");
  must(clio_kv_read(client, pid, 6, back, &size) == CLIO_OK, "read of a key");
  must(size == 5 && memcmp(back, "sixth", 5) == 0, "the value");
  must(clio_kv_delete(client, pid, 6) == CLIO_OK, "delete");
  must(clio_free_process(client, pid) == CLIO_OK, "free");
  clio_close(client);
  puts("done");
  return 0;
}
