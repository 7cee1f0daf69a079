import type { Queries } from '@ledger-ops/store';
import { allTime } from '../rows/actions/listings.ts';
import { namedClaims } from '../rows/attempts/claims.ts';
import type { Discrepancy } from './types.ts';

/** Invariants of the database. Each statement returns the ids of records that violate one. */
const invariants = (dialect: Queries['dialect']) => ({
  'All final actions, and no others, have an end time and the stage done.': `
    SELECT id FROM action
    WHERE (status = 'PENDING') <> (ended_at IS NULL) OR (status = 'PENDING') = (stage = 'done')`,
  'Each SUCCEEDED action names its transaction, and each FAILED action its problem.': `
    SELECT id FROM action
    WHERE (status = 'SUCCEEDED' AND locator IS NULL) OR (status = 'FAILED' AND problem IS NULL)`,
  'No two actions have the same final transaction.': `
    SELECT MIN(id) AS id FROM action WHERE locator IS NOT NULL AND (status = 'SUCCEEDED' OR height IS NOT NULL)
    GROUP BY chain, locator HAVING COUNT(*) > 1`,
  'Each SUCCEEDED action has only SUCCEEDED dependencies, unless a user marked it as executed.': `
    SELECT DISTINCT later.id AS id FROM action_dependency AS link
    JOIN action AS later ON later.id = link.action_id
    JOIN action AS earlier ON earlier.id = link.dependency_id
    WHERE later.status = 'SUCCEEDED' AND earlier.status <> 'SUCCEEDED'
    AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.action_id = later.id AND attempt.kind = 'outside')`,
  'The key of an action is stored only while the action is pending.': `
    SELECT action_grant.action_id AS id FROM action_grant
    JOIN action ON action.id = action_grant.action_id WHERE action.status <> 'PENDING'`,
  'Each held claim belongs to a transaction of its chain that is pending or would be sent again after a reorg.': `
    SELECT claim.claim AS id FROM claim WHERE NOT EXISTS (
      SELECT 1 FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.action_id = claim.action_id AND attempt.chain = claim.chain AND attempt.bytes IS NOT NULL
      AND ((attempt.settled_at IS NULL AND action.status = 'PENDING') OR attempt.tx_id = action.locator)
      AND claim.claim IN (SELECT named.value FROM ${namedClaims(dialect)}))`,
  'The action of each unsettled transaction holds all claims of this transaction.': `
    SELECT DISTINCT attempt.action_id AS id FROM attempt
    WHERE attempt.settled_at IS NULL AND attempt.claims IS NOT NULL AND EXISTS (
      SELECT 1 FROM ${namedClaims(dialect)} WHERE NOT EXISTS (
        SELECT 1 FROM claim
        WHERE claim.chain = attempt.chain AND claim.claim = named.value AND claim.action_id = attempt.action_id))`,
  'The stored count of each list of actions is correct.': `
    SELECT listing.id AS id FROM action_listing AS listing
    LEFT JOIN (SELECT listing, COUNT(*) AS n FROM action_listed GROUP BY listing) AS listed ON listed.listing = listing.id
    LEFT JOIN (SELECT listing, SUM(n) AS n FROM action_tally WHERE level = ${allTime} GROUP BY listing) AS tally
      ON tally.listing = listing.id
    WHERE listing.party NOT LIKE 'p:%' AND COALESCE(listed.n, 0) <> COALESCE(tally.n, 0)`,
});

/** Checks all invariants. Run it in a snapshot transaction. Servers may keep running. */
export async function brokenInvariants(read: Pick<Queries, 'all' | 'dialect'>): Promise<Discrepancy[]> {
  const found: Discrepancy[] = [];
  for (const [rule, statement] of Object.entries(invariants(read.dialect))) {
    const broken = await read.all<{ id: string }>(statement);
    found.push(...broken.map(({ id }) => ({ rule, subject: id, detail: 'The rule is violated.' })));
  }
  return found;
}
