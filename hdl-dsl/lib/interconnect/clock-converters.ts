/** Buses between two clocks: each channel through a FIFO of its own. */
import { flip, type Interface, memberPorts, type Ports, sink, source, type StreamPort } from "../../types/ports.ts";
import type { Shape } from "../../types/shape.ts";
import type { StreamIn, StreamOut } from "../../types/value.ts";
import { clockDomain } from "../../build/clock-domain.ts";
import { instance, module } from "../../build/module.ts";
import { connectAny } from "../../stream/connect.ts";
import { axi4Bus, type Axi4Channels, type Axi4Parameters, axisBeat, liteBus } from "../axi/index.ts";
import { AsyncFifo } from "../queues/index.ts";

type Channels = Readonly<Record<string, StreamPort>>;
type Ends = Readonly<Record<string, unknown>>;

/** The channels of a bus as ports of a clock. */
const clocked = <M extends Ports>(bus: Interface<M>, domain: string): Interface<M> =>
  // Only streams are members of a bus; each is as it was but for its clock.
  ({
    ...bus,
    members: Object.fromEntries(Object.entries(bus.members).map(([n, p]) => [n, { ...p, domain }])),
  }) as Interface<M>;

/** Every channel from the side that offers it to the other one. */
function cross(channels: Channels, io: Ends, depth: number): void {
  const domains = { s: clockDomain("s"), m: clockDomain("m") };
  for (const [name, port] of Object.entries(channels)) {
    const capital = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const [from, to] = port.dir === "out" ? (["s", "m"] as const) : (["m", "s"] as const);
    const queue = instance(name, AsyncFifo({ shape: port.shape, depth, style: "distributed" }), {
      domains: { push: domains[from], pop: domains[to] },
    });
    connectAny(io[`${from}${capital}`] as StreamIn<Shape>, queue.push);
    connectAny(queue.pop, io[`${to}${capital}`] as StreamOut<Shape>);
  }
}

/** Depth of a converter's FIFOs. */
interface Depth {
  /** Beats of each channel's FIFO, a power of two; 16 when left out, which covers the round trip of equal clocks. */
  readonly depth?: number;
}
/** Widths of the bus, and the depth of each channel. */
export interface Axi4ClockConverterParameters extends Axi4Parameters, Depth {}

/**
 * An AXI-Stream from clock `s` to clock `m`, of any two periods and phases. Latency 1 cycle of `s` and 2 to 3 of `m`,
 * initiation interval 1 with a depth of 8 and more for clocks about equal. Full: `from.ready` is 0. Both clocks are
 * reset together.
 */
export const AxisClockConverter = module(
  "AxisClockConverter",
  (p: { readonly bytes: number } & Depth) => ({
    from: sink(axisBeat(p.bytes), { domain: "s" }),
    to: source(axisBeat(p.bytes), { domain: "m" }),
  }),
  (io, p) => {
    const queue = instance(
      "beats",
      AsyncFifo({ shape: axisBeat(p.bytes), depth: p.depth ?? 16, style: "distributed" }),
      {
        domains: { push: clockDomain("s"), pop: clockDomain("m") },
      },
    );
    connectAny(io.from, queue.push);
    connectAny(queue.pop, io.to);
  },
);

/**
 * AXI4-Lite from a master of clock `s` to a slave of clock `m`. Each channel crosses by itself: latency 1 cycle of
 * the clock that offers and 2 to 3 of the other one, initiation interval 1. A full channel's ready is 0; no channel
 * waits for another. Both clocks are reset together.
 */
export const LiteClockConverter = module(
  "LiteClockConverter",
  (p: { readonly addressBits: number } & Depth) => ({
    ...memberPorts("s", flip(clocked(liteBus(p.addressBits), "s"))),
    ...memberPorts("m", clocked(liteBus(p.addressBits), "m")),
  }),
  (io, p) => cross(liteBus(p.addressBits).members, io, p.depth ?? 16),
);

/**
 * AXI4 from a master of clock `s` to a slave of clock `m`. Each channel crosses by itself: latency 1 cycle of the
 * clock that offers and 2 to 3 of the other one, initiation interval 1. A full channel's ready is 0; no channel waits
 * for another, so the order of AXI4 stays as it was. Both clocks are reset together.
 */
export const Axi4ClockConverter = module(
  "Axi4ClockConverter",
  (p: Axi4ClockConverterParameters) => ({
    ...memberPorts("s", flip(clocked(axi4Bus(p), "s"))),
    ...memberPorts("m", clocked(axi4Bus(p), "m")),
  }),
  (io, p) => {
    const channels: Axi4Channels = axi4Bus(p).members;
    cross(channels, io, p.depth ?? 16);
  },
);
