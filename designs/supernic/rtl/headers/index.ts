/** Headers by context, and who holds which context. */
export { contextBits, contextCountBits, ContextPool, type PoolParameters, Want } from "./context-pool.ts";
export { HeaderStore, type HeaderStoreParameters } from "./header-store.ts";
export { Entered, Entry, HeaderBack, headerBytes, HeaderJob, HeaderRead } from "./records.ts";
