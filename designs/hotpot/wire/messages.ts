/** Messages of a replicated commit: one schema for the hardware, the codec and the page (Hotpot, section 2.6.2). */
import { big, layout, num, raw } from "../../shared/wire/index.ts";
import { kinds, states, verdicts } from "./codes.ts";

/** Opcodes of a request and its reply: of the extend path, and of no other offload. */
export const commitOpcode = 0x76,
  commitReplyOpcode = 0x77;

export const nameIn = <N extends string>(codes: Readonly<Record<N, number>>, code: number): N => {
  const found = (Object.keys(codes) as N[]).find(n => codes[n] === code);
  if (found === undefined) throw new RangeError(`code ${code} has no name`);
  return found;
};

const named = (codes: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(codes).map(([n, c]) => [c, n]));

/** Head of a request: 64 bytes, then `length` bytes of PREPARE and UPDATE. A logged area is this head and its data. */
export const commitHead = layout("commitHead", "commit request", "le", {
  kind: num(8, "what is asked", "dec", named(kinds)),
  part: num(8, "which area; of INSPECT without data, which place of the table"),
  parts: num(8, "areas of the commit at this node"),
  marks: num(8, "1 merged, 2 redo, 4 data", "hex"),
  lane: num(16, "who commits"),
  owners: num(16, "nodes that own pages of the commit, a bit each", "hex"),
  seq: num(32, "the lane's number of the commit; of RECOVER and OPEN, of the node's start"),
  replicas: num(16, "nodes that have copies, a bit each", "hex"),
  length: num(16, "bytes of the area"),
  va: big(64, "address of the area"),
  grantee: num(16, "of GRANT: the process that has the lane from now on; 0 is nobody"),
  spare: raw(304, "any"),
});
/** Head of an answer: 64 bytes, then the data of a logged area. */
export const commitAnswer = layout("commitAnswer", "commit answer", "le", {
  verdict: num(8, "what came of it", "dec", named(verdicts)),
  status: num(8, "memory's status, when it failed"),
  state: num(8, "what the commit is here", "dec", named(states)),
  held: num(8, "areas that are held, a bit each", "hex"),
  lane: num(16, "who commits"),
  owners: num(16, "as it was prepared", "hex"),
  seq: num(32, "the lane's number of the commit"),
  replicas: num(16, "as it was prepared", "hex"),
  length: num(16, "bytes of the area that follows"),
  va: big(64, "its address"),
  parts: num(8, "areas of the commit at this node"),
  marks: num(8, "1: the node is open"),
  owner: num(16, "to the director, of GRANT and a place: whose the lane is"),
  floor: num(32, "the same: the lane's commits with lower numbers are over"),
  spare: raw(256, "zero"),
});
