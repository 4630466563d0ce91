/** The rings with all that is around them, the tasks' memory, and the bus on which both have one board's memory. */
import {
  type AnyPort,
  axi4Master,
  bit,
  connectAny,
  type Inside,
  instance,
  module,
  output,
  type Ports,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
} from "../../../../../../hdl-dsl/index.ts";
import { BoardBus, boardBusOf } from "../../../../../../designs/supernic/rtl/index.ts";
import {
  busOf,
  Memory,
  memoryBytesOf,
  type MemoryParameters,
} from "../../../../../../designs/supernic/rtl/memory/index.ts";
import { firstRingByte } from "../../../../../../designs/supernic/rtl/spill/index.ts";
import { sizes as memorySizes } from "../../memory/support/memory-rig.ts";
import { SpillPath } from "../../spill/support/spill-path.ts";
import { sizes as ringSizes } from "../../spill/support/spill-rig.ts";

export const rings = ringSizes.board,
  /** Pages in front of the rings are the tasks'. */
  tasks: MemoryParameters = { ...memorySizes, frames: firstRingByte(rings) / 2 ** memorySizes.pageShift };
if (memoryBytesOf(tasks) !== firstRingByte(rings)) throw new Error("the tasks' pages end where the rings begin");
export const busParameters = {
  beatBytes: 64,
  addressBits: Math.log2(rings.memoryBytes),
  tasksId: tasks.ways,
  tasksBits: busOf(tasks).addressBits,
  firstRing: firstRingByte(rings),
};
const idBits = boardBusOf(busParameters).idBits;
export const sides = ["tasks", "rings"] as const;
export type Side = (typeof sides)[number];
/** What a channel of a master shows: a burst's address and its beats less one, or an answer's end. */
export const SeenChannel = struct({
  valid: bit,
  ready: bit,
  id: uint(idBits),
  addr: uint(busParameters.addressBits),
  len: uint(8),
  last: bit,
});
export const channels = ["Ar", "R", "Aw", "W", "B"] as const;
const seenName = (side: Side, channel: (typeof channels)[number]) => `${side}Seen${channel}` as const;
/** Of the rings' side, what the memory has names of its own for. */
export const renames: Readonly<Record<string, string>> = { epoch: "part", seen: "seenHeads" };
const renamed = (name: string): string => renames[name] ?? name;
const isBus = (name: string): boolean => /^m(?:Ar|R|Aw|W|B)$/.test(name);

const path = SpillPath(rings),
  memory = Memory(tasks);
const without = (ports: Ports): [string, AnyPort][] =>
  Object.entries(ports).filter((entry): entry is [string, AnyPort] => !isBus(entry[0]));
const ports = {
  ...Object.fromEntries(without(path.ports).map(([name, port]) => [renamed(name), port])),
  ...Object.fromEntries(without(memory.ports)),
  ...Object.fromEntries(sides.flatMap(s => channels.map(c => [seenName(s, c), output(SeenChannel)]))),
  ...axi4Master("m", boardBusOf(busParameters)),
};
type Ends = Readonly<Record<string, unknown>>;
interface Channel {
  readonly valid: never;
  readonly ready: never;
  readonly payload: Readonly<Record<string, never>>;
}

export const BoardPath = module(
  "BoardPath",
  (_p: Readonly<Record<string, never>>) => ports,
  (inside: Inside<typeof ports>) => {
    // All names are made above: the compiler knows none of them.
    const io = inside as unknown as Ends,
      spill = instance("spill", path) as unknown as Ends,
      spaces = instance("memory", memory) as unknown as Ends,
      bus = instance("bus", BoardBus(busParameters)) as unknown as Ends;
    const join = (port: AnyPort, out: unknown, inner: unknown): void => {
      if (port.port === "stream")
        if (port.dir === "in") connectAny(out as StreamIn<never>, inner as StreamOut<never>);
        else connectAny(inner as StreamIn<never>, out as StreamOut<never>);
      else if (port.port === "interface") throw new RangeError("no port is an interface here");
      else if (port.dir === "in") (inner as { set(v: unknown): void }).set(out);
      else (out as { set(v: unknown): void }).set(inner);
    };
    for (const [name, port] of without(path.ports)) join(port, io[renamed(name)], spill[name]);
    for (const [name, port] of without(memory.ports)) join(port, io[name], spaces[name]);
    const masters = { tasks: spaces, rings: spill };
    for (const side of sides)
      for (const c of channels) {
        const from = masters[side][`m${c}`],
          to = bus[`${side}${c}`],
          answers = c === "R" || c === "B",
          channel = from as Channel,
          { id, addr, len, last } = channel.payload as Readonly<
            Record<string, { resize(n: number): unknown } | undefined>
          >;
        if (answers) connectAny(to as StreamIn<never>, from as StreamOut<never>);
        else connectAny(from as StreamIn<never>, to as StreamOut<never>);
        (io[seenName(side, c)] as { set(v: unknown): void }).set({
          valid: channel.valid,
          ready: channel.ready,
          id: id?.resize(idBits) ?? 0,
          addr: addr?.resize(busParameters.addressBits) ?? 0,
          len: len ?? 0,
          last: last ?? 0,
        });
      }
    for (const c of channels) join((ports as unknown as Ports)[`m${c}`] as AnyPort, io[`m${c}`], bus[`m${c}`]);
  },
);
export const dut = BoardPath({});
