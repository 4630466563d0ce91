/**
 * What stands around a memory node hands its registers and its software's frames through: under pauses at each of those
 * ports, nothing is lost and nothing comes twice.
 */
import { expect } from "vitest";
import type { NodePorts } from "../../designs/clio/rig/index.ts";
import { accessBody, clioMessage, opcode } from "../../designs/clio/wire/index.ts";
import { encode, udpFrame } from "../../designs/shared/wire/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type LitePorts,
  type Pause,
  type Random,
  type Simulation,
  StreamSink,
  StreamSource,
} from "../../sim/index.ts";

const registers = { identification: 0x000, version: 0x004, flags: 0x034, ip: 0x028, nativePort: 0x02c } as const,
  acceptAnyMac = 1,
  CLIO = 0x4f49_4c43;

/** Requests that are software's: fewer than may wait for it. */
const toSoftware = 4;

/** An AXI4-Lite port, what its registers say always, and those that keep what is written. */
export interface KeptRegisters {
  readonly ports: LitePorts;
  /** Written once, in front. */
  readonly first?: readonly (readonly [address: number, value: number])[];
  readonly always: readonly (readonly [address: number, value: number])[];
  readonly kept: readonly (readonly [address: number, bits: number])[];
}
/** Streams of a pause, in the port's clock domain. */
type Options = () => { readonly pause: Pause; readonly domain?: string };

/**
 * Orders one behind the other: each is done once, and each read says what stands there.
 * @returns what was written last, by place in `kept`
 */
export async function registersThrough(
  { sim, random: r }: { readonly sim: Simulation; readonly random: Random },
  until: (test: () => boolean) => Promise<void>,
  { ports, first = [], always, kept }: KeptRegisters,
  of: Options,
): Promise<readonly number[]> {
  const aw = new StreamSource(sim, ports.sAw, of()),
    w = new StreamSource(sim, ports.sW, of()),
    done = new StreamSink(sim, ports.sB, of()),
    ar = new StreamSource(sim, ports.sAr, of()),
    data = new StreamSink(sim, ports.sR, of());
  const write = (addr: number, value: number): void => {
    aw.send({ addr, prot: 0 });
    w.send({ data: value, strb: 15 });
  };
  for (const [addr, value] of first) write(addr, value);
  await until(() => done.received.length === first.length);
  done.received.splice(0);
  let values: readonly number[] = [];
  for (let i = 0; i < 20; i++) {
    values = kept.map(([, bits]) => Number(r.bits(bits)));
    for (const [k, [addr]] of kept.entries()) write(addr, values[k] as number);
    await until(() => done.received.length === kept.length);
    expect(done.received.splice(0).map(x => x.value.resp)).toEqual(kept.map(() => 0));
    const asked = [...always, ...kept.map(([addr], k) => [addr, values[k] as number] as const)];
    for (const [addr] of asked) ar.send({ addr, prot: 0 });
    await until(() => data.received.length === asked.length);
    expect(data.received.splice(0).map(x => [x.value.data, x.value.resp])).toEqual(asked.map(([, v]) => [v, 0]));
  }
  return values;
}

/** The node's own registers that say always the same, and some that keep what is written. */
export const nodeRegisters: Omit<KeptRegisters, "ports"> = {
  always: [
    [registers.identification, CLIO],
    [registers.version, 1],
  ],
  kept: [
    [registers.ip, 32],
    [registers.nativePort, 16],
  ],
};

/** @param pause share of cycles in which each port pauses */
export async function portsThrough(b: Bench<NodePorts>, pause: number): Promise<void> {
  const { io, sim, random: r } = b,
    of = () => ({ pause: bernoulli(pause, r.word()) });
  const first = [[registers.flags, acceptAnyMac]] as const;
  const [ip = 0, port = 0] = await registersThrough(b, c => b.until(c), { ports: io, first, ...nodeRegisters }, of);
  const tx = new AxisSink(sim, io.tx, of()),
    rx = new AxisSource(sim, io.rx, of()),
    software = new AxisSink(sim, io.socRx, of()),
    fromSoftware = new AxisSource(sim, io.socTx, of());
  // Software's frames go out as they are, and requests that it does come to it.
  const out = Array.from({ length: 20 }, () => r.bytes(r.between(60, 300))),
    bodies = Array.from({ length: toSoftware }, () => encode(accessBody, { va: r.bits(48), length: r.word() })),
    node = { mac: 2n, ip, port };
  for (const f of out) fromSoftware.send(f);
  for (const body of bodies)
    rx.send(
      udpFrame({ mac: 1n, ip: 0x0a00_0001, port: 4000 }, node, clioMessage({ pid: 1, opcode: opcode.ALLOC }, body)),
    );
  await b.until(() => tx.frames.length === out.length && software.frames.length === bodies.length);
  await b.cycles(50);
  const text = (f: Uint8Array): string => Buffer.from(f).toString("hex");
  expect(tx.frames.map(f => text(f.bytes))).toEqual(out.map(text));
  // The node puts words of its own around a request.
  expect(software.frames.length).toBe(bodies.length);
  for (const [i, f] of software.frames.entries()) expect(text(f.bytes)).toContain(text(bodies[i] as Uint8Array));
}
