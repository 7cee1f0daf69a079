import type { EndorsementPolicy } from '../policy/application-policy.ts';

/** Maximum number of organizations: with more, there are too many combinations to try. */
const maxOrganizations = 12;

/**
 * Returns the smallest sets of organizations whose peers satisfy all policies together. Sets with the
 * preferred organization come first, then smaller sets.
 */
export function layouts(
  policies: readonly EndorsementPolicy[],
  organizations: readonly string[],
  preferred: string,
): string[][] {
  const candidates = [preferred, ...organizations.filter((mspId) => mspId !== preferred)]
    .filter((mspId) => organizations.includes(mspId))
    .slice(0, maxOrganizations);
  const sets = Array.from({ length: 2 ** candidates.length }, (_, bits) =>
    candidates.filter((_one, at) => (bits >> at) & 1),
  ).sort((a, b) => a.length - b.length);
  const found: string[][] = [];
  for (const set of sets) {
    const smaller = found.some((one) => one.every((mspId) => set.includes(mspId)));
    const signers = set.map((mspId) => ({ mspId, role: 'peer' as const }));
    if (set.length > 0 && !smaller && policies.every((policy) => policy(signers))) found.push(set);
  }
  return [
    ...found.filter((set) => set.includes(preferred)),
    ...found.filter((set) => !set.includes(preferred)),
  ];
}
