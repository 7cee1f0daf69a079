import type { PendingCode } from '../../pending-codes.ts';
import type { LiveAction } from '../../rows/model.ts';

/**
 * Returns sentences for users that say why the ledger does not contain a signed action yet, as far as this is known.
 * @param live all actions that its ledger's tracker follows
 */
export function unminedReasons(action: LiveAction, live: Iterable<LiveAction>): string[] {
  const { address, sequence } = action;
  const { missingNonce, refusal } = action.pendingReason;
  const before: number[] = [];
  for (const other of live) {
    if (sequence === null || other.sequence === null || other.address !== address) continue;
    if (other.sequence < sequence) before.push(other.sequence);
  }
  const said: string[] = [];
  if (before.length > 0) {
    const first = before.reduce((one, two) => Math.min(one, two));
    said.push(
      `Its nonce is ${sequence}. Transactions of the wallet that must come first: ${before.length}, starting with nonce ${first}.`,
    );
  }
  if (missingNonce !== null) {
    said.push(
      `Its nonce is ${sequence}, but the ledger first expects nonce ${missingNonce.nonce} of the wallet: ${missingNonce.detail}`,
    );
  }
  if (refusal !== null) said.push(`Last message from a node: ${refusal}`);
  return said;
}

/** Appends the ledger's error message, unless a reason already ends with it. */
export function withLastError(said: readonly string[], lastError: string | null): string[] {
  return lastError === null || said.some((one) => one.endsWith(lastError)) ? [...said] : [...said, lastError];
}

/** Returns the code for why the ledger does not contain a signed action yet, without considering other actions. */
export function unminedCode({ pendingReason }: LiveAction): PendingCode {
  if (pendingReason.missingNonce !== null) return 'nonce-gap';
  return pendingReason.refusal === null ? 'confirmation' : 'refused';
}
