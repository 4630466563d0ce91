import { ClientError, type Thread } from "../client/index.ts";

/** A node of a radix tree: an element of the list of its layer's siblings. */
export interface TreeNode {
  /** Address of the next sibling; 0: the last. */
  readonly next: bigint;
  readonly symbol: bigint;
  /** Address of the first node of the list below; 0: a leaf, which has key and value. */
  readonly child: bigint;
  readonly key: bigint;
  readonly value: bigint;
}
/** Where the fields are, in 64-bit words. */
const word = { next: 0, symbol: 1, child: 2, key: 3, value: 4 } as const;
const wordBytes = 8,
  nodeBytes = wordBytes * Object.keys(word).length;
/**
 * A node begins on a multiple of this: it lies in one beat of memory. Before the first one stand a lock and a
 * count of nodes.
 */
const stride = 64,
  lockOffset = 0n,
  countOffset = 8n;

/** Bytes of the memory of a tree with so many nodes. */
export function treeBytes(nodes: number): number {
  return stride * (nodes + 1);
}

/** Where the nodes of a tree are kept: at a memory node, or in an image of it. */
export interface TreeMemory {
  /** The first node of the uppermost list: it stands for no symbol and is always there. */
  readonly root: bigint;
  /** The node of the list from `first` on that has a symbol. */
  find(first: bigint, symbol: bigint): Promise<(TreeNode & { readonly va: bigint }) | undefined>;
  /** Puts a new node into memory. @returns its address. @throws ClientError when there is no room left */
  place(node: TreeNode): Promise<bigint>;
  /** One word of a node, read or written as a whole. */
  get(va: bigint, field: keyof typeof word): Promise<bigint>;
  set(va: bigint, field: keyof typeof word, value: bigint): Promise<void>;
  /** No other client changes the tree meanwhile; others may read. */
  exclusively<T>(change: () => Promise<T>): Promise<T>;
}

const full = (nodes: number): ClientError =>
  new ClientError(`the tree has room for ${nodes} nodes and all are used: create it with more`);
const at = (va: bigint, field: keyof typeof word): bigint => va + BigInt(wordBytes * word[field]);
function bytesOf(node: TreeNode): Uint8Array {
  const words = new DataView(new ArrayBuffer(nodeBytes));
  for (const field of Object.keys(word) as (keyof typeof word)[])
    words.setBigUint64(wordBytes * word[field], node[field], true);
  return new Uint8Array(words.buffer);
}
const numbersOf = (bytes: Uint8Array): bigint[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / wordBytes }, (_, i) => view.getBigUint64(wordBytes * i, true));
};

/**
 * A tree in remote memory: a list is followed by POINTER_CHASE, one round trip for each; a client that changes the tree
 * takes its lock.
 */
export class RemoteTreeMemory implements TreeMemory {
  readonly root: bigint;
  protected readonly thread: Thread;
  private readonly base: bigint;
  private readonly nodes: number;

  /** @param base of `treeBytes(nodes)` bytes, zero or a tree's image */
  constructor(thread: Thread, base: bigint, nodes: number) {
    this.thread = thread;
    this.base = base;
    this.nodes = nodes;
    this.root = base + BigInt(stride);
  }

