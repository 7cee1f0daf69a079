import { createHash } from 'node:crypto';
import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from './types.ts';

/** What is known about a request with an Idempotency-Key before its work is done: columns of table `idempotency`. */
export interface IdempotencyClaim {
  /** The caller: its application and identity. */
  readonly scope: string;
  /** The request's Idempotency-Key. */
  readonly key: string;
  /** HMAC over method, path and the body without its secrets. */
  readonly fingerprint: string;
  /**
   * Counts the long responses that are stored for the caller's organization, and limits them. Absent if there is no
   * limit.
   */
  readonly storage?: ResponseStorage | undefined;
}

export interface ResponseStorage {
  readonly organizationUid: string;
  /** Adds the number of bytes that the transaction stored. @throws Problem `storage-limit` */
  add(tx: Tx, bytes: number): Promise<void>;
}

/**
 * Responses of up to this number of bytes are not counted, because they are as small as rows of other tables.
 */
const shortResponse = 1_024;

/**
 * Returns a hash of the caller and the key. Actions are found by this hash of about 128 bits. It does not depend on a
 * secret, so that keys stay valid when the master key changes.
 */
export function requestKeyOf({ scope, key }: Pick<IdempotencyClaim, 'scope' | 'key'>): string {
  return createHash('sha256').update(`${scope}\n${key}`).digest('base64url').slice(0, 22);
}

/** The response to a request, and how it is stored. */
export interface StoredResponse {
  /** The key's claim; undefined if the request has no key, so that nothing is stored. */
  readonly claim: IdempotencyClaim | undefined;
  readonly status: number;
  /**
   * Whether the response contains a secret that is shown only once. If so, the response is not stored, and requests
   * that repeat the key are rejected.
   */
  readonly secret?: boolean;
}

/**
 * Runs work in a transaction, only once per Idempotency-Key, and stores its response with the key. The key is inserted
 * before the work, so that a concurrent request with the same key is rejected before its work begins.
 *
 * @throws Problem `conflict` if another request with this key came first
 */
export async function once<Answer>(
  store: Pick<Store, 'transaction'>,
  { claim, status, secret = false }: StoredResponse,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  if (claim === undefined) return await store.transaction(work);
  return await store.transaction(async (tx) => {
    await recordAnswer(tx, claim, status, null);
    const answer = await work(tx);
    if (!secret) await storeResponse(tx, claim, JSON.stringify(answer));
    return answer;
  });
}

async function storeResponse(tx: Tx, { scope, key, storage }: IdempotencyClaim, body: string): Promise<void> {
  const bytes = Buffer.byteLength(body);
  const counted = bytes > shortResponse ? storage : undefined;
  await tx.run(
    'UPDATE idempotency SET body = $3, organization_uid = $4, bytes = $5 WHERE scope = $1 AND key = $2',
    [scope, key, body, counted?.organizationUid ?? null, counted === undefined ? null : bytes],
  );
  await counted?.add(tx, bytes);
}

/**
 * Stores the response to a request with an Idempotency-Key in the given transaction, with the database's time. `once`
 * does the same, but starts the transaction itself.
 *
 * @param body response JSON; null if it contains a secret that is shown only once
 * @throws Problem `conflict` if another request with this key came first; the transaction must then be rolled back
 */
export async function recordAnswer(
  tx: Tx,
  claim: IdempotencyClaim,
  status: number,
  body: string | null,
): Promise<void> {
  const { scope, key, fingerprint } = claim;
  const values = [scope, key, fingerprint, status, body];
  // SQLite runs in this process, so its clock is the clock of this process.
  const added =
    tx.dialect === 'postgres'
      ? await tx.run(insertAt('(extract(epoch from clock_timestamp()) * 1000)::bigint'), values)
      : await tx.run(insertAt('$6'), [...values, Date.now()]);
  if (added === 0) throw keyInUse();
}

function insertAt(now: string): string {
  return `INSERT INTO idempotency (scope, key, fingerprint, status, body, created_at) VALUES ($1, $2, $3, $4, $5, ${now}) ON CONFLICT (scope, key) DO NOTHING`;
}

/** Returns the problem of a request whose Idempotency-Key a concurrent request has claimed. */
export function keyInUse(): Problem {
  return new Problem(
    'conflict',
    'A request with this Idempotency-Key was accepted at the same moment. Send the request again to get the response.',
  );
}
