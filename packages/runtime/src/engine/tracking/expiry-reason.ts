import type { LiveAction } from '../../rows/model.ts';

/**
 * Sentences on a signed action whose transaction expires: which one it is when others came before, and until which height
 * it is valid, once half of its blocks have passed. Null: there is nothing to say.
 * @param height the ledger's newest block
 */
export function expiryReason({ attempts, releasedHeight }: LiveAction, height: number): string | null {
  const last = attempts.at(-1);
  if (last?.validUntil === undefined) return null;
  const { n, validUntil } = last;
  const said: string[] = [];
  if (n > 0) said.push(`This is transaction number ${n + 1} of the action.`);
  if (height > validUntil)
    said.push(
      `It was valid until height ${validUntil}; when the ledger has passed that for good without it, another one is made.`,
    );
  else if (height - (releasedHeight ?? 0) >= validUntil - height)
    said.push(`The ledger has not executed it yet, and it is valid until height ${validUntil}.`);
  return said.length === 0 ? null : said.join(' ');
}
