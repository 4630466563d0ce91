/** The slave that answers for addresses that no slave has: DECERR, in the order and number that AXI4 wants. */
import type { Bit, Stream, StreamIn } from "../../types/value.ts";
import { bit, uint } from "../../types/shape.ts";
import { reg } from "../../build/declare.ts";
import { when } from "../../build/statements.ts";
import { stream } from "../../stream/stream.ts";
import {
  type Axi4Address,
  type Axi4Parameters,
  axi4Read,
  type Axi4Read,
  axi4Response,
  type Axi4Response,
  axiResponse,
} from "../axi/index.ts";

/** Writes to nowhere, one at a time: their data are taken, then comes the answer. */
export function writeErrors(
  p: Axi4Parameters,
  from: StreamIn<Axi4Address>,
  name: string,
): { readonly takes: Bit; readonly data: (last: Bit) => void; readonly answers: StreamIn<Axi4Response> } {
  const takes = reg(bit, { init: 0, name: `${name}_takes` }),
    answer = reg(bit, { init: 0, name: `${name}_answer` }),
    id = reg(uint<number>(p.idBits), { name: `${name}_id` });
  const answers: Stream<Axi4Response> = stream(axi4Response(p), { name: `${name}_b` });
  from.ready.set(takes.or(answer).not());
  when(from.fire, () => {
    takes.set(1);
    id.set(from.payload.id);
  });
  when(answers.fire, () => answer.set(0));
  answers.valid.set(answer);
  answers.payload.set({ id, resp: axiResponse.DECERR });
  const data = (last: Bit): void => {
    when(last, () => {
      takes.set(0);
      answer.set(1);
    });
  };
  return { takes, data, answers };
}

/** Reads from nowhere, one at a time: as many beats as were asked for, of zeros. */
export function readErrors(p: Axi4Parameters, from: StreamIn<Axi4Address>, name: string): StreamIn<Axi4Read> {
  const busy = reg(bit, { init: 0, name: `${name}_busy` }),
    left = reg(uint(8), { name: `${name}_left` }),
    id = reg(uint<number>(p.idBits), { name: `${name}_id` });
  const answers: Stream<Axi4Read> = stream(axi4Read(p), { name: `${name}_r` });
  from.ready.set(busy.not());
  const last = left.eq(0);
  when(from.fire, () => {
    busy.set(1);
    id.set(from.payload.id);
    left.set(from.payload.len);
  }).elseWhen(answers.fire, () => {
    left.set(left.sub(1));
    when(last, () => busy.set(0));
  });
  answers.valid.set(busy);
  answers.payload.set({ data: 0, id, resp: axiResponse.DECERR, last });
  return answers;
}
