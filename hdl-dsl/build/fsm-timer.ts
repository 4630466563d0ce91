/** How long a machine has been in its state. */
import type { Assign, Signal, Stmt } from "../ir/circuit.ts";
import * as make from "../ir/fold.ts";
import { bitsFor } from "../types/bits.ts";
import type { Bit } from "../types/value.ts";
import { underEnable } from "./clock-enable.ts";
import { atTop, claimName, context, report } from "./context.ts";
import { makeSignal } from "./declare.ts";
import { userPosition } from "./position.ts";
import { bitOf } from "./value.ts";

const LONGEST = 2 ** 32;

/** The counter of a machine's times: as wide as the longest of them needs, none where nobody asks. */
export class StateTimer {
  readonly #name: string;
  readonly #asked = new Map<number, Signal>();
  readonly #position = userPosition();
  #count: Signal | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** 1 from the cycle `n` of the stay on. */
  reached(n: number): Bit {
    if (!Number.isInteger(n) || n < 1 || n > LONGEST) {
      report("HDL150", `a stay of ${n} cycles in a state of \`${this.#name}\``, "Give a whole number, 1 to 2^32");
      return bitOf(make.constant(1n, 1));
    }
    if (n === 1) return bitOf(make.constant(1n, 1));
    let wire = this.#asked.get(n);
    if (wire === undefined) {
      wire = makeSignal({
        kind: "wire",
        name: own(`${this.#name}_stayed_${n}`),
        width: 1,
        signed: false,
        position: userPosition(),
      }).signal;
      this.#asked.set(n, wire);
    }
    return bitOf(make.read(wire));
  }

  /** Makes the counter, when a time was asked for. `counts` goes before everything that may start it anew. */
  make(): { readonly counts: readonly Stmt[] } | undefined {
    const most = Math.max(0, ...this.#asked.keys()) - 1;
    if (most < 1) return undefined;
    const c = context(),
      position = this.#position,
      width = bitsFor(most);
    const { signal } = makeSignal({
      kind: "reg",
      name: own(`${this.#name}_cycles`),
      width,
      signed: false,
      domain: c.domain,
      position,
      init: 0n,
    });
    this.#count = underEnable(signal);
    const now = make.read(signal),
      top = make.constant(BigInt(most), width);
    for (const [n, wire] of this.#asked) {
      const value = make.binary(n - 1 === most ? "eq" : "ge", now, make.constant(BigInt(n - 1), width));
      atTop(() => context().block.push(drive(wire, value, wire.position)));
    }
    return {
      counts: [
        {
          kind: "if",
          cond: make.binary("ne", now, top),
          then: [drive(signal, make.binary("add", now, make.constant(1n, width)), position)],
          otherwise: [],
          position,
        },
      ],
    };
  }

  /** The stay begins. */
  restarts(position: Assign["position"]): readonly Assign[] {
    return this.#count === undefined ? [] : [drive(this.#count, make.constant(0n, this.#count.width), position)];
  }
}

const drive = (target: Signal, value: Assign["value"], position: Assign["position"]): Assign => ({
  kind: "assign",
  target,
  lo: 0,
  width: target.width,
  value,
  position,
});

/** A name after the machine's, which has its scope's prefix already. */
function own(name: string): string {
  const { prefix } = context();
  return claimName(
    prefix !== "" && name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : name,
    userPosition(),
  );
}
