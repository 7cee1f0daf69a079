/** A maximum price per unit of gas, in wei. */
export interface Cap {
  limit: bigint;
  /** Name of the cap in messages. */
  name: string;
}

/**
 * Default cap of replacements without a configured limit: the first transaction's price multiplied by this
 * factor.
 */
const mostTimes = 100n;
/**
 * Minimum price to which the multiple is applied: on a nearly free chain, a hundred times the first offer is
 * almost nothing.
 */
const leastCounted = 1_000_000_000n;

/**
 * Returns the limit up to which a node's prices can raise a transaction's price if no limit is configured.
 */
export function uncappedLimit(first: bigint): bigint {
  return mostTimes * (first > leastCounted ? first : leastCounted);
}

/** The prices that limit a replacement, by origin. */
export interface CapSources {
  kind: 'bump' | 'noop';
  /** The ledger's `max_fee_cap`. */
  ledger: bigint | undefined;
  /** The maximum price in the operation. */
  user: { price: bigint; name: string } | undefined;
  /** The maximum price in the request for a higher fee. */
  request: bigint | undefined;
  /** The prices of the first transaction with this nonce; undefined if none is signed. */
  first: bigint | undefined;
}

/**
 * Returns the caps of a replacement. If neither the ledger nor a request names a cap, a multiple of the first
 * transaction's price applies. Current prices come from a node, and a lying node could otherwise raise the
 * price up to the wallet's whole balance.
 */
export function replacementCaps({ kind, ledger, user, request, first }: CapSources): Cap[] {
  const caps: Cap[] = [];
  if (ledger !== undefined) caps.push({ limit: ledger, name: "the ledger's max_fee_cap" });
  // The user's price limits the operation but not the no-op, because the wallet's later transactions wait for
  // the no-op.
  if (user !== undefined && kind === 'bump') caps.push({ limit: user.price, name: user.name });
  if (request !== undefined) caps.push({ limit: request, name: 'the maximum fee of the speed-up request' });
  if (ledger === undefined && request === undefined && first !== undefined) {
    const limit = uncappedLimit(first);
    const name = `the default cap of ${mostTimes} times the first fee (set the ledger property max_fee_cap to allow more)`;
    caps.push({ limit, name });
  }
  return caps;
}

export function lowestCap(caps: readonly Cap[]): Cap | undefined {
  const [first, ...others] = caps;
  if (first === undefined) return undefined;
  return others.reduce((one, two) => (two.limit < one.limit ? two : one), first);
}
