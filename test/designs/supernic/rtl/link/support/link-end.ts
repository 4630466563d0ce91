/** One port's link: receiver and sender as the device joins them; and two of them, for both ends of a line. */
import {
  bit,
  connect,
  input,
  instance,
  type InstanceOf,
  module,
  output,
  sink,
  source,
  uint,
} from "../../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../../../designs/shared/frame/index.ts";
import { LinkSeen, PfcSeen, queueClasses, TxBeat } from "../../../../../../designs/supernic/rtl/inside/index.ts";
import {
  LinkPort,
  LinkReceive,
  LinkRefused,
  TxEvents,
  TxPort,
  type TxPortParameters,
} from "../../../../../../designs/supernic/rtl/link/index.ts";

export interface EndParameters extends TxPortParameters {
  readonly ackEvery: number;
  readonly ackCycles: number;
}
export const parameterSets = {
  /** Those of the device. */
  full: {
    beats: 1024,
    frames: 1024,
    frameBytes: 1600,
    resendCycles: 5000,
    tries: 8,
    rounds: 512,
    pauseQuanta: 8192,
    ackEvery: 16,
    ackCycles: 500,
  },
  jumbo: {
    beats: 2048,
    frames: 1024,
    frameBytes: 9082,
    resendCycles: 5000,
    tries: 8,
    rounds: 512,
    pauseQuanta: 8192,
    ackEvery: 16,
    ackCycles: 500,
  },
  /** A short ring and short times: all that is rare comes often. */
  small: {
    beats: 16,
    frames: 8,
    frameBytes: 192,
    resendCycles: 200,
    tries: 3,
    rounds: 12,
    pauseQuanta: 1000,
    ackEvery: 3,
    ackCycles: 40,
    /** The numbers wrap soon. */
    first: 65_500,
  },
} as const satisfies Readonly<Record<string, EndParameters>>;
export type ParameterSet = keyof typeof parameterSets;

const endPorts = {
  config: input(LinkPort),
  restart: input(bit),
  lane0: sink(TxBeat),
  lane1: sink(TxBeat),
  room: output(bit),
  seen: input(LinkSeen),
  accept: output(bit),
  full: input(uint(queueClasses)),
  pfc: input(PfcSeen),
  paused: output(uint(8)),
  tx: source(AxisBeat(64)),
  down: output(bit),
  events: output(TxEvents),
  refused: output(LinkRefused),
};
export const LinkEnd = module(
  "LinkEnd",
  (_p: EndParameters) => endPorts,
  (io, p) => {
    const given = p.first === undefined ? {} : { first: p.first };
    const receive = instance("receive", LinkReceive({ ackEvery: p.ackEvery, ackCycles: p.ackCycles, ...given })),
      { beats, frames, frameBytes, resendCycles, tries, rounds, pauseQuanta } = p,
      port = instance(
        "port",
        TxPort({ beats, frames, frameBytes, resendCycles, tries, rounds, pauseQuanta, ...given }),
      );
    port.config.set(io.config);
    for (const one of [port, receive]) one.restart.set(io.restart);
    connect(io.lane0, port.lane0);
    connect(io.lane1, port.lane1);
    connect(port.tx, io.tx);
    receive.reliable.set(io.config.reliable);
    receive.down.set(port.down);
    receive.seen.set(io.seen);
    receive.told.set(port.told);
    port.answer.set(receive.answer);
    port.acked.set(receive.acked);
    port.full.set(io.full);
    port.pfc.set(io.pfc);
    io.accept.set(receive.accept);
    io.refused.set(receive.refused);
    for (const name of ["room", "paused", "down"] as const) io[name].set(port[name] as never);
    io.events.set(port.events);
  },
);

type Named<P extends string> = {
  readonly [K in keyof typeof endPorts as `${P}${Capitalize<K>}`]: (typeof endPorts)[K];
};
const named = <P extends string>(prefix: P): Named<P> =>
  Object.fromEntries(
    Object.entries(endPorts).map(([name, port]) => [`${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`, port]),
  ) as unknown as Named<P>;

type EndInstance = InstanceOf<typeof LinkEnd>;
/** Both ends of a line. */
export const LinkPair = module(
  "LinkPair",
  (_p: EndParameters) => ({ ...named("a"), ...named("b") }),
  (io, p) => {
    const join = (end: EndInstance, at: Record<keyof typeof endPorts, never>): void => {
      connect(at.lane0, end.lane0 as never);
      connect(at.lane1, end.lane1 as never);
      connect(end.tx, at.tx);
      for (const name of ["config", "restart", "seen", "full", "pfc"] as const)
        (end[name] as { set(v: unknown): void }).set(at[name]);
      for (const name of ["room", "accept", "paused", "down", "events", "refused"] as const)
        (at[name] as { set(v: unknown): void }).set(end[name]);
    };
    for (const side of ["a", "b"] as const) join(instance(side, LinkEnd(p)), sideOf(io, side));
  },
);
/** The ports of one side, under an end's names. */
export function sideOf<T>(io: object, side: "a" | "b"): T {
  return Object.fromEntries(
    Object.keys(endPorts).map(name => [
      name,
      (io as Record<string, unknown>)[`${side}${name.charAt(0).toUpperCase()}${name.slice(1)}`],
    ]),
  ) as T;
}
