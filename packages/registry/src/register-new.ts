import type { Auth, NewResource } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';

/** Types of records that have their own ids, with their names in messages. */
const records = {
  explorer: 'An explorer',
  ledger: 'A ledger',
  'ledger-token': 'A token',
  node: 'A node',
  plugin: 'A plugin',
  'smart-contract-instance': 'A contract',
  'smart-contract-template': 'A template',
} as const;

export interface RecordResource extends Omit<NewResource, 'owner'> {
  readonly type: keyof typeof records;
  /** JSON pointer of the id in the request. */
  readonly pointer: string;
  readonly owner?: string | undefined;
}

/**
 * Registers the resource of an inserted record. If nothing was inserted, the id is already taken.
 *
 * @param added rows that the insertion returned
 * @throws Problem `already-exists`
 */
export async function registerNew(
  auth: Pick<Auth, 'registerResource'>,
  tx: Tx,
  added: readonly unknown[],
  { owner, ...resource }: RecordResource,
): Promise<void> {
  const { type, resourceId, pointer } = resource;
  if (added.length === 0) {
    throw new Problem('already-exists', `${records[type]} with the id ${resourceId} already exists.`, {
      errors: [{ pointer, detail: 'already exists' }],
    });
  }
  await auth.registerResource(tx, { ...resource, ...(owner === undefined ? {} : { owner }) });
}
