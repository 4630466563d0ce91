/** Polynomials over GF(2) as bigints: bit i is the coefficient of X^i. */

/** a x b mod p, where deg p = k and a, b are reduced. */
function multiply(a: bigint, b: bigint, p: bigint, k: bigint): bigint {
  let product = 0n;
  for (let rest = b, term = a; rest > 0n; rest >>= 1n) {
    if (rest & 1n) product ^= term;
    term <<= 1n;
    if ((term >> k) & 1n) term ^= p;
  }
  return product;
}

/** X^e mod p. */
function powerOfX(e: bigint, p: bigint, k: bigint): bigint {
  let result = 1n,
    base = k === 1n ? 2n ^ p : 2n;
  for (let rest = e; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiply(result, base, p, k);
    base = multiply(base, base, p, k);
  }
  return result;
}

function primeFactors(n: number): number[] {
  const out: number[] = [];
  let rest = n;
  for (let d = 2; d * d <= rest; d++)
    if (rest % d === 0) {
      out.push(d);
      while (rest % d === 0) rest /= d;
    }
  if (rest > 1) out.push(rest);
  return out;
}

/** Whether X generates every nonzero residue modulo p, a polynomial of degree k (at most 40). */
export function isPrimitive(p: bigint, k: number): boolean {
  const order = 2 ** k - 1,
    degree = BigInt(k);
  if ((p & 1n) === 0n || p >> degree !== 1n) return false;
  if (powerOfX(BigInt(order), p, degree) !== 1n) return false;
  return primeFactors(order).every(q => powerOfX(BigInt(order / q), p, degree) !== 1n);
}

/**
 * A primitive polynomial of degree k with about half its coefficients set: the first from the golden
 * ratio's bits upwards.
 */
export function primitivePolynomial(k: number): bigint {
  const size = 1n << BigInt(k),
    golden = (0x9e3779b97f4a7c15n >> BigInt(64 - k)) | 1n;
  for (let i = 0n; i < size; i += 2n) {
    const candidate = size | ((golden + i) % size);
    if (isPrimitive(candidate, k)) return candidate;
  }
  // There is one of every degree, so this is a programming error.
  throw new Error(`no primitive polynomial of degree ${k}`);
}

/** X^e mod p for e = 0 .. count - 1. */
export function powersOfX(count: number, p: bigint, k: number): bigint[] {
  const out: bigint[] = [];
  for (let e = 0, x = k === 0 ? 0n : 1n; e < count; e++) {
    out.push(x);
    x <<= 1n;
    if ((x >> BigInt(k)) & 1n) x ^= p;
  }
  return out;
}
