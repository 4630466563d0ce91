import { type Layout, layoutTable, recordTable } from "../../shared/wire/index.ts";
import {
  ctrlEnds,
  ctrlHeader,
  ctrlMeaning,
  ctrlOpcode,
  type CtrlOpcodeName,
  ctrlStatus,
  ctrlStatusMeaning,
} from "./ctrl.ts";
import type { CtrlStatusName } from "./ctrl.ts";
import {
  balancerRowBody,
  firewallRowBody,
  ntConfigBody,
  queryDagBody,
  queryReplyBody,
  tunnelRowBody,
} from "./ctrl-bodies.ts";
import { descriptor } from "./descriptor.ts";
import {
  peerEntryBody,
  peerHelloBody,
  peerLaunchBody,
  peerLoadBody,
  peerPageBody,
  peerStateBody,
  peerWhichBody,
} from "./peer-bodies.ts";
import { pfcHeader } from "./pfc.ts";
import { linkShim, snicShim, uid, vlanTag } from "./shims.ts";

const hex = (n: number): string => n.toString(16).toUpperCase().padStart(2, "0");
const table = (layouts: readonly Layout[]): string => layouts.map(layoutTable).join("\n");

/** The reference page of the formats in Markdown, made from the same layouts as the codec. */
export function formatsReference(): string {
  return `# SuperNIC's formats

Generated from \`designs/supernic/wire\`; do not edit. The hardware's bundles, the TypeScript codec and the Wireshark dissector are made from the same description.
Bits are numbered from a byte's (or a group of bytes') least significant.

## Behind the MACs

In this order, each at most once: link shim, 802.1Q tag, sNIC shim. Then comes the EtherType that the frame would have without them.
A second tag, or one behind the sNIC shim, is part of the frame: it stays where it is, and network tasks see no IPv4.
A table below begins behind its own EtherType. Its last field, \`next\`, is the EtherType of what follows.

| part | adds | when |
|---|---|---|
| link shim | 8 bytes | every frame on a reliable port, but PFC |
| 802.1Q tag | 4 bytes | as the sender wants; taken off inside, and put back |
| sNIC shim | 8 bytes | the frame takes a DAG |
| redirect, onward | 22 bytes | the whole frame, without a link shim, goes to the next peer, or to one behind it |

An ACK or NACK is a frame of 60 bytes: MACs, link shim with \`next\` 0, zeros. A frame grows by 38 bytes at most: a sNIC shim, a redirect around it, a link shim.

${table([linkShim, vlanTag, snicShim, uid])}
## Refused

Each is a counted drop in hardware, and one sentence from the codec.

- The frame ends inside a header. A shim comes twice or in another order.
- Link shim: \`kind\` is none of the three; \`class\` is over 7; \`next\` is 0 in data, not 0 in ACK or NACK, or PFC's.
- sNIC shim: \`version\` is another; \`kind\` is none of the three; \`ttl\` is 0; \`unused\` is not 0.
- sNIC shim: \`next\` is 0x6558 in data, or anything else in a redirect of either kind.
- The frame inside a redirect is shorter than 14 bytes, has a link shim, is MAC control, or is a redirect itself.
- MAC control (0x8808) has a tag or a shim in front: without it, it would pause a port.

## Pause

${table([pfcHeader])}
A frame's priority class is the link shim's, else the 802.1Q tag's, else the port's default. PFC goes to 01:80:C2:00:00:01 and never has a link shim: it must pass when buffers are full.

## Control

A message is the header, a body of \`size\` - ${ctrlHeader.bytes} bytes, and a tail. The tail is the first 16 bytes of HMAC-SHA-256 with the user's key over the ends, header and body.
The ends are the message's addresses and ports. They are not sent; they keep a message from being sent again by another sender, or to another device.
Peers use the rack's key. A request is done at most once by its \`requestId\`. A message is refused when \`size\` is wrong, the opcode is unknown, a request has a status, or the tail differs.

${table([ctrlHeader, ctrlEnds])}
| opcode | name | for |
|---|---|---|
${(Object.keys(ctrlOpcode) as CtrlOpcodeName[]).map(n => `| ${hex(ctrlOpcode[n])} | ${n} | ${ctrlMeaning[n]} |`).join("\n")}

QUERY and NT_CONFIG are done; a device of this version has no other opcode, and answers UNKNOWN. PEER_HELLO and those behind it are DENIED to users: they are [peers'](peers.md) to ask.
A message whose size or tail is wrong gets no answer. QUERY has no body. The other bodies come with what they ask for.

${table([ntConfigBody, firewallRowBody, tunnelRowBody, balancerRowBody, queryReplyBody, queryDagBody])}
A user writes rows that the setup has given it. An NT_CONFIG of another's row is DENIED, of one that nobody has INVALID.

| status | name | meaning |
|---|---|---|
${(Object.keys(ctrlStatus) as CtrlStatusName[]).map(n => `| ${ctrlStatus[n]} | ${n} | ${ctrlStatusMeaning[n]} |`).join("\n")}

### Peers

User 0, with the key of the pair. [Peers](peers.md) has what they mean, and when they are answered.

${table([peerHelloBody, peerLoadBody, peerEntryBody, peerLaunchBody, peerWhichBody, peerStateBody, peerPageBody])}
## Inside

A packet inside has no shims and no tag: IPv4 stands at byte 14, TCP or UDP at byte 34. Its first 64 bytes are the header, the rest is payload in cells.

${recordTable(descriptor)}`;
}
