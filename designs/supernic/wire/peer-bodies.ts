/** Bodies of the CTRL messages of peers, little-endian. Page: docs/supernic/peers.md. */
import { big, layout, num } from "../../shared/wire/index.ts";

/** For whose life a message is, and of whose: a message of an earlier one means nothing. */
const lives = {
  boot: num(32, "the sender's boot: larger after each start of its software"),
  yourBoot: num(32, "the receiver's boot as the sender knows it; 0: not yet"),
} as const;
/** Which DAG of the owner, and which launch of it. */
const which = {
  ...lives,
  uid: num(16, "the owner's DAG", "hex"),
  blank: num(16, "0"),
  launch: num(32, "of the owner's launches of this DAG the one that is meant; larger for each"),
} as const;

export const peerHelloBody = layout("peerHello", "PEER_HELLO", "le", {
  ...lives,
  sequence: num(32, "larger in each HELLO and LOAD of this boot"),
  number: num(8, "the sender's number among sNICs"),
  regions: num(8, "its regions"),
  ports: num(8, "its ports"),
  blank: num(8, "0"),
  period: num(32, "nanoseconds between two LOADs"),
  mac: big(48, "its MAC", "mac"),
  rest: num(16, "0"),
});
export const peerLoadBody = layout("peerLoad", "PEER_LOAD, then its entries", "le", {
  ...lives,
  sequence: num(32, "larger in each HELLO and LOAD of this boot"),
  free: num(8, "regions that are free, or a victim's of long ago"),
  busiest: num(8, "load of its busiest port, in percent"),
  pages: num(16, "pages that the receiver may still send; 65535: that many or more"),
  entries: num(16, "entries that follow"),
  blank: num(16, "0"),
});
/** What an entry of a LOAD is about. */
export const peerEntryKind = { chain: 1, guest: 2, away: 3, pages: 4 } as const;
export const guestState = { loading: 1, ready: 2, paused: 3, failed: 4 } as const;
export type GuestStateName = keyof typeof guestState;
const namesOf = (codes: Readonly<Record<string, number>>): Record<number, string> =>
  Object.fromEntries(Object.entries(codes).map(([name, code]) => [code, name]));
export const peerEntryBody = layout("peerEntry", "PEER_LOAD, an entry", "le", {
  kind: num(
    8,
    "1 a chain that runs here, 2 a guest of yours, 3 a DAG of mine at yours, 4 my pages at yours",
    "dec",
    namesOf(peerEntryKind),
  ),
  state: num(
    8,
    "chain: its instances; guest: 1 loading, 2 ready, 3 paused, 4 failed; else: 0",
    "dec",
    namesOf(guestState),
  ),
  uid: num(16, "chain: load of its instances, in percent; pages: 0; else the owner's DAG", "hex"),
  value: num(32, "chain: digest of its tasks' names; pages: the oldest number that counts; else the launch", "hex"),
});
export const peerLaunchBody = layout("peerLaunch", "PEER_LAUNCH, then its branches as in ADD_DAG", "le", {
  ...which,
  user: num(16, "the user's number, the same in the whole rack"),
  unordered: num(1, "its packets may overtake each other", "bool"),
  stateful: num(1, "state is put before its packets come", "bool"),
  unused: num(14, "0"),
  sequence: num(32, "of the sender's newest HELLO or LOAD: it and those before do not name this launch"),
});
export const peerWhichBody = layout("peerWhich", "PEER_PAUSE, PEER_RELEASE, and the replies to all four", "le", which);
/** Bytes of state in a message, at most; of a DAG's state. */
export const mostStateBytes = 1024,
  mostState = 2 ** 20;
export const peerStateBody = layout("peerState", "PEER_STATE and its reply; bytes of state may follow", "le", {
  ...which,
  put: num(1, "the bytes are to be put; else they are asked for", "bool"),
  done: num(1, "put: it is complete with this piece", "bool"),
  unused: num(30, "0"),
  offset: num(32, "bytes in front of this piece"),
  total: num(32, "bytes of the whole state"),
});
/** Bytes of a page in a message, at most: all pieces but a page's last one have as many. */
export const mostPageBytes = 1024;
export const peerPageBody = layout(
  "peerPage",
  "PEER_PAGE_OUT, PEER_PAGE_IN, PEER_PAGE_DROP, and their replies; bytes of the page may follow",
  "le",
  {
    ...lives,
    page: num(32, "the owner's number of it: larger for each page that leaves, never given twice in a boot"),
    offset: num(32, "bytes in front of this piece"),
    total: num(32, "bytes of the whole page"),
  },
);
