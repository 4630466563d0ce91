// A plain C++ bench on a design's compiled objects: plays recorded inputs, reads all outputs each cycle, prints seconds and a checksum.
// Arguments: recording, words per cycle, seed.
#include <stdio.h>
#include <stdlib.h>

#include <chrono>
#include <vector>

#include "ports.h"
#include "verilated.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const size_t width = strtoul(argv[2], nullptr, 10);
  FILE* file = fopen(argv[1], "rb");
  if (!file) return 2;
  fseek(file, 0, SEEK_END);
  const size_t words = static_cast<size_t>(ftell(file)) / 4, cycles = width ? words / width : 0;
  rewind(file);
  std::vector<uint32_t> rows(words + MNEMO_HEADER), block(kBlockWords);
  if (fread(rows.data() + MNEMO_HEADER, 4, words, file) != words) return 2;
  fclose(file);

  VerilatedContext context;
  Verilated::threadContextp(&context);
  context.randReset(2);
  context.randSeed(static_cast<int>(strtoul(argv[3], nullptr, 10) & 0x7fffffff));
  Vdut top{&context, "TOP"};
  Ports::in(top, block.data());
  Ports::in(top, block.data());
  Ports::clocks(top, 0);
  top.eval();

  const uint32_t first = MNEMO_HEADER + static_cast<uint32_t>(width);
  uint32_t sum = 0x811c9dc5;
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < cycles; i++) {
    Ports::in(top, rows.data() + i * width);  // a row stands where the header would end
    Ports::clocks(top, 0);
    top.eval();
    Ports::out(top, block.data());
    for (uint32_t w = first; w < kBlockWords; w++) sum = (sum ^ block[w]) * 0x01000193;
    Ports::clocks(top, ~0u);
    top.eval();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  printf("%.9f %u\n", took.count(), sum);
  return 0;
}
