import type { Auth, NewResource } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';

/** Records with an id of their own, with their articles. */
const records = {
  explorer: 'An explorer',
  ledger: 'A ledger',
  'ledger-token': 'A token',
  node: 'A node',
  plugin: 'A plugin',
  'smart-contract-instance': 'A contract',
  'smart-contract-template': 'A template',
} as const;

/** The resource of a new record. */
export interface RecordResource extends Omit<NewResource, 'owner'> {
  readonly type: keyof typeof records;
  /** Where the id stood. */
  readonly pointer: string;
  readonly owner?: string | undefined;
}

/**
 * Registers the resource of a record that was inserted, and refuses an id that is taken: then nothing was inserted.
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
    throw new Problem('already-exists', `${records[type]} with the id ${resourceId} exists.`, {
      errors: [{ pointer, detail: 'exists already' }],
    });
  }
  await auth.registerResource(tx, { ...resource, ...(owner === undefined ? {} : { owner }) });
}