  async find(first: bigint, symbol: bigint): Promise<(TreeNode & { readonly va: bigint }) | undefined> {
    const found = await this.thread.pointerChase({
      first,
      nodeBytes,
      nextOffset: wordBytes * word.next,
      key: { value: symbol, offset: wordBytes * word.symbol },
      value: { offset: wordBytes * word.child, bytes: nodeBytes - wordBytes * word.child },
    });
    const [child = 0n, key = 0n, value = 0n] = found ? numbersOf(found.value) : [];
    return found && { va: found.va, next: 0n, symbol, child, key, value };
  }
  async place(node: TreeNode): Promise<bigint> {
    const index = await this.thread.fetchAndAdd(this.base + countOffset, 1n);
    if (index >= BigInt(this.nodes)) {
      await this.thread.atomicStore(this.base + countOffset, BigInt(this.nodes));
      throw full(this.nodes);
    }
    const va = this.root + BigInt(stride) * index;
    await this.thread.rwrite(va, bytesOf(node));
    return va;
  }
  async get(va: bigint, field: keyof typeof word): Promise<bigint> {
    return numbersOf(await this.thread.rread(at(va, field), wordBytes))[0] as bigint;
  }
  async set(va: bigint, field: keyof typeof word, value: bigint): Promise<void> {
    await this.thread.rwrite(at(va, field), new Uint8Array(new BigUint64Array([value]).buffer));
  }
  async exclusively<T>(change: () => Promise<T>): Promise<T> {
    await this.thread.rlock(this.base + lockOffset);
    try {
      return await change();
    } finally {
      await this.thread.runlock(this.base + lockOffset);
    }
  }
}

/**
 * The same without POINTER_CHASE, as one-sided reads must do it: a round trip for each node of a list that
 * is looked at.
 */
export class ReadingTreeMemory extends RemoteTreeMemory {
  override async find(first: bigint, symbol: bigint): Promise<(TreeNode & { readonly va: bigint }) | undefined> {
    for (let va = first; va !== 0n;) {
      const [next = 0n, own, child = 0n, key = 0n, value = 0n] = numbersOf(await this.thread.rread(va, nodeBytes));
      if (own === symbol) return { va, next, symbol, child, key, value };
      va = next;
    }
    return undefined;
  }
}

/**
 * The same bytes in local memory, to be written to a memory node as a whole: how large trees are made before
 * they are measured.
 */
export class LocalTreeMemory implements TreeMemory {
  readonly root: bigint;
  /** Nodes that `find` has visited: without POINTER_CHASE a client would read them one by one. */
  visited = 0;
  private readonly base: bigint;
  private readonly view: DataView;

  /** @param base the address that the bytes will have */
  constructor(base: bigint, nodes: number) {
    this.base = base;
    this.root = base + BigInt(stride);
    this.view = new DataView(new ArrayBuffer(treeBytes(nodes)));
  }

  /** The bytes up to the last node. */
  get image(): Uint8Array {
    return new Uint8Array(this.view.buffer, 0, treeBytes(this.used));
  }
  private get used(): number {
    return Number(this.view.getBigUint64(Number(countOffset), true));
  }
  private word(va: bigint): number {
    return Number(va - this.base);
  }

  async find(first: bigint, symbol: bigint): Promise<(TreeNode & { readonly va: bigint }) | undefined> {
    for (let va = first; va !== 0n; va = await this.get(va, "next")) {
      this.visited++;
      if ((await this.get(va, "symbol")) !== symbol) continue;
      return {
        va,
        next: 0n,
        symbol,
        child: await this.get(va, "child"),
        key: await this.get(va, "key"),
        value: await this.get(va, "value"),
      };
    }
    return undefined;
  }
  place(node: TreeNode): Promise<bigint> {
    const index = this.used,
      va = this.root + BigInt(stride * index);
    if (treeBytes(index + 1) > this.view.byteLength) return Promise.reject(full(index));
    new Uint8Array(this.view.buffer).set(bytesOf(node), this.word(va));
    this.view.setBigUint64(Number(countOffset), BigInt(index + 1), true);
    return Promise.resolve(va);
  }
  get(va: bigint, field: keyof typeof word): Promise<bigint> {
    return Promise.resolve(this.view.getBigUint64(this.word(at(va, field)), true));
  }
  set(va: bigint, field: keyof typeof word, value: bigint): Promise<void> {
    this.view.setBigUint64(this.word(at(va, field)), value, true);
    return Promise.resolve();
  }
  exclusively<T>(change: () => Promise<T>): Promise<T> {
    return change();
  }
}
