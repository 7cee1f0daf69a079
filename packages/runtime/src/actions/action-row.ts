import { readJson, type SqlValue } from '@ledger-ops/store';
import { coSignersOf } from '../rows/co-signers.ts';
import type { ActionView } from './types.ts';

/** The columns of table `action` that action records are built from. */
export interface ActionRow extends Record<string, SqlValue> {
  id: string;
  given_id: string | null;
  project_id: string;
  wallet_uid: string;
  wallet_id: string;
  ledger_uid: string;
  ledger_id: string;
  plugin: string | null;
  intent: string;
  tag: string | null;
  context: string | null;
  status: string;
  stage: string;
  blockers: number;
  waiting: string | null;
  waiting_code: string | null;
  change: string | null;
  details: string | null;
  retracted: string | null;
  problem: string | null;
  locator: string | null;
  contract_address: string | null;
  created_at: number;
  updated_at: number;
  /** When the action completed; null while it is pending. */
  ended_at: number | null;
  /** JSON list of parties other than the sending wallet; null if there are none. */
  receivers: string | null;
}

export const actionColumns = [
  'id',
  'given_id',
  'project_id',
  'wallet_uid',
  'wallet_id',
  'ledger_uid',
  'ledger_id',
  'plugin',
  'intent',
  'tag',
  'context',
  'status',
  'stage',
  'blockers',
  'waiting',
  'waiting_code',
  'change',
  'details',
  'retracted',
  'problem',
  'locator',
  'contract_address',
  'created_at',
  'updated_at',
  'ended_at',
  'receivers',
]
  .map((name) => `action.${name}`)
  .join(', ');

/**
 * Returns the uids of the wallets that sign the action. A caller that may read one of these wallets may read the
 * action.
 */
export function signersOf({ wallet_uid, receivers }: Pick<ActionRow, 'wallet_uid' | 'receivers'>): string[] {
  return [wallet_uid, ...coSignersOf(receivers)];
}

/** Parses the JSON that `retract` stores. */
export function retractedOf({ retracted }: ActionRow): ActionView['retracted'] {
  return readJson<NonNullable<ActionView['retracted']>>(retracted);
}
