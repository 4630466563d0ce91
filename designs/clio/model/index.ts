/**
 * The reference model of the memory node: `rules.md` in plain TypeScript, and the scoreboard that judges a
 * run against it.
 */
export { classify, type FilterSettings, type Request, type Verdict } from "./classify.ts";
export { hasKey } from "./key.ts";
export { MappedMemory, type PageState, type VirtualMemory } from "./pages.ts";
export { atomicResult, type Atomic, type AtomicKind } from "./atomics.ts";
export {
  doneReply,
  failedReply,
  failureCounter,
  isAtomic,
  isDeref,
  isKept,
  isSilent,
  piecesOf,
  wordBytesOf,
  wordOf,
  type Access,
  type AccessKind,
  type FailedAccess,
  type Piece,
} from "./access.ts";
export { Circulation } from "./circulation.ts";
export { ReferenceNode, type Outcome } from "./node.ts";
export { ByteHistory, type PendingWrite } from "./byte-history.ts";
export { outside, Words, type Span, type WordPart } from "./words.ts";
export { WordHistory, type WordOperation } from "./word-history.ts";
export { frameName, Scoreboard, type Completed } from "./scoreboard/index.ts";
export { RetryModel, type RetryAsked, type RetryOperation, type RetryVerdict } from "./retry.ts";
export * from "./gbn.ts";
export * from "./offloads/index.ts";
