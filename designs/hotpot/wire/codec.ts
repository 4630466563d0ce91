/** Messages to bytes and back. */
import { concat, decode, type Decoded, encode } from "../../shared/wire/index.ts";
import { type Kind, kinds, type State, states, type Verdict, verdicts } from "./codes.ts";
import { headBytes } from "./log.ts";
import { commitAnswer, commitHead, nameIn } from "./messages.ts";

/** A request; what is not said is 0. */
export type Message = { readonly kind: Kind; readonly data?: Uint8Array } & Partial<
  Omit<Decoded<typeof commitHead>, "kind" | "spare" | "length">
>;
export interface Answer extends Omit<Decoded<typeof commitAnswer>, "verdict" | "state" | "spare"> {
  readonly verdict: Verdict;
  readonly state: State;
  readonly data: Uint8Array;
}

const nothing = new Uint8Array();
const empty = {
  ...{ part: 0, parts: 1, marks: 0, lane: 0, owners: 0, seq: 0, replicas: 0, va: 0n, grantee: 0 },
  spare: new Uint8Array(commitHead.fields.spare.bits / 8),
};
export function messageBytes({ kind, data = nothing, ...given }: Message): Uint8Array {
  return concat(encode(commitHead, { ...empty, ...given, kind: kinds[kind], length: data.length }), data);
}
export function answerOf(body: Uint8Array): Answer {
  const { spare: _, verdict, state, ...head } = decode(commitAnswer, body.subarray(0, headBytes));
  return {
    ...head,
    verdict: nameIn(verdicts, verdict),
    state: nameIn(states, state),
    data: body.slice(headBytes),
  };
}
