// The one native loader: opens a design's shared object, and gives each model as an object of bound functions plus an ArrayBuffer over
// the block of ports. C interface of Node only, so one build serves every Node version.
#include <dlfcn.h>
#include <malloc.h>  // mallopt; glibc and musl both have the header
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

namespace {

// Shared by the model's functions and the ArrayBuffer; the memory goes when the last of them does.
struct Instance {
  const MnemoApi* api;
  void* model;
  uint32_t* block;
  napi_ref buffer;  // weak
  int users;
};

void release(Instance* i) {
  if (--i->users > 0) return;
  free(i->block);
  delete i;
}

void destroyModel(Instance* i) {
  if (i->model) i->api->destroy(i->model);
  i->model = nullptr;
}

napi_value raise(napi_env env, const char* text) {
  napi_throw_error(env, nullptr, text);
  return nullptr;
}

void finalizeBuffer(napi_env, void*, void* hint) { release(static_cast<Instance*>(hint)); }
void finalizeModel(napi_env env, void* data, void*) {
  Instance* i = static_cast<Instance*>(data);
  destroyModel(i);
  if (i->buffer) napi_delete_reference(env, i->buffer);
  i->buffer = nullptr;
  release(i);
}

Instance* bound(napi_env env, napi_callback_info info, size_t* argc, napi_value* argv) {
  void* data = nullptr;
  napi_get_cb_info(env, info, argc, argv, nullptr, &data);
  return static_cast<Instance*>(data);
}

napi_value step(napi_env env, napi_callback_info info) {
  size_t argc = 1;
  napi_value argv[1];
  Instance* i = bound(env, info, &argc, argv);
  uint32_t n = 1;
  if (argc > 0) napi_get_value_uint32(env, argv[0], &n);
  if (i->model) i->api->step(i->model, n);
  return nullptr;
}

napi_value settle(napi_env env, napi_callback_info info) {
  size_t argc = 0;
  Instance* i = bound(env, info, &argc, nullptr);
  if (i->model) i->api->settle(i->model);
  return nullptr;
}

// runUntil(word, Uint32Array value, limit) -> boolean
napi_value runUntil(napi_env env, napi_callback_info info) {
  size_t argc = 3;
  napi_value argv[3];
  Instance* i = bound(env, info, &argc, argv);
  uint32_t word = 0, limit = 0, hit = 0;
  void* value = nullptr;
  size_t words = 0;
  napi_get_value_uint32(env, argv[0], &word);
  napi_get_typedarray_info(env, argv[1], nullptr, &words, &value, nullptr, nullptr);
  napi_get_value_uint32(env, argv[2], &limit);
  if (i->model) hit = i->api->run_until(i->model, word, static_cast<uint32_t>(words), static_cast<uint32_t*>(value), limit);
  napi_value out;
  napi_get_boolean(env, hit != 0, &out);
  return out;
}

napi_value output(napi_env env, napi_callback_info info) {
  size_t argc = 0;
  Instance* i = bound(env, info, &argc, nullptr);
  const char* text = i->model ? i->api->output(i->model) : "";
  napi_value out;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &out);
  return out;
}

// Destroys the model and detaches every view of its ports.
napi_value freeModel(napi_env env, napi_callback_info info) {
  size_t argc = 0;
  Instance* i = bound(env, info, &argc, nullptr);
  destroyModel(i);
  if (i->buffer) {
    napi_value buffer = nullptr;
    napi_get_reference_value(env, i->buffer, &buffer);
    if (buffer && napi_detach_arraybuffer(env, buffer) == napi_ok) {
      // Nothing can reach the block any more, so it need not wait for the collector.
      free(i->block);
      i->block = nullptr;
    }
    napi_delete_reference(env, i->buffer);
    i->buffer = nullptr;
  }
  return nullptr;
}

void define(napi_env env, napi_value object, const char* name, napi_callback f, void* data) {
  napi_value fn;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, f, data, &fn);
  napi_set_named_property(env, object, name, fn);
}

bool string(napi_env env, napi_value v, char* out, size_t size) {
  size_t n = 0;
  return napi_get_value_string_utf8(env, v, out, size, &n) == napi_ok && n < size - 1;
}

// create(path, seed, wave or "", Uint32Array header) -> { buffer, step, settle, runUntil, output, free, handle }
napi_value create(napi_env env, napi_callback_info info) {
  size_t argc = 4;
  napi_value argv[4];
  napi_get_cb_info(env, info, &argc, argv, nullptr, nullptr);
  char path[4096], wave[4096];
  uint32_t seed = 0;
  void* header = nullptr;
  size_t headerWords = 0;
  if (argc != 4 || !string(env, argv[0], path, sizeof path) || !string(env, argv[2], wave, sizeof wave)) {
    return raise(env, "create: path and wave must be strings of fewer than 4095 bytes");
  }
  napi_get_value_uint32(env, argv[1], &seed);
  napi_get_typedarray_info(env, argv[3], nullptr, &headerWords, &header, nullptr, nullptr);
  // Never closed: a second model of the design finds it loaded, and nothing that a view or a thread may still use is unmapped.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return raise(env, dlerror());
  auto entry = reinterpret_cast<const MnemoApi* (*)()>(dlsym(library, "mnemo_api"));
  if (!entry || entry()->abi != MNEMO_ABI) return raise(env, "the model was built for another version of the loader");
  const MnemoApi* api = entry();
  uint32_t* block = static_cast<uint32_t*>(calloc(api->block_words, 4));
  memcpy(block, header, headerWords * 4 < MNEMO_HEADER * 4 ? headerWords * 4 : MNEMO_HEADER * 4);
  Instance* i = new Instance{api, api->create(block, seed, wave[0] ? wave : nullptr), block, nullptr, 1};
  napi_value object, handle, buffer;
  napi_create_object(env, &object);
  napi_create_external(env, i, finalizeModel, nullptr, &handle);
  i->users++;
  if (napi_create_external_arraybuffer(env, block, api->block_words * 4ull, finalizeBuffer, i, &buffer) != napi_ok) {
    i->users--;
    return raise(env, "this Node does not allow memory outside its heap");
  }
  napi_create_reference(env, buffer, 0, &i->buffer);
  napi_set_named_property(env, object, "handle", handle);
  napi_set_named_property(env, object, "buffer", buffer);
  define(env, object, "step", step, i);
  define(env, object, "settle", settle, i);
  define(env, object, "runUntil", runUntil, i);
  define(env, object, "output", output, i);
  define(env, object, "free", freeModel, i);
  return object;
}

}  // namespace

NAPI_MODULE_INIT() {
#ifdef __GLIBC__
  // Large models go back to the system when freed. By default the allocator would soon take them from its heap, where whatever small thing
  // lands in the hole of one keeps the next from fitting: a process that makes many models grows until the next garbage collection.
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
  define(env, exports, "create", create, nullptr);
  return exports;
}
