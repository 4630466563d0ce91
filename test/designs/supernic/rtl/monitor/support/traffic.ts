/** Random packets of users: they are offered, taken, admitted, decided on and released, as in the device. */
import type { FairEvents } from "../../../../../../designs/supernic/model/index.ts";
import { resourcesOf, typesOf } from "../../../../../../designs/supernic/rtl/monitor/index.ts";
import type { B, FairRig } from "./fair-rig.ts";

interface Packet {
  readonly ctx: number;
  readonly user: number;
  readonly headBytes: number;
  readonly payloadBytes: number;
}
/** How much of what happens, from 0 to 1. */
export interface Mix {
  readonly offers: number;
  readonly takes: number;
  readonly admits: number;
  readonly leaves: number;
  readonly pauses: number;
}
export const mixes: readonly Mix[] = [
  { offers: 0.02, takes: 0.5, admits: 0.3, leaves: 0.3, pauses: 0.01 },
  { offers: 0.003, takes: 1, admits: 0.05, leaves: 0.03, pauses: 0 },
  { offers: 0.003, takes: 1, admits: 0.1, leaves: 0.1, pauses: 0 },
  { offers: 1, takes: 1, admits: 1, leaves: 1, pauses: 0.1 },
];

export class Traffic {
  readonly #b: B;
  readonly #rig: FairRig;
  mix: Mix = mixes[0] as Mix;
  /** Users that are there. */
  users: number[];
  #waiting: { readonly user: number; readonly bytes: number }[] = [];
  #inside: Packet[] = [];
  #decided: Packet[] = [];
  #free: number[];

  constructor(b: B, rig: FairRig) {
    this.#b = b;
    this.#rig = rig;
    this.users = Array.from({ length: rig.p.users }, (_, u) => u);
    this.#free = Array.from({ length: rig.p.contexts }, (_, c) => c);
  }
  #is(chance: number): boolean {
    return this.#b.random.between(0, 9_999) < chance * 10_000;
  }
  #user(): number {
    return this.users[this.#b.random.between(0, this.users.length - 1)] ?? 0;
  }
  forget(): void {
    this.#waiting = [];
    for (const p of [...this.#inside, ...this.#decided]) this.#free.push(p.ctx);
    this.#inside = [];
    this.#decided = [];
  }
  events(part: boolean): FairEvents {
    const { mix } = this,
      { random } = this.#b,
      { ports, frameBytes } = this.#rig.p;
    const offered = Array.from({ length: ports + 1 }, () => {
      if (this.users.length === 0 || !this.#is(mix.offers)) return undefined;
      const o = { user: this.#user(), bytes: random.between(60, frameBytes), kept: this.#is(0.9) };
      return o;
    });
    const taken = this.#waiting.length > 0 && this.#is(mix.takes) ? this.#waiting.shift() : undefined;
    for (const o of offered) if (o?.kept) this.#waiting.push({ user: o.user, bytes: o.bytes });
    const released = this.#is(mix.leaves) ? this.#decided.shift() : undefined,
      decided = this.#is(mix.leaves) ? this.#inside.shift() : undefined;
    if (decided) this.#decided.push(decided);
    const ctx = this.users.length > 0 && this.#is(mix.admits) ? this.#free.shift() : undefined;
    const admitted = ctx === undefined ? undefined : this.#packet(ctx);
    if (admitted) this.#inside.push(admitted);
    if (released) this.#free.push(released.ctx);
    return {
      part,
      offered,
      ...(taken && { taken }),
      ...(admitted && { admitted: { ...admitted, dag: random.between(0, 15) } }),
      ...(decided && { decided: { ctx: decided.ctx, port: this.#is(0.1) ? undefined : random.between(0, ports) } }),
      ...(released && { released: { user: released.user, cells: Math.ceil(released.payloadBytes / 256) } }),
      paused: Array.from({ length: ports }, () => (this.#is(mix.pauses) ? random.between(0, 15) : 0)),
      dry: this.#is(mix.pauses) ? random.between(0, 2 ** this.#rig.p.users - 1) : 0,
    };
  }
  #packet(ctx: number): Packet {
    const { random } = this.#b,
      payloadBytes = this.#is(0.4) ? 0 : random.between(1, this.#rig.p.frameBytes - 64);
    return { ctx, user: this.#user(), headBytes: payloadBytes > 0 ? 64 : random.between(14, 64), payloadBytes };
  }
}

/** Software says what DAGs use, capacities, weights and first vectors. */
export async function sayAll(b: B, rig: FairRig): Promise<void> {
  const { random } = b,
    types = typesOf(rig.p);
  for (let dag = 0; dag < 16; dag++)
    await rig.write(
      "dagUse",
      dag,
      Object.fromEntries(Array.from({ length: types }, (_, t) => [`uses${t}`, Math.max(0, random.between(-3, 3))])),
    );
  for (let j = 0; j < resourcesOf(rig.p); j++)
    await rig.write("capacity", j, {
      units: random.between(0, 9) === 0 ? 0 : random.between(2 ** 20, 2 ** 24 - 1),
      packets: random.between(0, 1),
    });
  rig.said.portBytes = random.between(10_000, 250_000);
  for (let u = 0; u < rig.p.users; u++) {
    await rig.write("weight", u, { weight: random.between(0, 15) });
    const user = {
      limited: random.between(0, 1),
      bytes: 4_000,
      class: random.between(0, 3),
      contexts: 7 + u,
      cells: 9 + u,
    };
    await rig.write("user", u, user);
    for (let j = 0; j < resourcesOf(rig.p); j++) {
      await rig.write("firstUse", 64 * u + j, { use: random.between(0, 20_000) });
      for (let i = 0; i < 5; i++) await rig.cycle();
    }
  }
}
