import { num, record } from "../../shared/wire/index.ts";

/** What of a descriptor depends on the build. */
export interface DescriptorParameters {
  /** Packets inside at once, a power of two. */
  readonly contexts: number;
  /** Cells of the packet store, a power of two. */
  readonly cells: number;
}

/**
 * The descriptor of a packet inside: all that blocks hand on of it beside its header (header store) and its payload
 * (packet store).
 */
export const descriptorOf = ({ contexts, cells }: DescriptorParameters) =>
  record("descriptor", "Descriptor", {
    ctx: num(Math.log2(contexts), "context: where its header is"),
    uid: num(16, "as it came in the shim, or by the match-and-action table", "hex"),
    dag: num(8, "entry of the DAG table"),
    user: num(6, "whose it is"),
    ingress: num(4, "port where it came in"),
    stage: num(4, "stage of the DAG that is next"),
    firstCell: num(Math.log2(cells), "first cell of its payload; means nothing where there is none"),
    payloadBytes: num(14, "bytes behind the header's 64"),
    headBytes: num(7, "bytes of the header that count, 1 to 64; fewer than 64 only without payload"),
    flowHash: num(10, "of the flow: packets with the same hash keep their order"),
    noL4: num(1, "no TCP or UDP at byte 34: another protocol, IPv4 options or a fragment", "bool"),
    tagged: num(1, "came with an 802.1Q tag, which its context keeps", "bool"),
    shimmed: num(1, "came with a sNIC shim", "bool"),
    unordered: num(1, "its DAG takes packets in any order", "bool"),
    secondPass: num(1, "has been through once: no third pass", "bool"),
    made: num(1, "made by a network task", "bool"),
    redirected: num(1, "came from a peer and goes back there", "bool"),
    copied: num(1, "others own its cells, too", "bool"),
    prepend: num(8, "template that goes in front; 0: none"),
    dropFront: num(7, "bytes that are left out in front, 0 to 64"),
    entered: num(16, "cycle in which it was taken in, wraps"),
  });
/** The descriptor of the default build. */
export const descriptor = descriptorOf({ contexts: 256, cells: 1024 });
