/** Requests that wait for their reply, as the scoreboard keeps them. */
import type { Access, Piece } from "../access.ts";
import type { ByteHistory, PendingWrite } from "../byte-history.ts";
import type { RetryOperation } from "../retry.ts";
import type { WordPart } from "../words.ts";
import { same } from "./frames.ts";

/** A page while it stays mapped; a new mapping of the same address is another page. */
export interface Page {
  readonly read: boolean;
  readonly write: boolean;
  /** A page that moves is not in the scoreboard's hands: `setRights` leaves frames where they are. */
  readonly valid: true;
  readonly bytes: ByteHistory;
  /** Being freed: its entry may be gone already. */ leaving: boolean;
}

export interface Open {
  readonly issued: number;
  readonly name: string;
  /** Requests to memory that came before it: of a FENCE, those that must be done when it is answered. */
  readonly order: number;
  /** Of a FENCE: its partition, and its BUSY reply, when so many waited that it may be refused. */
  readonly fence: { readonly partition: number; readonly busy: Uint8Array | undefined } | undefined;
  /** The exact reply, where it depends on nothing; undefined for accesses and for requests to the slow path. */
  readonly exact: Uint8Array | undefined;
  readonly access: OpenAccess | undefined;
  /** Of an access: its ticket in the retry buffer. */
  readonly ticket: number | undefined;
  /** Of a repetition: the repeated operation, and whether that had been answered when the repetition came. */
  readonly repeat: { readonly access: Access; readonly of: RetryOperation; readonly settled: boolean } | undefined;
  /** Of a request to the slow path: its opcode. */
  readonly forwarded: number | undefined;
  /** Bytes that the reply echoes, by which it is found. */
  readonly key: string;
}
export interface OpenAccess {
  readonly access: Access;
  readonly pieces: readonly Piece[];
  /** The pages as they were at issue; undefined: not mapped. */
  readonly pages: readonly (Page | undefined)[];
  /** A write's part in each page's history, while it may be done. */
  readonly writes: readonly PendingWrite[];
  /** The same in pages that were mapped while it was under way: it may have met them instead. */
  readonly late: { readonly page: Page; readonly write: PendingWrite }[];
  /** Of an atomic, and of a READ of a word that atomics work on: its part in the word's history. */
  readonly word: WordPart | undefined;
  /** Of an access behind a pointer: the pointer's page. */
  readonly pointer: { readonly page: Page | undefined; readonly vpn: bigint; readonly source: Access } | undefined;
}

/**
 * Requests that look alike to their client: any of them whose reply this can be, in this order. Last those of which
 * little is known. A fence that found no place is the youngest that may have: what an older one waits for is what a
 * younger one waits for, too, so an order that fits is found when there is one.
 */
export function candidatesFor(waiting: readonly Open[], frame: Uint8Array): readonly Open[] {
  if (waiting.length === 1) return waiting;
  const refused = waiting.filter(o => o.fence?.busy && same(o.fence.busy, frame));
  if (refused.length > 0) return refused.reverse();
  const vague = (o: Open): boolean => !o.exact && !o.access && !o.repeat;
  return [...waiting.filter(o => !vague(o)), ...waiting.filter(vague)];
}
