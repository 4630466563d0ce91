/** The catalogue's times are measured: all its units with streams side by side in one model, nothing paused. */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bench } from "../../bench.ts";
import {
  assignGiven,
  type CatalogueEntry,
  connect,
  elaborate,
  input,
  instance,
  leavesOf,
  module,
  type Port,
  type Ports,
  type Shape,
  sink,
  source,
  type StreamIn,
  type StreamOut,
  type StreamPort,
  uint,
} from "../../../hdl-dsl/index.ts";
import { catalogue } from "../../../hdl-dsl/catalogue/index.ts";
import { type StreamIo, StreamSink, StreamSource } from "../../../sim/index.ts";

const timed = catalogue.flatMap((e, i) => (e.timing === undefined ? [] : [{ e, timing: e.timing, id: `u${i}` }]));
type Any = StreamIn<Shape> & StreamOut<Shape>;
const portOf = (e: CatalogueEntry, name: string): StreamPort => e.def.ports[name] as StreamPort;
/** All zeros of a shape, as `assignGiven` takes it. */
const zeros = (s: Shape): unknown =>
  s.kind === "struct"
    ? Object.fromEntries(Object.entries(s.fields as Readonly<Record<string, Shape>>).map(([n, f]) => [n, zeros(f)]))
    : 0;

const Catalogue = module(
  "CatalogueUnits",
  (): Ports =>
    Object.fromEntries<Port | StreamPort>([
      ["unused", { ...input(uint(1)), unused: true }] as [string, Port],
      ...timed.flatMap(({ e, timing, id }): [string, StreamPort][] => [
        [`${id}From`, sink(portOf(e, timing.from).shape)],
        [`${id}To`, source(portOf(e, timing.to).shape)],
      ]),
    ]),
  ports => {
    const io = ports as unknown as Readonly<Record<string, Any>>;
    for (const { e, timing, id } of timed) {
      const unit = instance(id, e.def) as unknown as Readonly<Record<string, Any>>;
      for (const [name, p] of Object.entries(e.def.ports)) {
        const port = unit[name] as Any;
        if (name === timing.from) connect(io[`${id}From`] as never, port as never);
        else if (name === timing.to) connect(port as never, io[`${id}To`] as never);
        else if (p.port === "interface") throw new Error(`${e.name}: units of the catalogue have no interfaces`);
        else if (p.port === "plain") {
          if (p.dir === "in") assignGiven(port, p.shape, zeros(p.shape));
        } else if (p.dir === "in") {
          port.valid.set(0);
          assignGiven(port.payload, p.shape, zeros(p.shape));
        } else port.ready.set(1);
      }
    }
  },
);
const design = Catalogue();

describe("latency and initiation interval are as the catalogue says", () => {
  const transfers = 24;
  for (const { e, timing, id } of timed) {
    bench(`${e.name}, ${e.example}: ${e.latency} and ${e.interval}`, design, {}, async b => {
      const io = b.io as unknown as Readonly<Record<string, StreamIo<Shape, "in"> & StreamIo<Shape, "out">>>;
      const into = new StreamSource(b.sim, io[`${id}From`] as StreamIo<Shape, "in">),
        out = new StreamSink(b.sim, io[`${id}To`] as StreamIo<Shape, "out">);
      const shape = portOf(e, timing.from).shape;
      const value =
        shape.kind === "struct"
          ? Object.fromEntries(leavesOf(shape).map(l => [l.path[0] ?? "", timing.send?.[l.path[0] ?? ""] ?? 0]))
          : 0;
      const sent = Array.from({ length: transfers }, () => into.send(value));
      await b.until(() => out.received.length >= transfers);
      const first = out.received[0]?.cycle as number,
        last = out.received[transfers - 1]?.cycle as number;
      expect({ latency: first - (sent[0]?.cycle as number), interval: (last - first) / (transfers - 1) }).toEqual({
        latency: e.latency,
        interval: e.interval,
      });
    });
  }
});

test("every unit can be built, stands in a file that there is, and units of one name differ in their example", () => {
  for (const e of catalogue) {
    expect(() => elaborate(e.def), e.name).not.toThrow();
    expect(existsSync(new URL(`../../../${e.source}`, import.meta.url)), e.source).toBe(true);
  }
  expect(new Set(catalogue.map(e => `${e.name}, ${e.example}`)).size).toBe(catalogue.length);
});
