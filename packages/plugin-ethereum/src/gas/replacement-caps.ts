/** The most that something allows for a unit of gas, in wei. */
export interface Cap {
  limit: bigint;
  /** For people. */
  name: string;
}

/** Where nobody named a limit, replacements offer this much of the first offer at most. */
const mostTimes = 100n;
/** Counted from this at least: on a chain that is almost free, a hundred times the first offer is nothing. */
const leastCounted = 1_000_000_000n;

/** The prices that bound a replacement, by who names them. */
export interface CapSources {
  kind: 'bump' | 'noop';
  /** The ledger's `max_fee_cap`. */
  ledger: bigint | undefined;
  /** A price that the operation gives. */
  user: { price: bigint; name: string } | undefined;
  /** Of the request for a higher fee. */
  request: bigint | undefined;
  /** The offer of the first transaction at the sequence; undefined where nothing is signed. */
  first: bigint | undefined;
}

/**
 * The bounds of a replacement. Where neither the ledger nor a request names the most, a multiple of the first offer does:
 * what the chain asks is a node's word, and a node that lies could have offers raised up to all that the wallet holds.
 */
export function replacementCaps({ kind, ledger, user, request, first }: CapSources): Cap[] {
  const caps: Cap[] = [];
  if (ledger !== undefined) caps.push({ limit: ledger, name: "the ledger's max_fee_cap" });
  // The user's price is for the operation: the no-op, which gives it up, has to be taken for the sake of the others.
  if (user !== undefined && kind === 'bump') caps.push({ limit: user.price, name: user.name });
  if (request !== undefined)
    caps.push({ limit: request, name: 'the cap that the request for a higher fee gives' });
  if (ledger === undefined && request === undefined && first !== undefined) {
    const limit = mostTimes * (first > leastCounted ? first : leastCounted);
    const name = `the bound of a ledger without the property max_fee_cap (set it to allow more), ${mostTimes} times the first offer`;
    caps.push({ limit, name });
  }
  return caps;
}

/** The lowest of several. */
export function lowestCap(caps: readonly Cap[]): Cap | undefined {
  const [first, ...others] = caps;
  if (first === undefined) return undefined;
  return others.reduce((one, two) => (two.limit < one.limit ? two : one), first);
}
