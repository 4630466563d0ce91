// The flat C interface between the generic loader (addon.cc) and a design's shared object (shim.cc, generated).
#pragma once
#include <stdint.h>

#define MNEMO_ABI 1u

// Header of the shared block, in 32-bit words; the ports follow from word 32 on.
enum {
  MNEMO_STATUS = 0,   // 0 alive, 1 $finish, 2 $stop, 3 $fatal, 4 exception
  MNEMO_ROSE = 1,     // which clocks rose at the last edge, a bit each
  MNEMO_EDGES = 2,    // double: edges so far
  MNEMO_TIME = 4,     // double: time of the last edge, ps
  MNEMO_WAVE_FROM = 6,  // edge from which a traced model writes its wave
  MNEMO_CLOCKS = 8,   // per clock: period ps, phase ps
  MNEMO_HEADER = 32
};

struct MnemoApi {
  uint32_t abi;
  uint32_t block_words;
  void* (*create)(uint32_t* block, uint32_t seed, const char* wave);
  void (*destroy)(void* model);
  void (*settle)(void* model);
  void (*step)(void* model, uint32_t edges);
  // Steps until the port's lanes equal `value`; 1 when they did within `limit` edges.
  uint32_t (*run_until)(void* model, uint32_t word, uint32_t words, const uint32_t* value, uint32_t limit);
  const char* (*output)(void* model);
};
