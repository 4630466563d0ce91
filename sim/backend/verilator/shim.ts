import type { EmittedPort } from "../../../hdl-dsl/index.ts";
import type { PortSlot } from "../backend.ts";
import type { BlockLayout } from "../layout.ts";
import { cxxName } from "./cxx-name.ts";

/**
 * C++ that moves one input from the block into the model, masked: an unmasked write to a narrow port
 * misbehaves in Verilator.
 */
function copyIn(slot: PortSlot): string {
  const { width, name } = slot.port;
  const at = `in[${slot.word}]`,
    to = `top.${cxxName(name)}`;
  if (width <= 32) {
    const type = width <= 8 ? "CData" : width <= 16 ? "SData" : "IData";
    return `${to} = static_cast<${type}>(${at}${width === 32 ? "" : ` & ${mask(width)}u`});`;
  }
  if (width <= 64) {
    const high = `in[${slot.word + 1}]${width === 64 ? "" : ` & ${mask(width - 32)}u`}`;
    return `${to} = static_cast<QData>(${at}) | (static_cast<QData>(${high}) << 32);`;
  }
  const last = slot.words - 1,
    rest = width - 32 * last;
  const tail = rest === 32 ? "" : ` ${to}[${last}] &= ${mask(rest)}u;`;
  return `memcpy(&${to}[0], &${at}, ${slot.words * 4});${tail}`;
}

function copyOut(slot: PortSlot): string {
  const { width, name } = slot.port;
  const to = `out[${slot.word}]`,
    from = `top.${cxxName(name)}`;
  if (width <= 32) return `${to} = ${from};`;
  if (width <= 64)
    return `${to} = static_cast<uint32_t>(${from}); out[${slot.word + 1}] = static_cast<uint32_t>(${from} >> 32);`;
  return `memcpy(&${to}, &${from}[0], ${slot.words * 4});`;
}

const mask = (width: number): number => 2 ** width - 1;

function lines(slots: readonly PortSlot[], f: (s: PortSlot) => string): string {
  return slots.map(s => `    ${f(s)}`).join("\n");
}

/**
 * C++ that depends on the ports: how they move between the shared block and the Verilated class, which
 * clocks there are.
 */
export function portsHeader(layout: BlockLayout): string {
  const slots = [...layout.slots.values()];
  const clock = (p: EmittedPort): string => `top.${cxxName(p.name)}`;
  return `#pragma once
#include "abi.h"
#include "Vdut.h"
#include <string.h>

namespace {
constexpr uint32_t kBlockWords = ${layout.words};
constexpr int kClocks = ${layout.clocks.length};

struct Ports {
  static inline void in(Vdut& top, const uint32_t* in) {
    (void)top; (void)in;
${lines(
  slots.filter(s => s.port.dir === "in"),
  copyIn,
)}
  }
  static inline void out(Vdut& top, uint32_t* out) {
    (void)top; (void)out;
${lines(
  slots.filter(s => s.port.dir === "out"),
  copyOut,
)}
  }
  static inline void clocks(Vdut& top, uint32_t levels) {
    (void)top; (void)levels;
${layout.clocks.map((p, i) => `    ${clock(p)} = (levels >> ${i}) & 1;`).join("\n")}
  }
};
}  // namespace
`;
}

/** The C++ between a Verilated model and `native/abi.h`: the ports, then what is the same for every design. */
export const SHIM = '#include "ports.h"\n#include "shim-body.h"\n';
