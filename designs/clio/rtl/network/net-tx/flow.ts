/** Which of the stages hold a reply, and which have room. */
import { bit, node, reg, stream } from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import { Reply } from "../../records/records.ts";
import type { Build } from "./ports.ts";

export function flowOf({ p, beatBytes, cell }: Build) {
  const askedValid = reg(bit, { init: 0 });
  const asked = reg(Reply(p));
  const knownValid = cell(bit, { init: 0, name: "known_valid" });
  const builtValid = cell(bit, { init: 0, name: "built_valid" });
  const sending = reg(bit, { init: 0 });
  const sent = stream(AxisBeat(beatBytes));
  const final = reg(bit);
  const sendingRoom = node(sending.not().or(sent.fire.and(final)));
  const builtRoom = node(builtValid.not().or(sendingRoom));
  const knownRoom = node(knownValid.not().or(builtRoom));

  return {
    askedValid,
    asked,
    knownValid,
    builtValid,
    /** A frame is being sent; its beats, the last of them marked. */
    sending,
    sent,
    final,
    sendingRoom,
    builtRoom,
    knownRoom,
  };
}
export type Flow = ReturnType<typeof flowOf>;
