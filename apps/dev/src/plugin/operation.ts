import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';
import type { DevFile } from '../dev-file.ts';
import { callGlo, transferGlo } from '../samples.ts';
import { exampleOf } from './examples.ts';
import type { PluginTechnology } from './records.ts';

type DevWallet = DevFile['wallets'][number];

/**
 * Returns the first operation of a wallet: a transfer to the other wallet or, if the plugin has no transfers,
 * a contract call. Null if the plugin supports neither.
 *
 * @param amount of `--amount`; default: 1
 * @throws ConfigError if an amount is given but the plugin has no transfers
 */
export function firstOperation(
  technology: PluginTechnology,
  to: DevWallet,
  amount?: string,
): { what: string; glo: object } | null {
  const { operations } = technology.capabilities;
  if (operations.includes('transfer')) {
    const glo = { ...transferGlo(to, amount ?? '1'), ...metaOf(technology, 'transfer') };
    return { what: `transfer of ${amount ?? '1'} to ${to.walletId}`, glo };
  }
  if (amount !== undefined)
    throw new ConfigError('--amount cannot be used: the plugin does not support transfers.');
  const address = technology.addresses?.contract?.example;
  if (!operations.includes('contract_call') || address === undefined) return null;
  const glo = { ...callGlo(technology.name, address, 'example', []), ...metaOf(technology, 'contract_call') };
  return { what: `call to ${address}`, glo };
}

const contentSchema = z.object({
  examples: z.array(z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});
const byOperation = z.partialRecord(z.enum(['transfer', 'contract_call', 'contract_deploy']), z.unknown());

/** Native content of an operation; empty if its schema has no example and no required members. */
function metaOf({ name, content }: PluginTechnology, operation: 'transfer' | 'contract_call') {
  if (content === null) return {};
  const { schema: given, currentVersion } = content;
  const parted = byOperation.safeParse(given).data;
  const schema = parted === undefined ? given : parted[operation];
  const { examples: [example] = [], required = [] } = contentSchema.parse(schema ?? {});
  if (example === undefined && required.length === 0) return {};
  const native = example ?? exampleOf(schema, `content of ${operation}`);
  return { meta: { ledger: { [name]: { version: currentVersion, native_transaction_content: native } } } };
}
