// Loads and stores on a file mapped into the process: a UIO device, /dev/mem, or a plain file. For Node (N-API), Linux.
// Build: c++ -O2 -fPIC -shared -std=c++17 -I<node-api-headers>/include mapped_file.cc -o mapped_file.node
#include <errno.h>
#include <fcntl.h>
#include <node_api.h>
#include <stdint.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

struct Map {
  volatile uint8_t* base;
  size_t length;
};

napi_value fail(napi_env env, const std::string& what) {
  napi_throw_error(env, nullptr, (what + ": " + strerror(errno)).c_str());
  return nullptr;
}

// The map and the place of an access; null after an error has been thrown.
volatile uint8_t* place(napi_env env, napi_callback_info info, size_t wanted, size_t width, napi_value* argv) {
  size_t argc = wanted;
  void* data = nullptr;
  napi_get_cb_info(env, info, &argc, argv, nullptr, &data);
  const Map* m = static_cast<const Map*>(data);
  double offset = -1;
  if (argc < wanted || napi_get_value_double(env, argv[0], &offset) != napi_ok || offset < 0 || offset + width > m->length ||
      static_cast<uint64_t>(offset) % width != 0) {
    napi_throw_range_error(env, nullptr, "an access must lie within the map, at a multiple of its width");
    return nullptr;
  }
  return m->base + static_cast<uint64_t>(offset);
}

// Each is one access of its width: what a device sees.
napi_value load32(napi_env env, napi_callback_info info) {
  napi_value argv[1], out = nullptr;
  volatile uint8_t* at = place(env, info, 1, 4, argv);
  if (at) napi_create_uint32(env, *reinterpret_cast<volatile uint32_t*>(at), &out);
  return out;
}
napi_value store32(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  volatile uint8_t* at = place(env, info, 2, 4, argv);
  uint32_t v = 0;
  if (!at) return nullptr;
  napi_get_value_uint32(env, argv[1], &v);
  *reinterpret_cast<volatile uint32_t*>(at) = v;
  return nullptr;
}
napi_value load64(napi_env env, napi_callback_info info) {
  napi_value argv[1], out = nullptr;
  volatile uint8_t* at = place(env, info, 1, 8, argv);
  if (at) napi_create_bigint_uint64(env, *reinterpret_cast<volatile uint64_t*>(at), &out);
  return out;
}
napi_value store64(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  volatile uint8_t* at = place(env, info, 2, 8, argv);
  uint64_t v = 0;
  bool lossless = true;
  if (!at) return nullptr;
  if (napi_get_value_bigint_uint64(env, argv[1], &v, &lossless) != napi_ok) {
    napi_throw_type_error(env, nullptr, "a store of 64 bits takes a bigint");
    return nullptr;
  }
  *reinterpret_cast<volatile uint64_t*>(at) = v;
  return nullptr;
}

// bytes(): the mapped memory itself, for bulk; not for registers, whose accesses have a width.
napi_value bytes(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  napi_value self, out = nullptr, key;
  size_t argc = 0;
  napi_get_cb_info(env, info, &argc, nullptr, &self, &data);
  Map* m = static_cast<Map*>(data);
  if (napi_create_external_arraybuffer(env, const_cast<uint8_t*>(m->base), m->length, nullptr, nullptr, &out) != napi_ok) return nullptr;
  napi_create_string_utf8(env, "map", NAPI_AUTO_LENGTH, &key);
  napi_set_property(env, out, key, self);
  return out;
}

void unmap(napi_env, void* data, void*) {
  Map* m = static_cast<Map*>(data);
  munmap(const_cast<uint8_t*>(m->base), m->length);
  delete m;
}

// map(path, offset, length): the object with the four accesses. It stays mapped until it is collected.
napi_value map(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  size_t argc = 3;
  napi_get_cb_info(env, info, &argc, argv, nullptr, nullptr);
  char path[4096];
  size_t n = 0;
  double offset = -1, length = -1;
  if (argc < 3 || napi_get_value_string_utf8(env, argv[0], path, sizeof path, &n) != napi_ok || napi_get_value_double(env, argv[1], &offset) != napi_ok ||
      napi_get_value_double(env, argv[2], &length) != napi_ok || offset < 0 || length <= 0) {
    napi_throw_type_error(env, nullptr, "map takes a path, an offset and a length in bytes");
    return nullptr;
  }
  int fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
  if (fd < 0) return fail(env, std::string("cannot open ") + path);
  void* base = mmap(nullptr, static_cast<size_t>(length), PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  int why = errno;
  close(fd);
  errno = why;
  if (base == MAP_FAILED) return fail(env, std::string("cannot map ") + path);
  Map* m = new Map{static_cast<volatile uint8_t*>(base), static_cast<size_t>(length)};
  napi_value object;
  napi_create_object(env, &object);
  const struct { const char* name; napi_callback f; } all[] = {{"load32", load32}, {"store32", store32}, {"load64", load64}, {"store64", store64}, {"bytes", bytes}};
  for (const auto& a : all) {
    napi_value fn;
    napi_create_function(env, a.name, NAPI_AUTO_LENGTH, a.f, m, &fn);
    // Each function keeps the object, so the map outlives whoever holds just one of them.
    napi_value key;
    napi_create_string_utf8(env, "map", NAPI_AUTO_LENGTH, &key);
    napi_set_property(env, fn, key, object);
    napi_set_named_property(env, object, a.name, fn);
  }
  napi_wrap(env, object, m, unmap, nullptr, nullptr);
  return object;
}

}  // namespace

NAPI_MODULE_INIT() {
  napi_value fn;
  napi_create_function(env, "map", NAPI_AUTO_LENGTH, map, nullptr, &fn);
  napi_set_named_property(env, exports, "map", fn);
  return exports;
}
