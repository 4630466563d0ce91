/** Faults in what keeps values: registers under reset, memories. */
import { type Circuit, number, type Position } from "./ir.ts";
import type { Edit } from "./rewrite.ts";
import { textOf } from "./text.ts";

export interface StateFault {
  readonly edits: readonly Edit[];
  readonly position: Position | undefined;
  readonly says: string;
}
export interface StateOperator {
  readonly name: string;
  readonly what: string;
  readonly of: (c: Circuit) => readonly StateFault[];
}

const edit = (holder: object, change: Edit["change"]): readonly Edit[] => [{ holder, change }];
type Register = Circuit["signals"][number];
const registers = (c: Circuit): readonly Register[] =>
  c.signals.filter(s => s.kind === "reg" && s.init !== undefined && s.domain !== undefined && s.domain.kind !== "none");
/** The code after the reset value's, of a register whose values have names. */
function nextCode(s: Register): bigint | undefined {
  const codes = s.codes ?? s.states?.map((_, i) => BigInt(i));
  return codes?.[(codes.indexOf(s.init ?? 0n) + 1) % codes.length];
}
const inverse = (s: Register): bigint => BigInt.asUintN(s.width, ~(s.init ?? 0n));

export const stateOperators: readonly StateOperator[] = [
  {
    name: "reset-value",
    what: "a register has another reset value",
    of: c =>
      registers(c).map(s => {
        const from = s.init ?? 0n,
          to = nextCode(s) ?? from ^ 1n;
        return {
          edits: edit(s, { init: to }),
          position: s.position,
          says: `${s.name} is ${String(to)} after reset, not ${String(from)}`,
        };
      }),
  },
  {
    name: "reset-missing",
    what: "a register has no reset",
    // What it would come up with is anything. So it comes up with what is farthest from its reset value.
    of: c =>
      registers(c).map(s => ({
        edits: edit(s, { init: undefined, start: nextCode(s) ?? inverse(s) }),
        position: s.position,
        says: `${s.name} is not reset`,
      })),
  },
  {
    name: "collision",
    what: "a read that meets a write gives the old word for the new one, or the other way round",
    of: c =>
      c.memories
        .filter(m => m.collision !== "undefined" && m.readPorts.length > 0)
        .map(m => {
          const to = m.collision === "new" ? "old" : "new";
          return {
            edits: edit(m, { collision: to }),
            position: m.position,
            says: `a read of ${m.name} that meets a write gives the ${to} word, not the ${m.collision} one`,
          };
        }),
  },
  {
    name: "read-enable",
    what: "a memory is read in every cycle, or never",
    of: c =>
      c.memories.flatMap(m =>
        m.readPorts.flatMap(p =>
          p.enable === undefined
            ? []
            : [
                {
                  edits: edit(p, { enable: undefined }),
                  position: p.position,
                  says: `${m.name}[${textOf(p.address)}] is read in every cycle`,
                },
                {
                  edits: edit(p, { enable: number(0n, 1) }),
                  position: p.position,
                  says: `${m.name}[${textOf(p.address)}] is never read`,
                },
              ],
        ),
      ),
  },
];
