/** Sizes of an engine. */
export interface EngineParameters {
  /** Requests that an engine has at once, each with registers of its own: a power of two, 1 to 64. */
  readonly contexts: number;
  /** Accesses under way at most, as the paper's queue pair allows (section 3.4.1): 1 to 64. */
  readonly maxInFlight: number;
  /** Cycles that each resumption of a context costs beside the engine's own: 0 to 65,535. */
  readonly yieldCycles: number;
  /** Instructions of an image at most: a power of two, 16 to 4,096. */
  readonly programDepth: number;
  /** Instructions that a request may execute; one more ends it: 1 to 65,535. */
  readonly mostSteps: number;
  /** Words of a reply at most: 1 to 8. */
  readonly replyWords: number;
  /** The image that the program memory starts with; none unless given. */
  readonly image?: readonly number[];
}

/** Sizes where nothing else is asked for: 16 as the paper's MaxInFlight. */
export const usualEngine: EngineParameters = {
  contexts: 16,
  maxInFlight: 16,
  yieldCycles: 0,
  programDepth: 512,
  mostSteps: 65_535,
  replyWords: 8,
};

/** Bits of a context's number. */
export const contextBits = (p: Pick<EngineParameters, "contexts">): number => Math.max(1, Math.log2(p.contexts));
/** Bits of a request's own name, which comes back with its reply. */
export const tagBits = 8;
