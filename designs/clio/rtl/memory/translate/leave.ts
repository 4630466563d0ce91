/** The ways out of the translation, and the request's state for its next lookup. */
import {
  type Bit,
  connect,
  constant,
  literalOf,
  mux,
  node,
  type Ram,
  type StreamOut,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../../shared/stream/index.ts";
import { tableOf } from "../../../config/index.ts";
import { Translated } from "../../records/records.ts";
import type { Judged } from "./judge.ts";
import { type Outcome, type Pending, Refused, translatedShape, type TranslateParameters } from "./records.ts";

type TranslatedStream = StreamOut<ReturnType<typeof Translated>>;
export interface Exits {
  readonly reads: TranslatedStream;
  readonly writes: TranslatedStream;
  readonly syncs: TranslatedStream;
  readonly refused: StreamOut<ReturnType<typeof Refused>>;
}

/** A queue for each way, with room for every request in flight, so that stage 2 never waits. */
export function leave(p: TranslateParameters, { decision, goesTo }: Outcome, to: Exits): void {
  const { status, ...translated } = decision,
    shape = Translated(translatedShape(p));
  for (const way of ["reads", "writes", "syncs"] as const)
    connect(passQueue(`${way}_out`, shape, p.slots, goesTo[way], translated), to[way]);
  const refusal = literalOf(Refused(p), {
    slot: decision.slot,
    status,
    silent: decision.silent,
    replyOpcode: decision.replyOpcode,
    indirect: decision.indirect,
  });
  connect(passQueue("refused_out", Refused(p), p.slots, goesTo.refused, refusal), to.refused);
}

/** Writes down how far the request is. What is written is not read again when the request ends here. */
export function remember(
  p: TranslateParameters,
  records: Ram<ReturnType<typeof Pending>>,
  { request, slot, looked, served }: Judged,
  mapped: Bit,
  ppns: UInt,
): void {
  const { vpnBits } = tableOf(p);
  const nextPage = node(request.vpn.addGrow(constant(1, vpnBits)));
  records.write(looked.isLookup.or(served.valid), slot, {
    ...request,
    step: mux(mapped, request.step.add(1), request.step),
    ppns,
    vpn: mux(mapped, nextPage.trunc(vpnBits), request.vpn),
    outside: mux(mapped, nextPage.bit(vpnBits), request.outside),
  });
}
