import type { PendingCode } from '../../pending-codes.ts';
import type { LiveAction } from '../../rows/model.ts';

/**
 * Why a signed action is not on the ledger, as far as it is known, in sentences.
 * @param live all that the tracker of its ledger follows
 */
export function unminedReasons(action: LiveAction, live: Iterable<LiveAction>): string[] {
  const { address, sequence, gap, complaint } = action;
  const before: number[] = [];
  for (const other of live) {
    if (sequence === null || other.sequence === null || other.address !== address) continue;
    if (other.sequence < sequence) before.push(other.sequence);
  }
  const said: string[] = [];
  if (before.length > 0) {
    const first = before.reduce((one, two) => Math.min(one, two));
    said.push(
      `Its nonce is ${sequence}; transactions of the wallet that come before it: ${before.length}, the first with nonce ${first}.`,
    );
  }
  if (gap !== undefined && gap !== null) {
    said.push(
      `Its nonce is ${sequence}, and the ledger wants nonce ${gap.nonce} of the wallet first: ${gap.said}`,
    );
  }
  if (complaint !== null) said.push(`A node last said: ${complaint}`);
  return said;
}

/** With what troubles the ledger behind what is said already: once, where a node complained of just that. */
export function withTrouble(said: readonly string[], trouble: string | null): string[] {
  return trouble === null || said.some((one) => one.endsWith(trouble)) ? [...said] : [...said, trouble];
}

/** The same for programs, as far as the action itself shows it. */
export function unminedCode({ gap, complaint }: LiveAction): PendingCode {
  if (gap !== undefined && gap !== null) return 'nonce-gap';
  return complaint === null ? 'confirmation' : 'refused';
}
