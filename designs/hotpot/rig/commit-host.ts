/** A node's engine with the node's memory around it, and messages as a coordinator sends them. */
import { type OffloadCall, OffloadHost, type OffloadHostOptions, type OffloadPorts } from "../../clio/rig/index.ts";
import { type Bench, ProtocolError } from "../../../sim/index.ts";
import { type Answer, answerOf, commitOpcode, commitReplyOpcode, type Message, messageBytes } from "../wire/index.ts";

/** An answer, and when it came: cycles from the request's taking to the reply. */
export interface Answered extends Answer {
  readonly cycles: number;
}

export class CommitHost {
  readonly host: OffloadHost;

  constructor(b: Bench<OffloadPorts>, o: OffloadHostOptions) {
    this.host = new OffloadHost(b, o);
  }
  /** A message on its way. */
  request(message: Message, pid: number): OffloadCall {
    return this.host.request({ opcode: commitOpcode, pid, body: messageBytes(message) });
  }
  async send(message: Message, pid: number): Promise<Answered> {
    return answered(await this.host.call({ opcode: commitOpcode, pid, body: messageBytes(message) }));
  }
}
/** What the engine said. @throws when it is no answer */
export function answered({ replies, taken }: OffloadCall): Answered {
  const [reply] = replies;
  if (reply?.opcode !== commitReplyOpcode || taken === undefined) throw new ProtocolError("a message has no answer");
  return { ...answerOf(reply.body), cycles: reply.cycle - taken };
}
