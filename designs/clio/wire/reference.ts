import {
  arpPacket,
  ethernetHeader,
  icmpHeader,
  ipv4Header,
  type Layout,
  layoutTable,
  udpHeader,
} from "../../shared/wire/index.ts";
import { gbnHeader } from "../../shared/go-back-n/wire/index.ts";
import { clioHeader, keyTrailer } from "./headers.ts";
import { defaultAction, opcodeName, operations } from "./opcodes.ts";
import { udpPorts } from "./ports.ts";
import { status, statusMeaning, type StatusName } from "./status.ts";

const hex = (n: number): string => n.toString(16).toUpperCase().padStart(2, "0");

/** The reference page of the wire format in Markdown, made from the same layouts as the codec. */
export function wireFormatReference(): string {
  const bodies = [...new Set(operations.flatMap(o => [o.body, o.reply?.body]))].filter(l => l !== undefined);
  const parts = (body: Layout | undefined, data: string | undefined): string =>
    [body ? `\`${body.name}\`` : "", data ?? ""].filter(Boolean).join(", ") || "none";
  const rows = operations.map(
    o =>
      `| ${hex(o.code)} | ${o.name} | ${o.path} | ${parts(o.body, o.data)} | ${o.reply ? `${hex(o.reply.code)} ${opcodeName(o.reply.code)}` : "none"} | ${
        o.reply ? parts(o.reply.body, o.reply.data) : ""
      } | ${defaultAction(o.code)} |`,
  );
  return `# Wire format

Generated from \`designs/packets\`; do not edit. The hardware, the TypeScript codec and the Wireshark dissector are made from the same description.

Stack: Ethernet, IPv4, UDP, [Go-Back-N], Clio, body, data. UDP ports: ${udpPorts.native} native; ${udpPorts.published} to ${
    udpPorts.published + udpPorts.publishedCount - 1
  } the published client's; ${udpPorts.monitor} the monitor. Bits are numbered from a byte's (or a group of bytes') least significant.

## Headers

${([ethernetHeader, arpPacket, ipv4Header, icmpHeader, udpHeader, gbnHeader, clioHeader] as readonly Layout[]).map(layoutTable).join("\n")}
## The key of a process

${layoutTable(keyTrailer)}
In a build with \`processKeys\` it ends the reply to CREATE_PROC, and every request for a process that has one. There it stands behind the end that \`size\` names. See [keys of processes](process-keys.md).

## Status codes

| code | name | meaning |
|---|---|---|
${(Object.keys(status) as StatusName[]).map(n => `| ${status[n]} | ${n} | ${statusMeaning[n]} |`).join("\n")}

## BUSY with a time to wait

A BUSY reply on the native port says how long to wait where the node knows it. Then \`flagRoute\` is 1, and \`retryOf\` is that time in nanoseconds. All other fields are echoed as in any reply; clients send \`flagRoute\` 0.

- The retry buffer says it to a client for which it has no place, and the slow path does the same. Other BUSY replies echo both fields: when they end is not known.
- Whoever asks sooner is told so again. The time is no promise of a place: others may ask first.
- **YIELD** says it to a client that has to [give up its place](retry.md#turns) for others. The operation was not done and never will be under its number. The client waits, greets, and asks anew under another number.

## Opcodes

The last column is the default content of the match-and-action table.

| code | name | path | body | reply | its body | default action |
|---|---|---|---|---|---|---|
${rows.join("\n")}

## Bodies

${bodies.map(layoutTable).join("\n")}`;
}
