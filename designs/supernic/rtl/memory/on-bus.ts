/** Who has bursts for the board's memory, on the bus that they share. */
import {
  axi4Address,
  type Axi4Parameters,
  type axi4Read,
  type axi4Response,
  type axi4Write,
  connect,
  map,
  type StreamIn,
  type StreamOut,
} from "../../../../hdl-dsl/index.ts";

type Address = ReturnType<typeof axi4Address>;
/** A unit's five channels as they are seen from outside it. */
interface Master {
  readonly ar: StreamIn<Address>;
  readonly r: StreamOut<ReturnType<typeof axi4Read>>;
  readonly aw: StreamIn<Address>;
  readonly w: StreamIn<ReturnType<typeof axi4Write>>;
  readonly b: StreamOut<ReturnType<typeof axi4Response>>;
}
/** Joins a unit with its place at the bus; its addresses get this ID. */
export function joinBus(share: object, name: string, unit: Master, bus: Axi4Parameters, id: number): void {
  // The names of the places are values: the compiler does not know which port each is.
  const at = <T>(channel: string): T => (share as Readonly<Record<string, unknown>>)[`${name}${channel}`] as T;
  const named = (from: StreamIn<Address>, channel: string): void =>
    connect(
      map(from, axi4Address(bus), v => ({ ...v, id }), { name: `${name}_${channel}` }),
      at<StreamOut<Address>>(channel),
    );
  named(unit.ar, "Ar");
  named(unit.aw, "Aw");
  connect(unit.w, at<StreamOut<ReturnType<typeof axi4Write>>>("W"));
  connect(at<StreamIn<ReturnType<typeof axi4Read>>>("R"), unit.r);
  connect(at<StreamIn<ReturnType<typeof axi4Response>>>("B"), unit.b);
}
