// The part of a design's shared object that is the same for every design. Included by the generated shim after `Ports`, `kBlockWords`
// and `kClocks`.
#include <stdarg.h>
#include <stdio.h>

#include <memory>
#include <new>
#include <string>

#include "verilated.h"
#ifdef MNEMO_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

struct Dead {};  // thrown out of eval() once the design ended the simulation

class Model {
 public:
  Model(uint32_t* block, uint32_t seed, const char* wave) : block_(block) {
    enter();
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed & 0x7fffffff));
    guarded([&] {
#ifdef MNEMO_TRACE
      if (wave) context_.traceEverOn(true);
#endif
      top_.reset(new Vdut{&context_, "TOP"});
#ifdef MNEMO_TRACE
      if (wave) {
        trace_.reset(new VerilatedFstC);
        top_->trace(trace_.get(), 99);
        wave_ = wave;
      }
#else
      (void)wave;
#endif
      for (int i = 0; i < kClocks; i++) next_[i] = phase(i) + period(i);
      // Random initialisation also randomises inputs: drive them all before the first evaluation.
      Ports::in(*top_, block_);
      Ports::clocks(*top_, 0);
      top_->eval();
      Ports::out(*top_, block_);
    });
  }

  ~Model() {
    enter();
#ifdef MNEMO_TRACE
    if (trace_ && trace_->isOpen()) {
      dump(now_ + 1);
      trace_->close();
    }
#endif
    top_.reset();
    if (current == this) current = nullptr;
  }

  void settle() {
    if (!top_ || block_[MNEMO_STATUS]) return;
    enter();
    guarded([&] {
      Ports::in(*top_, block_);
      top_->eval();
      Ports::out(*top_, block_);
    });
  }

  void step(uint32_t edges) {
    if (!top_ || block_[MNEMO_STATUS]) return;
    enter();
    guarded([&] {
      while (edges-- > 0) edge();
    });
  }

  bool runUntil(uint32_t word, uint32_t words, const uint32_t* value, uint32_t limit) {
    bool hit = false;
    if (!top_ || block_[MNEMO_STATUS]) return false;
    enter();
    guarded([&] {
      while (!hit && limit-- > 0) {
        edge();
        hit = memcmp(block_ + word, value, words * 4) == 0;
      }
    });
    return hit;
  }

  const char* output() const { return output_.c_str(); }
  void print(const char* text) {
    output_ += text;
    if (output_.size() > 65536) output_.erase(0, output_.size() - 65536);
  }
  [[noreturn]] void stop(uint32_t status) {
    block_[MNEMO_STATUS] = status;
    throw Dead{};
  }

  static thread_local Model* current;

 private:
  // Inputs written since the last edge take effect, outputs are sampled, the clock rises.
  inline void edge() {
    Ports::in(*top_, block_);
#ifdef MNEMO_TRACE
    const bool dumping = trace_ && edges_ >= block_[MNEMO_WAVE_FROM];
    if (dumping) {
      if (!trace_->isOpen()) trace_->open(wave_.c_str());
      top_->eval();
      dump(now_);  // what the last edge and the bench changed, shown at that edge
    }
#endif
    Ports::clocks(*top_, 0);
    top_->eval();
    Ports::out(*top_, block_);
    const uint32_t rising = advance();
#ifdef MNEMO_TRACE
    if (dumping) dump(last_ + (now_ - last_) / 2);
#endif
    context_.time(now_);
    Ports::clocks(*top_, rising);
    block_[MNEMO_ROSE] = rising;
    put(MNEMO_EDGES, static_cast<double>(++edges_));
    put(MNEMO_TIME, static_cast<double>(now_));
    top_->eval();
  }

  // Moves time to the next rising edge. One clock, the normal case, needs no search.
  inline uint32_t advance() {
    last_ = now_;
    if (kClocks == 0) {
      now_ += 1000;
      return 0;
    }
    if (kClocks == 1) {
      now_ = next_[0];
      next_[0] += period(0);
      return 1;
    }
    now_ = next_[0];
    for (int i = 1; i < kClocks; i++) now_ = next_[i] < now_ ? next_[i] : now_;
    uint32_t rising = 0;
    for (int i = 0; i < kClocks; i++) {
      if (next_[i] != now_) continue;
      rising |= 1u << i;
      next_[i] += period(i);
    }
    return rising;
  }

  template <typename F>
  void guarded(F f) {
    try {
      f();
    } catch (const Dead&) {
    } catch (const std::exception& e) {
      print(e.what());
      block_[MNEMO_STATUS] = 4;
    }
#ifdef MNEMO_TRACE
    if (block_[MNEMO_STATUS] && trace_ && trace_->isOpen()) {
      dump(now_);
      trace_->close();
    }
#endif
  }

#ifdef MNEMO_TRACE
  void dump(uint64_t at) {
    if (at < dumped_) return;
    trace_->dump(at);
    dumped_ = at + 1;
  }
#endif

  // Verilator keeps "the current context" per thread, last created wins: name ours at every entry, or our $finish lands on another model.
  void enter() {
    current = this;
    Verilated::threadContextp(&context_);
  }
  void put(int word, double value) { memcpy(block_ + word, &value, sizeof value); }
  uint32_t period(int clock) const { return block_[MNEMO_CLOCKS + 2 * clock]; }
  uint32_t phase(int clock) const { return block_[MNEMO_CLOCKS + 2 * clock + 1]; }

  uint32_t* block_;
  VerilatedContext context_;
  std::unique_ptr<Vdut> top_;
#ifdef MNEMO_TRACE
  std::unique_ptr<VerilatedFstC> trace_;
  std::string wave_;
  uint64_t dumped_ = 0;
#endif
  uint64_t next_[kClocks + 1] = {};
  uint64_t now_ = 0, last_ = 0, edges_ = 0;
  std::string output_;
};

thread_local Model* Model::current = nullptr;

void* create(uint32_t* block, uint32_t seed, const char* wave) { return new Model(block, seed, wave); }
void destroy(void* m) { delete static_cast<Model*>(m); }
void settle(void* m) { static_cast<Model*>(m)->settle(); }
void step(void* m, uint32_t n) { static_cast<Model*>(m)->step(n); }
uint32_t runUntil(void* m, uint32_t word, uint32_t words, const uint32_t* value, uint32_t limit) {
  return static_cast<Model*>(m)->runUntil(word, words, value, limit) ? 1 : 0;
}
const char* output(void* m) { return static_cast<Model*>(m)->output(); }

const MnemoApi api = {MNEMO_ABI, kBlockWords, create, destroy, settle, step, runUntil, output};

}  // namespace

extern "C" __attribute__((visibility("default"))) const MnemoApi* mnemo_api() { return &api; }

extern "C" int mnemo_printf(const char* format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (Model::current) Model::current->print(text);
  else fputs(text, stderr);
  return n;
}

void vl_finish(const char*, int, const char*) {
  if (Model::current) Model::current->stop(1);
}
void vl_stop(const char* file, int line, const char*) {
  mnemo_printf("$stop at %s:%d\n", file, line);
  if (Model::current) Model::current->stop(2);
}
void vl_fatal(const char* file, int line, const char*, const char* message) {
  mnemo_printf("%s:%d: %s\n", file, line, message);
  if (Model::current) Model::current->stop(3);
}
