/** One frame that answers a request to an offload: what stands behind the Clio header, and whether others of the same request follow. */
export interface OffloadAnswer { readonly status: number; readonly opcode: number; readonly body: Uint8Array; readonly more: boolean }
/** A request to an offload as a process sends it; `body`: everything behind the Clio header. */
export interface OffloadAsked { readonly opcode: number; readonly pid: number; readonly body: Uint8Array }
