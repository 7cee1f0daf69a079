import { nextId, type Tx } from '@ledger-ops/store';
import { numberNames } from './named-types.ts';
import { propertyNames } from './views.ts';

/** Stores the properties, by name, of a contract that has none yet. Values are JSON values. */
export async function writeProperties(
  tx: Tx,
  contractUid: string,
  values: ReadonlyMap<string, unknown>,
): Promise<void> {
  const entries = [...values].map(([name, value]) => ({ name, value: JSON.stringify(value) }));
  if (entries.length === 0) return;
  await numberNames(
    tx,
    propertyNames,
    entries.map(({ name }) => name),
  );
  const first = await nextId(tx, 'contract_property', entries.length);
  await tx.db
    .insert(tx.t.contractProperty)
    .values(entries.map((entry, index) => ({ id: first + index, contractUid, ...entry })));
}
