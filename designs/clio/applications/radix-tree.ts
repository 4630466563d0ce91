import { ClientError, type Thread } from "../client/index.ts";
import { LocalTreeMemory, RemoteTreeMemory, treeBytes, type TreeMemory } from "./tree-memory.ts";

export interface RadixTreeOptions {
  /**
   * Bits of a key that one layer distinguishes: 1, 2, 4, 8 or 16. Default 4. A layer costs a round trip, a symbol more
   * a node in its list.
   */
  readonly symbolBits?: number;
  /** Nodes that there is room for. */
  readonly nodes: number;
}
/** Result of a search, and its number of layers, which is the number of round trips. */
export interface RadixFound {
  readonly value: bigint | undefined;
  readonly layers: number;
}

const keyBits = 64,
  noSymbol = 2n ** 64n - 1n;

/**
 * A radix tree in remote memory, from keys to values of 64 bits (paper §4.6). Nodes of a layer under one node are a
 * linked list, which the memory node follows (POINTER_CHASE). So a search takes one round trip for each layer, however
 * long the lists are. A key has as many layers as tell it from all others. Any number of threads and clients may search
 * while one changes the tree; those that change it take turns by its lock. Keys are never taken out.
 */
export class RadixTree {
  private readonly memory: TreeMemory;
  private readonly symbolBits: number;

  /** @param memory with a tree in it, or zero and then made a tree by `initialise`. @throws ClientError */
  constructor(memory: TreeMemory, symbolBits = 4) {
    if (![1, 2, 4, 8, 16].includes(symbolBits))
      throw new ClientError(`symbolBits is ${symbolBits}; give 1, 2, 4, 8 or 16`);
    this.memory = memory;
    this.symbolBits = symbolBits;
  }

  /** Allocates memory for a tree and makes an empty one. @returns it and its address, for others to `open` it */
  static async create(
    thread: Thread,
    { nodes, symbolBits }: RadixTreeOptions,
  ): Promise<{ readonly tree: RadixTree; readonly base: bigint }> {
    const base = await thread.ralloc(treeBytes(nodes)),
      tree = RadixTree.open(thread, base, { nodes, ...(symbolBits !== undefined && { symbolBits }) });
    await tree.initialise();
    return { tree, base };
  }
  /** A tree that is there. */
  static open(thread: Thread, base: bigint, { nodes, symbolBits }: RadixTreeOptions): RadixTree {
    return new RadixTree(new RemoteTreeMemory(thread, base, nodes), symbolBits);
  }
  /** Makes memory that is zero an empty tree. */
  async initialise(): Promise<void> {
    await this.memory.place({ next: 0n, symbol: noSymbol, child: 0n, key: 0n, value: 0n });
  }

  /** The value of a key. */
  async search(key: bigint): Promise<bigint | undefined> {
    return (await this.find(key)).value;
  }
  async find(key: bigint): Promise<RadixFound> {
    for (let first = this.memory.root, layer = 0; ; layer++) {
      const node = await this.memory.find(first, this.symbol(key, layer));
      if (node?.child) first = node.child;
      else return { value: node?.key === key ? node.value : undefined, layers: layer + 1 };
    }
  }

  /**
   * Gives a key a value. @returns whether the key is new. @throws ClientError when there is no room left; all that was
   * there still is
   */
  insert(key: bigint, value: bigint): Promise<boolean> {
    const checked = BigInt.asUintN(keyBits, key),
      own = BigInt.asUintN(keyBits, value);
    if (checked !== key) throw new ClientError(`${key} is no key: give a number from 0 to 2^64 - 1`);
    return this.memory.exclusively(() => this.put(key, own));
  }

  private async put(key: bigint, value: bigint): Promise<boolean> {
    for (let first = this.memory.root, layer = 0; ; layer++) {
      const symbol = this.symbol(key, layer),
        node = await this.memory.find(first, symbol);
      if (node === undefined) {
        // The list is whole before it can be found: searches see it with the new entry or without it. The first node of
        // a list stays the first.
        const next = await this.memory.get(first, "next"),
          va = await this.memory.place({ next, symbol, child: 0n, key, value });
        await this.memory.set(first, "next", va);
        return true;
      }
      if (node.child !== 0n) first = node.child;
      else if (node.key === key) {
        await this.memory.set(node.va, "value", value);
        return false;
      } else {
        // The leaf of another key: it gets a list below it, in which it is the first.
        first = await this.memory.place({
          next: 0n,
          symbol: this.symbol(node.key, layer + 1),
          child: 0n,
          key: node.key,
          value: node.value,
        });
        await this.memory.set(node.va, "child", first);
      }
    }
  }

  private symbol(key: bigint, layer: number): bigint {
    return BigInt.asUintN(this.symbolBits, key >> BigInt(keyBits - (layer + 1) * this.symbolBits));
  }
}

/** The bytes of a tree with these entries for memory at `base`, and the nodes that searches in it look at. */
export async function radixImage(
  base: bigint,
  entries: Iterable<readonly [key: bigint, value: bigint]>,
  { nodes, symbolBits }: RadixTreeOptions,
): Promise<LocalTreeMemory> {
  const memory = new LocalTreeMemory(base, nodes),
    tree = new RadixTree(memory, symbolBits);
  await tree.initialise();
  for (const [key, value] of entries) await tree.insert(key, value);
  return memory;
}
