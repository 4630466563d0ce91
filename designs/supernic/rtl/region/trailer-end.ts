/** A slot's end of the way of trailers: docs/supernic/payload.md. */
import { type Bit, bit, input, output, reg, struct, uint, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { type Declared, trailerBytes } from "../../wire/index.ts";
import { Trailer } from "../tasks/index.ts";
import { ChainPacket, type ChainParameters } from "./records.ts";

/** A task has put a trailer behind a packet's payload, or has cut it off: then its bytes are 0. For a cycle. */
export const TrailerSaid = (p: ChainParameters) =>
  struct({ valid: bit, ctx: ChainPacket(p).fields.ctx, bytes: uint(8 * trailerBytes) });

const trailerEndPorts = (p: ChainParameters) => ({ taskTrailer: input(Trailer), trailer: output(TrailerSaid(p)) });
export function trailerEndPortsOf({ trailer }: Declared, p: ChainParameters): ReturnType<typeof trailerEndPorts> {
  // A slot whose task has none has no such ports, and nobody asks for them.
  return (trailer === undefined ? {} : trailerEndPorts(p)) as ReturnType<typeof trailerEndPorts>;
}
interface TrailerEnds {
  readonly taskTrailer: Val<typeof Trailer>;
  readonly trailer: { set(v: { valid: Bit; ctx: UInt; bytes: UInt }): void };
}
/** A trailer counts with the answer beside it, when the packet leaves and goes on. A cycle later it is told. */
export function trailerEnd(io: TrailerEnds, leaves: Bit, drops: Bit, ctx: UInt): void {
  const said = reg(bit, { init: 0, name: "says_trailer" }),
    of = reg(uint(ctx.width), { name: "trailer_of_ctx" }),
    bytes = reg(uint(8 * trailerBytes), { name: "trailer_kept" });
  said.set(leaves.and(io.taskTrailer.valid).andNot(drops));
  of.set(ctx.is(ctx.width));
  bytes.set(io.taskTrailer.bytes);
  io.trailer.set({ valid: said, ctx: of, bytes });
}
