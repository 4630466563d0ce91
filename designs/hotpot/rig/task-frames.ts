/** Who speaks with the commit task, and what their frames are. Whoever gets one checks each byte of it. */
import {
  clioMessage,
  dissect,
  type Dissected,
  frameOffsets,
  replyFrame,
  status,
  udpPorts,
} from "../../clio/wire/index.ts";
import { type Endpoint, udpFrame } from "../../shared/wire/index.ts";
import { ProtocolError } from "../../../sim/index.ts";
import {
  type Answer,
  answerOf,
  askKey,
  commitOpcode,
  commitReplyOpcode,
  headBytes,
  type Message,
  messageBytes,
} from "../wire/index.ts";
import { commitMessageOf } from "./commit-message.ts";

export const taskUser = 3,
  taskPid = 7,
  taskLane = 4;
/** Where the task is: the sum of one of its IPv4 headers carries twice. */
export const taskOwn: Endpoint = { mac: 0x02_00_00_00_00_11n, ip: 0xc0a8_6fec, port: 4711 };
export const taskClient = (n: number): Endpoint => ({
  mac: 0x02_00_00_00_01_00n + BigInt(n),
  ip: 0xc0a8_0a01 + (n >> 1),
  port: 5000 + n,
});
export const nodeEndpoint = (n: number): Endpoint => ({
  mac: 0x02_00_00_00_02_00n + BigInt(n),
  ip: 0x0a00_0020 + n,
  port: udpPorts.native,
});

/** Bytes of a frame with a body of so many, from the Ethernet header on, without a check sequence. */
export const frameBytes = (body: number): number => frameOffsets.body + body;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
type Request = Required<Dissected>;
/** A message to a node, and the frame that it came in. */
export interface MessageIn {
  readonly node: number;
  readonly message: Message;
  readonly request: Request;
}

/** A frame of the task to a node. @throws ProtocolError when any byte of it is not what the message's would be */
export function messageIn(bytes: Uint8Array): MessageIn {
  const request = dissect(bytes) as Request,
    { ethernet, ipv4, udp, clio, body } = dissect(bytes),
    node = (ipv4?.dst ?? 0) - nodeEndpoint(0).ip;
  if (!ethernet || !ipv4 || !udp || !clio || !body) throw new ProtocolError("a frame to nobody");
  const message = commitMessageOf(body),
    expected = udpFrame(
      taskOwn,
      nodeEndpoint(node),
      clioMessage({ pid: taskPid, opcode: commitOpcode, requestId: clio.requestId }, messageBytes(message)),
    );
  if (Buffer.compare(expected, bytes) !== 0)
    throw new ProtocolError(`a message is ${hex(bytes)}; it would be ${hex(expected)}`);
  if (((clio.requestId >>> askKey.node) & 15) !== node) throw new ProtocolError("a message that names another node");
  return { node, message, request };
}
/** What the node sends back. @param body head of the answer, and what is behind it */
export const replyTo = ({ node, request }: MessageIn, body: Uint8Array, code = commitReplyOpcode, state = status.OK) =>
  replyFrame(nodeEndpoint(node), { ...request, native: true }, code, state, body);

/** An answer of the task to a client. @throws ProtocolError when any byte of it is not what the answer's would be */
export function clientAnswerIn(bytes: Uint8Array): { readonly client: number; readonly answer: Answer } {
  const { ipv4, udp, clio, body } = dissect(bytes);
  if (!clio || !ipv4 || !udp || !body || clio.opcode !== commitReplyOpcode)
    throw new ProtocolError("a frame to nobody");
  const client = udp.dstPort - taskClient(0).port,
    answer = answerOf(body),
    expected = udpFrame(
      { ...taskOwn, port: udpPorts.native },
      taskClient(client),
      clioMessage({ ...clio, pid: taskPid, opcode: commitReplyOpcode, status: status.OK }, body),
    );
  if (Buffer.compare(expected, bytes) !== 0)
    throw new ProtocolError(`an answer is ${hex(bytes)}; it would be ${hex(expected)}`);
  if (body.length !== headBytes) throw new ProtocolError("an answer with something behind");
  return { client, answer };
}
