import type { Ports } from "../../types/ports.ts";
import type { Shape } from "../../types/shape.ts";
import type { Inside, StreamIn, StreamOut } from "../../types/value.ts";
import { type Def, instance, module } from "../../build/module.ts";
import { connectAny } from "../../stream/connect.ts";

type Ends = Readonly<Record<string, unknown>>;

/** Each port of the harness to the port of that name of the instance: kinds and directions are looked at here. */
function joined(ports: Ports, outer: Ends, inner: Ends): void {
  for (const [n, p] of Object.entries(ports)) {
    if (p.port === "interface") {
      joined(p.members, outer[n] as Ends, inner[n] as Ends);
      continue;
    }
    const [from, to] = p.dir === "in" ? [outer[n], inner[n]] : [inner[n], outer[n]];
    if (p.port === "stream") connectAny(from as StreamIn<Shape>, to as StreamOut<Shape>);
    else (to as { set(v: unknown): void }).set(from);
  }
}

/**
 * A harness with the ports of a module around one instance of it: `claims` states what the module owes at them and what
 * its surroundings promise. Every input is free but for those promises.
 */
export function around<P extends Ports>(name: string, dut: Def<P>, claims: (io: Inside<P>) => void): Def<P> {
  return module(
    name,
    () => dut.ports,
    io => {
      // Ports of any module, by name.
      joined(dut.ports, io, instance("dut", dut as Def));
      claims(io);
    },
  )();
}
