/**
 * Statuses and opcodes as hardware compares them: bits under a name, which the Verilog shows instead of the number.
 * Both come from the tables of `status.ts` and `opcodes.ts`.
 */
import { constant, enumOf, pack, type UInt } from "../../../hdl-dsl/index.ts";
import { opcode, opcodeName, type OpcodeName, operations } from "./opcodes.ts";
import { status, type StatusName } from "./status.ts";

/** A status of the Clio header: 4 bits. */
export const Status = enumOf("Status", status, { width: 4 });

/** The name of a reply's opcode of its own: `READ_REPLY`. */
type ReplyName = `${OpcodeName}_REPLY`;
const replyCodes = operations.flatMap(o => (o.reply === undefined ? [] : [o.reply.code]));
const opcodes: Readonly<Record<string, number>> = {
  ...opcode,
  ...Object.fromEntries(replyCodes.map(code => [opcodeName(code), code])),
};
/** An opcode of the Clio header, a request's or a reply's: 8 bits. */
export const Opcode = enumOf("Opcode", opcodes, { width: 8, base: "hex" });

/** A status as bits, by its name: `statusBits.OK`. */
export const statusBits = bitsByName<StatusName, 4>(Status, status);
/** An opcode as bits, by its name: `opcodeBits.READ`, `opcodeBits.READ_REPLY`. */
export const opcodeBits = bitsByName<OpcodeName | ReplyName, 8>(Opcode, opcodes);

/** An opcode that a table gives, as bits: under its name where it has one. */
export const bitsOfOpcode = (code: number): UInt<8> =>
  opcodeName(code) in opcodes ? opcodeBits[opcodeName(code) as OpcodeName] : constant(code, 8);

function bitsByName<M extends string, W extends number>(
  values: object,
  codes: Readonly<Record<string, number>>,
): { readonly [K in M]: UInt<W> } {
  const out = {};
  for (const name of Object.keys(codes))
    Object.defineProperty(out, name, { get: () => pack((values as Record<string, unknown>)[name]), enumerable: true });
  return out as { readonly [K in M]: UInt<W> };
}
