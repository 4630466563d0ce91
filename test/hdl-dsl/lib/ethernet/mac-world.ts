/** What stands around a MAC in its benches: frames of the user, and the line of each kind. */
import { type Random, RgmiiMac, type Shape, XgmiiMac } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Dut, type Pause, poke, type StreamIo, StreamSource } from "../../../../sim/index.ts";
import {
  type Character,
  type Damage,
  fromGmii,
  fromXgmii,
  type GmiiByte,
  sealed,
  spoil,
  toGmii,
  toXgmii,
  wordOf,
} from "./lines.ts";

export type Io = Readonly<Record<string, unknown>>;
export type Signals = Readonly<Record<string, { value: number; bigint?: bigint }>>;
export interface Kind {
  readonly name: string;
  readonly bytes: number;
  readonly dut: Dut;
  readonly longest: number;
}
export const LONGEST = 300,
  DEPTH = { 1: 512, 8: 64 } as const;
export const rgmii: Kind = {
    name: "RgmiiMac",
    bytes: 1,
    dut: RgmiiMac({ longest: LONGEST, depth: DEPTH[1] }),
    longest: LONGEST,
  },
  xgmii: Kind = {
    name: "XgmiiMac",
    bytes: 8,
    dut: XgmiiMac({ longest: LONGEST, depth: DEPTH[8] }),
    longest: LONGEST,
  };

/** Clocks of the user and of the two sides of the line. */
export const clocksOf = (user: number, tx: number, rx: number) => ({
  user: { periodNs: user },
  tx: { periodNs: tx },
  rx: { periodNs: rx },
});
export const frameOf = (r: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => r.below(256));

/** Sends frames as the user has them. */
export function sends(b: Bench, k: Kind, pause: Pause) {
  const into = new StreamSource(b.sim, (b.io as Io)["send"] as StreamIo<Shape, "in">, { pause, domain: "user" });
  return (frame: Uint8Array): void => {
    for (let at = 0; at < frame.length; at += k.bytes) {
      const part = frame.slice(at, at + k.bytes),
        value = part.reduceRight((v, x) => v * 256n + BigInt(x), 0n);
      into.send({
        data: k.bytes === 1 ? Number(value) : value,
        keep: 2 ** part.length - 1,
        last: at + k.bytes >= frame.length ? 1 : 0,
      });
    }
  };
}
/** What the line has had so far, and its frames. */
export function watchLine(b: Bench, k: Kind) {
  const line = (b.io as Io)["txLine"] as Signals,
    seen: (Character | GmiiByte)[] = [];
  b.sim.onEdge(
    {
      sample: () => {
        if (k.bytes === 1) {
          const { rise, fall, controlRise, controlFall } = line as Readonly<Record<string, { value: number }>>;
          seen.push({
            en: controlRise!.value,
            er: controlRise!.value ^ controlFall!.value,
            data: rise!.value + 16 * fall!.value,
          });
          return;
        }
        const word = BigInt(line["data"]!.value),
          control = line["control"]!.value;
        for (let i = 0; i < 8; i++)
          seen.push({ value: Number((word >> BigInt(8 * i)) & 255n), control: ((control >> i) & 1) === 1 });
      },
      drive: () => undefined,
    },
    "tx",
  );
  return { frames: () => (k.bytes === 1 ? fromGmii(seen as GmiiByte[]) : fromXgmii(seen as Character[])) };
}
export interface Coming {
  readonly frame: Uint8Array;
  readonly damage: Damage;
  readonly gap: number;
  readonly preamble: number;
}
/** Puts frames on the line, one after the other; says when all have gone. */
export function playLine(b: Bench, k: Kind, frames: readonly Coming[]): () => boolean {
  const r = b.random,
    list = frames.map(f => ({ ...f, bytes: spoil(sealed(f.frame), f.damage, r) }));
  const line = (b.io as Io)["rxLine"] as never,
    values: unknown[] = [];
  if (k.bytes === 1)
    for (const { en, er, data } of toGmii(list, r))
      values.push({ rise: data & 15, fall: data >> 4, controlRise: en, controlFall: en ^ er });
  else {
    const all = toXgmii(list, r);
    for (let i = 0; i < all.length; i += 8) values.push(wordOf(all.slice(i, i + 8)));
  }
  const idle =
    k.bytes === 1
      ? { rise: 0, fall: 0, controlRise: 0, controlFall: 0 }
      : wordOf(Array.from({ length: 8 }, () => ({ value: 7, control: true })));
  let at = 0;
  const next = () => poke(line, (values[at++] ?? idle) as never);
  next();
  b.sim.onEdge({ sample: () => undefined, drive: next }, "rx");
  return () => at > values.length + 20;
}
/** What must become of a frame. */
export const fateOf = (k: Kind, f: Coming): string => {
  const length = f.frame.length + 4;
  if (f.damage === "code" || f.damage === "start" || f.damage === "cut") return "code";
  return length < 64 ? "short" : length > k.longest ? "long" : f.damage === "check" ? "check" : "good";
};
export const countsOf = (b: Bench): Record<string, number> =>
  Object.fromEntries(Object.entries((b.io as Io)["counts"] as Signals).map(([n, s]) => [n, s.value]));
export const none = { good: 0, code: 0, short: 0, long: 0, check: 0, overflow: 0, unsent: 0, pauses: 0 };
