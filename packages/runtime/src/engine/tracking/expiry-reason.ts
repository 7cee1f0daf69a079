import type { LiveAction } from '../../rows/model.ts';

/**
 * Returns a text for users about a transaction that expires. If the action had earlier transactions, the text contains
 * the transaction's number; after half of the validity period, it contains the last valid height. Returns null
 * otherwise.
 * @param height the ledger's newest block
 */
export function expiryReason(
  { attempts, releasedHeight, change }: LiveAction,
  height: number,
): string | null {
  const last = attempts.at(-1);
  if (last?.validUntil === undefined) return null;
  const { n, validUntil } = last;
  const said: string[] = [];
  if (n > 0) said.push(`This is transaction number ${n + 1} of the action.`);
  if (height > validUntil)
    said.push(
      `The transaction was valid until height ${validUntil}. Once the ledger has passed that height without executing it, another transaction is created.`,
    );
  else if (height - (releasedHeight ?? 0) >= validUntil - height)
    said.push(`The ledger has not executed the transaction yet; it is valid until height ${validUntil}.`);
  if (change?.kind === 'hurry')
    said.push('If this transaction expires, the next one pays a higher fee, as requested.');
  return said.length === 0 ? null : said.join(' ');
}
