import type { Queries } from '@ledger-ops/store';
import { allTime } from '../rows/actions/listings.ts';
import type { Discrepancy } from './types.ts';

/** Rules that hold of every database at every instant. Each statement answers the ids of what breaks it. */
const invariants = {
  'An action that has ended, and no other, has the time of its end, and nothing is left to do for it.': `
    SELECT id FROM action
    WHERE (status = 'PENDING') <> (ended_at IS NULL) OR (status = 'PENDING') = (stage = 'done')`,
  'An action that has SUCCEEDED names its transaction, one that has FAILED its problem.': `
    SELECT id FROM action
    WHERE (status = 'SUCCEEDED' AND locator IS NULL) OR (status = 'FAILED' AND problem IS NULL)`,
  'No transaction is the end of two actions.': `
    SELECT MIN(id) AS id FROM action WHERE locator IS NOT NULL AND height IS NOT NULL
    GROUP BY chain, locator HAVING COUNT(*) > 1`,
  'An action has SUCCEEDED only after all that it depends on.': `
    SELECT DISTINCT later.id AS id FROM action_dependency AS link
    JOIN action AS later ON later.id = link.action_id
    JOIN action AS earlier ON earlier.id = link.dependency_id
    WHERE later.status = 'SUCCEEDED' AND earlier.status <> 'SUCCEEDED'`,
  'The key of an action is kept no longer than the action is pending.': `
    SELECT action_grant.action_id AS id FROM action_grant
    JOIN action ON action.id = action_grant.action_id WHERE action.status <> 'PENDING'`,
  'Each list of actions is as long as it is counted.': `
    SELECT listing.id AS id FROM action_listing AS listing
    LEFT JOIN (SELECT listing, COUNT(*) AS n FROM action_listed GROUP BY listing) AS listed ON listed.listing = listing.id
    LEFT JOIN (SELECT listing, SUM(n) AS n FROM action_tally WHERE level = ${allTime} GROUP BY listing) AS tally
      ON tally.listing = listing.id
    WHERE listing.party NOT LIKE 'p:%' AND COALESCE(listed.n, 0) <> COALESCE(tally.n, 0)`,
};

/** Looks at all rows: for a snapshot, beside servers that go on. */
export async function brokenInvariants(read: Pick<Queries, 'all'>): Promise<Discrepancy[]> {
  const found: Discrepancy[] = [];
  for (const [rule, statement] of Object.entries(invariants)) {
    const broken = await read.all<{ id: string }>(statement);
    found.push(...broken.map(({ id }) => ({ rule, subject: id, detail: 'It does not hold.' })));
  }
  return found;
}
